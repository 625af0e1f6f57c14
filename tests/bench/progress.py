"""One line on the terminal that says what is being measured."""

from __future__ import annotations

import sys
from typing import TextIO


class Progress:
    """Rewrites its line on a terminal; elsewhere, one line for each subject."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self.stream = stream
        self.live = stream.isatty()
        self.subject = ""

    def begin(self, subject: str) -> None:
        """Start on a subject."""
        self.subject = subject
        self._show(subject if self.live else f"{subject}\n")

    def round(self, number: int) -> None:
        """Say that a round is done."""
        if self.live:
            self._show(f"{self.subject}: round {number}")

    def end(self) -> None:
        """Leave the terminal clean."""
        self._show("")

    def _show(self, line: str) -> None:
        self.stream.write(f"\r\x1b[2K{line}" if self.live else line)
        self.stream.flush()
