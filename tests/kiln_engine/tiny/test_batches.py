"""Training batches."""

from __future__ import annotations

import pytest
import torch

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.batches import IGNORED, PARTS, STEPS_PER_POOL, Batch, Batches
from kiln_engine.tiny.export import read_tokenizer

TOKENIZER = read_tokenizer(CHECKPOINT)


def batches(seed: int = 0) -> Batches:
    return Batches(TOKENIZER, seed=seed, dialogues_per_step=8)


def equal(first: list[Batch], second: list[Batch]) -> bool:
    return all(
        torch.equal(a.ids, b.ids) and torch.equal(a.targets, b.targets) for a, b in zip(first, second, strict=True)
    )


def test_a_step_has_the_same_batches_whenever_it_is_asked_for() -> None:
    one, other = batches(), batches()
    later = one.at(STEPS_PER_POOL + 3)
    assert equal(one.at(2), other.at(2))
    assert equal(other.at(STEPS_PER_POOL + 3), later)


def test_steps_and_seeds_differ() -> None:
    same = batches()
    assert same.at(0)[0].ids.tolist() != same.at(1)[0].ids.tolist()
    assert same.at(0)[0].ids.tolist() != batches(seed=1).at(0)[0].ids.tolist()


def test_a_pool_holds_every_dialogue_once() -> None:
    steps = [batches().at(step) for step in range(STEPS_PER_POOL)]
    assert all(1 <= len(step) <= PARTS for step in steps)
    assert sum(len(batch.ids) for step in steps for batch in step) == 8 * STEPS_PER_POOL


def test_a_step_of_the_usual_size_has_all_parts() -> None:
    usual = Batches(TOKENIZER, seed=0, dialogues_per_step=32)
    assert [len(usual.at(step)) for step in range(STEPS_PER_POOL)] == [PARTS] * STEPS_PER_POOL


def test_too_few_dialogues_for_a_step_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 4 or more"):
        Batches(TOKENIZER, seed=0, dialogues_per_step=3)


def test_little_of_a_batch_is_padding() -> None:
    ids = [batch.ids for step in range(STEPS_PER_POOL) for batch in batches().at(step)]
    padding = sum(int((part == 0).sum()) for part in ids)
    assert padding < 0.25 * sum(part.numel() for part in ids)


def test_targets_are_the_next_ids_up_to_the_end_of_the_turn() -> None:
    end = TOKENIZER.token_to_id("<|im_end|>")
    for batch in batches().at(0):
        assert batch.num_targets > 0
        for ids, targets in zip(batch.ids.tolist(), batch.targets.tolist(), strict=True):
            places = [place for place, target in enumerate(targets) if target != IGNORED]
            assert places == list(range(places[0], places[-1] + 1))
            assert targets[places[-1]] == end
            assert [ids[place + 1] for place in places[:-1]] == [targets[place] for place in places[:-1]]
