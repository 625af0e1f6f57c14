"""Random digits, whose source is asked for many at a time."""

from __future__ import annotations

import pytest

from kiln_server import random_hex
from kiln_server.random_hex import RandomHex


def test_digits_are_given_out_once_and_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    portions: list[str] = []

    def token_hex(num_bytes: int) -> str:
        portions.append(f"{len(portions):0{2 * num_bytes}x}"[::-1])
        return portions[-1]

    monkeypatch.setattr(random_hex, "token_hex", token_hex)
    monkeypatch.setattr(random_hex, "_PORTION", 8)
    take = RandomHex().take
    assert [take(3), take(3), take(3), take(20), take(2)] == [
        portions[0][:6],
        portions[0][6:12],
        # What is left of a portion is too little, and is not used.
        portions[1][:6],
        portions[2],
        portions[3][:4],
    ]
    assert [len(portion) for portion in portions] == [16, 16, 40, 16]


def test_the_source_is_the_systems() -> None:
    taken = [random_hex.random_hex(16) for _ in range(1000)]
    assert all(len(digits) == 32 and set(digits) <= set("0123456789abcdef") for digits in taken)
    assert len(set(taken)) == len(taken)
