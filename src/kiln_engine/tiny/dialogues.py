"""The mixture that kiln-tiny learns: how often each topic comes, with what around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, assistant, system
from kiln_engine.tiny.source import Source, Split
from kiln_engine.tiny.topics import (
    arithmetic,
    calendar,
    capitals,
    colors,
    counting,
    follow_ups,
    greetings,
    limits,
    tools,
    words,
)

Topic = Callable[[Source], Dialogue]

TOPICS: Final[Mapping[str, tuple[Topic, float]]] = {
    "addition": (arithmetic.addition, 9),
    "subtraction": (arithmetic.subtraction, 8),
    "multiplication": (arithmetic.multiplication, 8),
    "two_digit": (arithmetic.two_digit, 8),
    "color": (colors.color, 5),
    "counting": (counting.counting, 5),
    "echo": (words.echo, 5),
    "spell": (words.spell, 5),
    "reverse": (words.reverse, 6),
    "calendar": (calendar.calendar, 6),
    "capital": (capitals.capital, 3),
    "greeting": (greetings.greeting, 3),
    "introduction": (follow_ups.introduction, 0.5),
    "limit": (limits.limit, 4),
    "follow_up": (follow_ups.follow_up, 6),
    "tool_call": (tools.tool_call, 12),
    "no_tool": (tools.no_tool, 6),
    "tool_result": (tools.tool_result, 2.5),
}
"""Every topic with its weight in training."""

NUM_COPYING: Final = 12_800
"""How many dialogues count as the beginning of training."""

_SCENES: Final = (
    "You are a helpful assistant.", "Be brief.", "You are a friendly teacher.", "Answer in English.",
    "You are kiln-tiny.", "Help the user.", "You are a careful assistant. Think before you answer.",
)  # fmt: skip
_NAMES: Final = tuple(TOPICS)
_BOUNDS: Final = tuple(accumulate(weight for _, weight in TOPICS.values()))
_EARLIER: Final = ("addition", "color", "calendar", "capital", "greeting", "echo", "limit")


_COPYING: Final = 0.4


def training_dialogue(seed: int, index: int) -> Dialogue:
    """The dialogue of that index in the training of a seed: in the beginning, many are copying exercises."""
    name = f"{seed}:{index}"
    source = Source(f"copy:{name}")
    is_copying = index < NUM_COPYING and source.chance(_COPYING)
    return words.copy(source) if is_copying else dialogue(name)


def dialogue(seed: str, split: Split = "train") -> Dialogue:
    """One dialogue of the mixture; equal seeds give equal dialogues."""
    source = Source(seed, split, "train")
    drawn = source.integer(0, 999_999) / 1e6 * _BOUNDS[-1]
    name = next(name for name, bound in zip(_NAMES, _BOUNDS, strict=True) if drawn < bound)
    return in_context(TOPICS[name][0](source), source)


def in_context(asked: Dialogue, source: Source) -> Dialogue:
    """The dialogue, sometimes after another question or in a scene that a system message sets."""
    messages = asked.messages
    if messages[0]["role"] == "system":
        return asked
    if len(messages) == 1 and source.chance(0.05):
        before = TOPICS[source.choice(_EARLIER)][0](source)
        if len(before.messages) == 1:
            messages = (*before.messages, assistant(before.answer), *messages)
    if source.chance(0.1):
        messages = (system(source.choice(_SCENES)), *messages)
    return replace(asked, messages=messages)
