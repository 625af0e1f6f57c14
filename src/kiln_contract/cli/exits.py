"""Exit codes, and which one speaks for several documents."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class Exit(IntEnum):
    """What the process says when it ends; only `CONFORMS` is success."""

    CONFORMS = 0
    VIOLATED = 1
    USAGE = 2
    UNREADABLE = 3
    NOTHING_CHECKED = 4

    @property
    def verdict(self) -> str:
        """The name of the code in reports: `conforms`, `violated`, `unreadable`, `nothing-checked`."""
        return self.name.lower().replace("_", "-")


# A violation stays one whatever else could not be read. Short of that, an unread document leaves the verdict open, and
# so does a file in which there was nothing to check: only when everything was checked and holds is the whole well.
_DECISIVE: Final = (Exit.VIOLATED, Exit.UNREADABLE, Exit.NOTHING_CHECKED, Exit.CONFORMS)


def decide(exits: Iterable[Exit]) -> Exit:
    """The one code for many documents; without any, nothing was checked."""
    seen = set(exits)
    return next((code for code in _DECISIVE if code in seen), Exit.NOTHING_CHECKED)
