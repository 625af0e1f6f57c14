"""The targets, and what was measured against each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tests.bench import contenders as c
from tests.bench.timing import Series

SPEED: Final = (
    ("a", c.DECODE, c.ORJSON, 0.85),
    ("a", c.DECODE, c.RUST, 1.9),
    ("a", c.DECODE, c.OPENAI, 18.0),
    ("b", c.DECODE, c.ORJSON, 0.95),
    ("b", c.RAW, c.ORJSON, 1.7),
    ("b", c.DECODE, c.RUST, 1.2),
    ("b", c.DECODE, c.OPENAI, 9.0),
    ("c", c.DECODE, c.ORJSON, 0.85),
    ("c", c.DECODE, c.RUST, 1.7),
    ("c", c.DECODE, c.GENERATED, 3.0),
    ("c", c.DECODE, c.COLLAPSED, 3.0),
    ("d2k", c.DECODE, c.ORJSON, 1.0),
    ("d2k", c.DECODE, c.RUST, 6.5),
    ("d2k", c.DECODE, c.GENERATED, 12.0),
    ("d2k", c.DECODE, c.COLLAPSED, 12.0),
    ("d100k", c.DECODE, c.ORJSON, 1.8),
    ("d100k", c.DECODE, c.RUST, 6.5),
    ("d100k", c.DECODE, c.GENERATED, 18.0),
    ("d100k", c.DECODE, c.COLLAPSED, 18.0),
)
"""How many times faster ours is to be: document, ours, peer, ratio of medians.

Of the models that a tool generates from the schema, those it writes by default and the leaner ones are both judged.
"""

MAX_FAILING_RATIO: Final = 2.2
"""Naming all violations may take this many times `json.loads` of the same bytes."""

MAX_STARTUP_MS: Final = 60.0
MAX_MEMORY_MB: Final = 18.0

Measured = Mapping[str, Series]


@dataclass(frozen=True)
class Verdict:
    """One target and what was measured.

    Where that is a question, `strict` is the same ratio for strict decoding, and `floor` the same figure for msgspec by
    itself, which the library is built on.
    """

    subject: str
    against: str
    measured: float
    target: float
    unit: str
    at_least: bool
    strict: float | None = None
    floor: float | None = None

    @property
    def met(self) -> bool:
        return self.measured >= self.target if self.at_least else self.measured <= self.target


def ratio(measured: Measured, ours: str, peer: str) -> float:
    """How many times longer the peer takes, by medians."""
    return measured[peer].median / measured[ours].median


def speed_verdicts(key: str, title: str, measured: Measured) -> list[Verdict]:
    """The speed targets of one document."""
    return [
        Verdict(
            subject=f"{title}: {ours}",
            against=peer,
            measured=ratio(measured, ours, peer),
            target=target,
            unit="x",
            at_least=True,
            strict=ratio(measured, c.STRICT, peer) if ours == c.DECODE else None,
            floor=ratio(measured, c.TYPED, peer) if ours == c.DECODE else None,
        )
        for payload, ours, peer, target in SPEED
        if payload == key
    ]


def failing_verdict(title: str, measured: Measured) -> Verdict:
    """The target of the path that names every violation."""
    return _at_most(
        f"{title}: every violation named", c.JSON, 1 / ratio(measured, c.FAILS, c.JSON), MAX_FAILING_RATIO, "x"
    )


def startup_verdict(subject: str, ready: float, floor: float) -> Verdict:
    """The target of import and eight decoders, in the environment that `subject` names. Seconds over bare Python."""
    verdict = _at_most(subject, "bare Python", ready * 1e3, MAX_STARTUP_MS, "ms")
    return replace(verdict, floor=floor * 1e3)


def memory_verdict(title: str, grown_bytes: float) -> Verdict:
    """The target of memory held by a decoded document."""
    return _at_most(f"{title}: memory", "before decoding", grown_bytes / 1e6, MAX_MEMORY_MB, "MB")


def _at_most(subject: str, against: str, measured: float, target: float, unit: str) -> Verdict:
    return Verdict(subject, against, measured, target, unit, at_least=False)
