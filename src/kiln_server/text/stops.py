"""Stop strings: where the answer ends, and what must be held back until that is clear."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, cast
from weakref import WeakValueDictionary, ref


class _Path:
    """Prefixes that begin the same stop strings, each a character longer than the one before it.

    The stop strings are sorted, so those that share a prefix lie side by side: `first` up to, not including, `last`.
    """

    __slots__ = ("__weakref__", "_branches", "_ends", "_first", "_last", "_lengths", "_shorter", "_start", "_stops")

    def __init__(self, stops: Sequence[str], first: int, last: int, start: int) -> None:
        self._stops = stops
        self._first = first
        self._last = last
        self._start = start
        """The length of its shortest prefix. Of the next three, each has an entry for every prefix reached so far."""
        self._shorter: list[ref[_Path]] = []  # weak, so that no cycle outlives the answers
        self._lengths = array("I")
        self._ends = array("I")
        self._branches: dict[str, _Path] | None = None

    def knows(self, length: int) -> bool:
        """Whether `add` was called for the prefix of this length."""
        return length - self._start < len(self._ends)

    def add(self, length: int, shorter: _Path, shorter_length: int, end: int) -> None:
        """Reach the next prefix.

        The longest proper end of it that begins a stop string, too, is on `shorter`; it ends with a stop string of
        length `end`, or with none if that is 0.
        """
        self._shorter.append(ref(shorter))
        self._lengths.append(shorter_length)
        is_whole = len(self._stops[self._first]) == length  # of strings with one prefix, the prefix itself sorts first
        self._ends.append(length if is_whole else end)

    def shorter(self, length: int) -> tuple[_Path, int]:
        """Where the longest proper end of a prefix lies that begins a stop string, too."""
        path = cast("_Path", self._shorter[length - self._start]())  # alive like every branch of the tree
        return path, self._lengths[length - self._start]

    def end(self, length: int) -> int:
        """The length of the longest stop string that a prefix ends with; 0 if with none."""
        return self._ends[length - self._start]

    def onward(self, length: int, char: str) -> _Path | None:
        """The path of a prefix with one more character; None if that begins no stop string."""
        low = self._stops[self._first][length : length + 1]
        high = self._stops[self._last - 1][length : length + 1]
        if low == high:
            return self if low == char else None
        return self._branch(length, char) if low <= char <= high else None

    def _branch(self, length: int, char: str) -> _Path | None:
        if self._branches is None:
            self._branches = {}
        if char not in self._branches:

            def next_char(stop: str) -> str:
                return stop[length : length + 1]

            first = bisect_left(self._stops, char, self._first, self._last, key=next_char)
            last = bisect_right(self._stops, char, first, self._last, key=next_char)
            if first == last:
                return None
            self._branches[char] = _Path(self._stops, first, last, length + 1)
        return self._branches[char]


class StopStrings:
    """Stop strings, ready to be looked for all at once: the automaton of Aho and Corasick.

    Reading a character costs about the same for any number of strings of any length. To prepare them is to sort them;
    what more the automaton needs is worked out as text first reaches it, and kept for every answer that shares it.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        strings = sorted({stop for stop in stops if stop})
        self.firsts: Final = frozenset(stop[0] for stop in strings)
        """The characters that stop strings begin with."""
        self.start: Final = _Path(strings, 0, len(strings), 0)
        """The path of the empty prefix."""
        if strings:
            self.start.add(0, self.start, 0, 0)

    def step(self, path: _Path, length: int, char: str) -> tuple[_Path, int]:
        """Read a character: from the longest end of the text that begins a stop string to the next such end."""
        reached: list[tuple[_Path, int]] = []
        while True:
            onward = path.onward(length, char)
            if onward is not None:
                if onward.knows(length + 1):
                    path, length = onward, length + 1
                    break
                # Seen for the first time: shorter ends have to be followed further, to where the known ones begin.
                reached.append((onward, length + 1))
            if not length:
                path = self.start
                break
            path, length = path.shorter(length)
        for longer, longer_length in reversed(reached):
            longer.add(longer_length, path, length, path.end(length))
            path, length = longer, longer_length
        return path, length


_in_use: Final[WeakValueDictionary[tuple[str, ...], StopStrings]] = WeakValueDictionary()


def _shared(stops: tuple[str, ...]) -> StopStrings:
    """One structure for all answers under way that have the same stop strings."""
    found = _in_use.get(stops)
    if found is None:
        found = _in_use[stops] = StopStrings(stops)
    return found


class StopMatcher:
    """Passes text through up to the first stop string to be completed; its own text is never passed on.

    Of two that end at the same character the longer one counts. Text that may begin a stop string is held back.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = _shared(tuple(stops))
        self._path = self._stops.start
        self._num_held = 0
        """The length of the longest end of the text that begins a stop string."""
        self._held: list[str] = []
        self.stopped = False

    def feed(self, text: str) -> str:
        """Text that is certain to precede every stop string. Nothing more comes once `stopped` is true."""
        if self.stopped:
            return ""
        if not self._num_held and self._stops.firsts.isdisjoint(text):
            return text  # nearly always, and cheap to see
        num_before = self._num_held
        self._held.append(text)
        num_read = self._read(text)
        return self._without_end(num_before + num_read - self._num_held)

    def flush(self) -> str:
        """What was held back, now that no more text can complete a stop string."""
        held, self._held, self._num_held = "".join(self._held), [], 0
        self._path = self._stops.start
        return held

    def _read(self, text: str) -> int:
        """Follow the text up to the end of a stop string; how many characters that were."""
        stops, path, length = self._stops, self._path, self._num_held
        for num_read, char in enumerate(text, 1):
            if length or char in stops.firsts:
                path, length = stops.step(path, length, char)
                if path.end(length):
                    self.stopped = True
                    self._num_held = path.end(length)
                    return num_read
        self._path, self._num_held = path, length
        return len(text)

    def _without_end(self, num_certain: int) -> str:
        if not num_certain and not self.stopped:
            return ""
        text = "".join(self._held)
        self._held = [] if self.stopped else [text[num_certain:]]
        return text[:num_certain]
