"""Which code speaks for many documents."""

from __future__ import annotations

import itertools

import pytest

from kiln_contract.cli.exits import Exit, decide

ORDER = [Exit.VIOLATED, Exit.UNREADABLE, Exit.NOTHING_CHECKED, Exit.CONFORMS]


def test_codes_are_the_documented_ones() -> None:
    assert {code.verdict: int(code) for code in Exit} == {
        "conforms": 0,
        "violated": 1,
        "usage": 2,
        "unreadable": 3,
        "nothing-checked": 4,
    }


@pytest.mark.parametrize("seen", [s for n in range(1, 5) for s in itertools.permutations(ORDER, n)], ids=str)
def test_the_most_decisive_code_wins_in_any_order(seen: tuple[Exit, ...]) -> None:
    assert decide(seen) is min(seen, key=ORDER.index)


def test_no_document_is_no_success() -> None:
    assert decide([]) is Exit.NOTHING_CHECKED
