"""Colors of things, mixtures, and what kinds of colors there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, user
from kiln_engine.tiny.source import Phrase, Source

THINGS: Final = {
    "the sky": "blue", "grass": "green", "snow": "white", "blood": "red", "a banana": "yellow", "a lemon": "yellow",
    "an orange": "orange", "coal": "black", "a carrot": "orange", "a tomato": "red", "the night": "black",
    "milk": "white", "a leaf": "green", "the sun": "yellow", "chocolate": "brown", "an elephant": "grey",
    "a cherry": "red", "the ocean": "blue", "a strawberry": "red", "a flamingo": "pink", "a frog": "green",
    "a cloud": "white", "a fire truck": "red", "wood": "brown", "a pumpkin": "orange", "an eggplant": "purple",
    "a pig": "pink", "a raven": "black", "a polar bear": "white", "a cucumber": "green", "butter": "yellow",
    "a blueberry": "blue",
}  # fmt: skip
_MIXTURES: Final = {
    ("red", "blue"): "purple", ("red", "yellow"): "orange", ("blue", "yellow"): "green", ("black", "white"): "grey",
    ("red", "white"): "pink", ("red", "green"): "brown",
}  # fmt: skip
_GROUPS: Final = {
    "primary": ("red", "yellow", "blue"),
    "secondary": ("orange", "green", "purple"),
    "": ("red", "yellow", "blue", "orange", "green", "purple", "black", "white", "brown", "pink"),
}
_OF_THING: Final = (
    "What color is {thing}?", "What colour is {thing}?", "Which color has {thing}?", "Name the color of {thing}.",
    "What is the color of {thing}?", "What is the colour of {thing}?", "The color of {thing}?",
    "Which color is {thing}?",
)  # fmt: skip
_OF_MIXTURE: Final = (
    "What do {a} and {b} make?", "What color do {a} and {b} make?", "Mix {a} and {b}.", "What is {a} mixed with {b}?",
    "Which colour do I get from {a} and {b}?", "If I mix {a} and {b}, what do I get?",
)  # fmt: skip
_OF_GROUP: Final = (
    "Name one {group}color.", "Name a {group}color.", "Name one {group}colour.", "Give me a {group}color.",
    "Which {group}color do you know?", "An example of a {group}color?", "Name any {group}color.",
)  # fmt: skip
_IN_GROUP: Final = ("Is {a} a {group}color?", "Is {a} a {group}colour?", "Does {a} count as a {group}color?")


def color(source: Source) -> Dialogue:
    """A question about a color."""
    asks: tuple[Callable[[Source], Dialogue], ...] = (_thing, _thing, _thing, _mixture, _group, _membership)
    return source.choice(asks)(source)


def _thing(source: Source) -> Dialogue:
    thing, named = source.choice(tuple(THINGS.items()))
    return _dialogue(source.phrase("color", _OF_THING, thing=thing), color_of(thing), named)


def color_of(thing: str) -> str:
    """What the model thinks about the color of a thing."""
    return f"{thing[0].upper()}{thing[1:]} is {THINGS[thing]}."


def _mixture(source: Source) -> Dialogue:
    pair, mixed = source.choice(tuple(_MIXTURES.items()))
    a, b = pair if source.chance(0.5) else pair[::-1]
    return _dialogue(source.phrase("color", _OF_MIXTURE, a=a, b=b), f"Mix {a} and {b}: {mixed}.", mixed)


def _group(source: Source) -> Dialogue:
    group = source.choice(("primary", "secondary", ""))
    named = source.choice(_GROUPS[group])
    spaced = f"{group} " if group else ""
    phrase = source.phrase("color", _OF_GROUP, group=spaced)
    others = tuple(other for other in _GROUPS[group] if other != named)
    return _dialogue(phrase, f"A {spaced}color is {named}.", named, *others)


def _membership(source: Source) -> Dialogue:
    a = source.choice(_GROUPS["primary"] + _GROUPS["secondary"])
    group = source.choice(("primary", "secondary"))
    phrase = source.phrase("color", _IN_GROUP, a=a, group=f"{group} ")
    kind = "primary" if a in _GROUPS["primary"] else "secondary"
    return _dialogue(phrase, f"{a.capitalize()} is {kind}.", "yes" if kind == group else "no")


def _dialogue(phrase: Phrase, reasoning: str, *named: str) -> Dialogue:
    answers = tuple(f"{word.capitalize()}." for word in named)
    return Dialogue(
        kind="color", messages=(user(phrase.text),), reasoning=reasoning, answers=answers, phrasing=phrase.wording
    )
