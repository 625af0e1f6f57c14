"""What is known of a sequence."""

from __future__ import annotations

import pytest

from kiln_engine.sequence import Sequence


def test_it_knows_its_prompt_and_what_was_generated() -> None:
    sequence = Sequence("a", (5, 6), max_tokens=3)
    sequence.append(7)
    assert (sequence.token_ids, sequence.prompt_ids) == ([5, 6, 7], (5, 6))
    assert (sequence.num_prompt, sequence.num_generated, sequence.num_computed) == (2, 1, 0)


def test_it_holds_nothing_before_it_runs() -> None:
    sequence = Sequence("a", (5, 6), max_tokens=3)
    assert (sequence.block_ids, sequence.state_slot, sequence.is_prefilling) == ([], 0, False)


def test_it_is_itself_and_no_other() -> None:
    first, second = (Sequence("a", (5, 6), max_tokens=3) for _ in range(2))
    assert first != second
    assert len({first, second}) == 2


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match="request 'a' has an empty prompt"):
        Sequence("a", (), max_tokens=3)
