"""Damage: values put where they may not belong, and text with bytes changed."""

from __future__ import annotations

from random import Random
from typing import Any, Final

VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 16.0, 0.5, -0.0, 2**32, 2**63, 2**64, 2**64 - 1, 10**400, 1e308),
    *("", "a", "stop", "sampled", "unlimited", "request", "tokens", "</think>\n", "sha256:" + "0" * 64 + "\n"),
    *([], [None], [[]], {}, {"name": "a", "scale": 1}, {"": None}),
)
SNIPPETS: Final = (
    *(b"NaN", b"Infinity", b"-", b"1e400", b".0", b"00", b"e5", b"\xef\xbb\xbf", b"\x00", b"\xff", b"\xed\xa0\x80"),
    *(b"\\ud800", b"\\u0000", b"\\", b'"', b",", b"[", b"]", b"{", b"}", b":", b"null", b" ", b"\x0c", b'"":1,'),
    *(b"9007199254740993.0", b"1.00000000000000000001", b"1e-400", b"9" * 4301, b"//", b"\n"),
)


def mutate(value: Any, random: Random) -> Any:
    """A copy of a value with one thing changed somewhere, which may leave it valid or not."""
    copy = value.copy() if isinstance(value, dict | list) else value
    if isinstance(copy, dict) and copy and random.random() < 0.85:
        return _mutate_member(copy, random.choice(list(copy)), random)
    if isinstance(copy, list) and copy and random.random() < 0.85:
        return _mutate_item(copy, random.randrange(len(copy)), random)
    return random.choice(VALUES)


def _mutate_member(value: dict[str, Any], key: str, random: Random) -> dict[str, Any]:
    match random.randrange(8):
        case 0:
            del value[key]
        case 1:
            value[random.choice((key.upper(), f"{key} ", "no_such_member"))] = value.pop(key)
        case 2:
            value[random.choice((f"{key}_", "", "n", "stream", "adapter", "closed"))] = random.choice(VALUES)
        case _:
            value[key] = mutate(value[key], random)
    return value


def _mutate_item(value: list[Any], index: int, random: Random) -> list[Any]:
    match random.randrange(6):
        case 0:
            del value[index]
        case 1:
            value.insert(index, value[index])
        case 2:
            value.append(random.choice(VALUES))
        case _:
            value[index] = mutate(value[index], random)
    return value


def damage(text: bytes, random: Random) -> bytes:
    """The text with some bytes lost, changed, repeated or put in."""
    for _ in range(random.choice((1, 1, 2))):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((1, 1, 2, 8)))
        match random.randrange(5):
            case 0:
                text = text[:start]
            case 1:
                text = text[:start] + text[end:]
            case 2 if start < len(text):
                text = text[:start] + bytes([text[start] ^ 1 << random.randrange(8)]) + text[start + 1 :]
            case 3:
                text = text[:end] + text[start:]
            case _:
                text = text[:start] + random.choice(SNIPPETS) + text[start:]
    return text


def repeat_member(text: bytes, random: Random) -> bytes:
    """The text with a first, losing copy of one member's name in front of some object's members."""
    places = [index + 1 for index, byte in enumerate(text) if byte == ord("{")]
    names = [name for name in (b"role", b"n", b"usage", b"content", b"closed", b"a") if b'"' + name + b'"' in text]
    if not places or not names:
        return text
    place = random.choice(places)
    value = random.choice((b"null", b"1", b"{}", b'"a"', b"true"))
    comma = b"" if text[place:].lstrip().startswith(b"}") else b","
    return text[:place] + b'"' + random.choice(names) + b'":' + value + comma + text[place:]
