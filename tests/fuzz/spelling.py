"""Many ways to write one JSON value: notations of numbers, escapes, white space, orders of members."""

from __future__ import annotations

import json
from random import Random
from typing import Any

PLAIN = 0.8
"""Share of values that are written as everybody writes them."""
LONG = 1000
"""Characters of text that is not worth spelling one by one."""


def spell(value: Any, random: Random) -> str:
    """Write a value as JSON text that reads back as an equal value."""
    match value:
        case bool() | None:
            return json.dumps(value)
        case int():
            return _integer(value, random)
        case float():
            return repr(value).replace("e", random.choice("eE"))
        case str():
            return _text(value, random)
        case list():
            return _between("[", [spell(item, random) for item in value], "]", random)
        case dict():
            members = [f"{_text(key, random)}{_space(random)}:{spell(item, random)}" for key, item in value.items()]
            if random.random() > PLAIN:
                random.shuffle(members)
            return _between("{", members, "}", random)
    raise TypeError(f"{type(value).__name__} is no JSON")


def _integer(value: int, random: Random) -> str:
    if random.random() < PLAIN or abs(value) >= 10**300:
        return str(value)
    forms = [f"{value}.0", f"{value}.000", f"{value}e0", f"{value * 100}e-2", f"{value * 10}E-1"]
    if value % 10 == 0:
        forms.append(f"{value // 10}e+1")
    return random.choice(forms)


def _text(value: str, random: Random) -> str:
    if random.random() < PLAIN or len(value) > LONG:
        return json.dumps(value, ensure_ascii=random.random() < 0.5)
    return '"' + "".join(_character(char, random) for char in value) + '"'


def _character(char: str, random: Random) -> str:
    if char == "/" and random.random() < 0.5:
        return "\\/"
    if random.random() < 0.5:
        return json.dumps(char, ensure_ascii=False)[1:-1]
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def _between(left: str, parts: list[str], right: str, random: Random) -> str:
    return left + f"{_space(random)},".join(parts) + _space(random) + right


def _space(random: Random) -> str:
    return "" if random.random() < PLAIN else random.choice((" ", "\n", "\t", "\r\n", "  "))
