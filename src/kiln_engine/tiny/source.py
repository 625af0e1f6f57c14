"""The random source of one dialogue: draws values and wordings, on one side of the split between seen and unseen."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, Literal, NamedTuple, TypeVar
from zlib import crc32

T = TypeVar("T")

Split = Literal["train", "unseen"]

OPENERS: Final = (
    "", "Hi! ", "Hello, ", "Please tell me: ", "Quick question: ", "I wonder, ", "Can you help? ", "One more thing: ",
    "Tell me, ", "Say, ", "OK, ", "Hey, ", "Kiln, ", "So, ", "Dear model, ", "Just curious: ", "Good morning. ",
    "Next one: ", "Well, ", "I have a question. ",
)  # fmt: skip
CLOSERS: Final = (
    "", " Thanks.", " Thank you!", " Please.", " Be brief.", " Keep it short.", " I need to know.",
    " It is for school.", " Answer quickly.", " Just the answer.", " I forgot.", " Please answer.", " My friend asks.",
    " No rush.",
)  # fmt: skip

_PLAIN: Final = 0.5
"""How often training leaves out an opening, and a closing."""

_SLOPPY: Final = 0.12
"""How often a question comes in lower case and without its last mark."""


class Phrase(NamedTuple):
    """A question and the name of its wording."""

    text: str
    wording: str


class Source:
    """Draws for one dialogue. Equal seeds give equal draws, on every platform.

    `split` says on which side wordings are drawn, `operands` on which side operand pairs are; the second is free
    where it is None.
    """

    def __init__(self, seed: str, split: Split = "train", operands: Split | None = "train") -> None:
        self._random = Random(seed)  # noqa: S311 - not for secrets
        self.split = split
        self.operands = operands

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random.random() < probability

    def choice(self, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[int(self._random.random() * len(options))]

    def sample(self, options: Sequence[T], size: int) -> list[T]:
        """Different options in random order."""
        return self._random.sample(options, size)

    def integer(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def phrase(self, topic: str, cores: Sequence[str], **values: object) -> Phrase:
        """A question from one of the cores, with words before and after it, on this source's side of the split."""
        while True:
            core = self.choice(cores)
            opener = "" if self.split == "train" and self.chance(_PLAIN) else self.choice(OPENERS)
            closer = "" if self.split == "train" and self.chance(_PLAIN) else self.choice(CLOSERS)
            wording = f"{topic}|{opener}|{core}|{closer}"
            if is_unseen_wording(wording) == (self.split == "unseen"):
                return Phrase(self._spoken(opener, core, closer).format(**values), wording)

    def _spoken(self, opener: str, core: str, closer: str) -> str:
        if opener.endswith(", ") and not core.startswith("{"):
            core = core[0].lower() + core[1:]
        text = opener + core + closer
        return text.lower().rstrip(".?!") if self.chance(_SLOPPY) else text


def is_unseen_wording(wording: str) -> bool:
    """Whether a wording is kept out of training: a quarter of those with words before or after the question."""
    _, opener, _, closer = wording.split("|")
    return bool(opener or closer) and crc32(wording.encode()) % 4 == 0


def is_unseen_pair(operation: str, left: int, right: int) -> bool:
    """Whether an operand pair is never asked for in training, in this order: a tenth of them.

    Equal operands are always seen, and so is the other order of an unseen pair.
    """
    if left == right or crc32(f"{operation} {left} {right}".encode()) % 9:
        return False
    return left < right or bool(crc32(f"{operation} {right} {left}".encode()) % 9)
