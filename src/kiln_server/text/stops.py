"""Stop strings: where the answer ends, and what must be held back until that is clear."""

from __future__ import annotations

from collections.abc import Iterable


class StopMatcher:
    """Passes text through up to the first stop string to be completed; its own text is never passed on.

    Of two that end at the same character the longer one counts. Text that may begin a stop string is held back.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = [stop for stop in dict.fromkeys(stops) if stop]
        self._held = ""
        self.stopped = False

    def feed(self, text: str) -> str:
        """Text that is certain to precede every stop string. Nothing more comes once `stopped` is true."""
        if self.stopped or not self._stops:
            return "" if self.stopped else text
        text = self._held + text
        start = self._first_match(text)
        if start is not None:
            self.stopped = True
            self._held = ""
            return text[:start]
        keep = self._possible_start(text)
        self._held = text[keep:]
        return text[:keep]

    def flush(self) -> str:
        """What was held back, now that no more text can complete a stop string."""
        held, self._held = self._held, ""
        return held

    def _first_match(self, text: str) -> int | None:
        found = [(start + len(stop), start) for stop in self._stops if (start := text.find(stop)) >= 0]
        return min(found)[1] if found else None

    def _possible_start(self, text: str) -> int:
        longest = max(map(len, self._stops)) - 1
        for start in range(max(0, len(text) - longest), len(text)):
            if any(stop.startswith(text[start:]) for stop in self._stops):
                return start
        return len(text)
