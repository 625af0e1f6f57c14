"""Training runs, small ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.export import read_tokenizer
from kiln_engine.tiny.network import Shape
from kiln_engine.tiny.trainer import Plan, Trainer

TOKENIZER = read_tokenizer(CHECKPOINT)
SMALL = Shape(width=32, num_layers=1, num_heads=2, num_kv_heads=1, head_size=16, inner_width=48)


def small(steps: int = 6, threads: int = 1) -> Trainer:
    plan = Plan(steps=steps, dialogues_per_step=4, warm_up=2)
    return Trainer(plan, TOKENIZER, SMALL, threads=threads)


def weights(trainer: Trainer) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in trainer.network.parameters()])


def test_thirty_steps_make_the_loss_fall() -> None:
    shape = Shape(width=64, num_layers=2, num_heads=2, num_kv_heads=1, head_size=32, inner_width=128)
    trainer = Trainer(Plan(steps=30, dialogues_per_step=8, warm_up=5), TOKENIZER, shape, threads=1)
    losses = [step.loss for step in trainer.run()]
    assert len(losses) == 30
    assert sum(losses[-5:]) / 5 < 0.75 * losses[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_plans_give_equal_runs_for_any_number_of_threads(threads: int) -> None:
    first, second = small(), small(threads=threads)
    assert [step.loss for step in first.run()] == [step.loss for step in second.run()]
    assert torch.equal(weights(first), weights(second))


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(tmp_path: Path) -> None:
    whole, begun, resumed = small(), small(), small()
    list(whole.run())
    steps = begun.run()
    for _ in range(3):
        next(steps)
    begun.save(tmp_path / "state.pt")
    resumed.resume(tmp_path / "state.pt")
    assert [step.number for step in resumed.run()] == [3, 4, 5]
    assert resumed.progress.losses == whole.progress.losses
    assert torch.equal(weights(resumed), weights(whole))


def test_the_rate_rises_stays_and_falls_to_nothing() -> None:
    plan = Plan(steps=100, warm_up=10, falling=0.5)
    assert [plan.rate(step) for step in (0, 4, 9, 50)] == [0.1, 0.5, 1.0, 1.0]
    assert plan.rate(75) == 0.5
    assert 0 < plan.rate(99) < 0.05
