"""Logits against transformers, through the real scheduler and cache: chunked, with prefix hits, after preemption."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from kiln_engine.kernels.reference import ReferenceKernels
from kiln_engine.loading import load
from kiln_engine.loading.hf_folder import HfFolder
from kiln_engine.models.decoder import Decoder
from tests.kiln_engine.models.forcing import MODES, TOLERANCE, teacher_forced
from tests.kiln_engine.models.random_checkpoints import MAKERS, random_model
from tests.kiln_engine.scripted import CPU

NUM_TOKENS = 70


def _matrix() -> list[object]:
    """Every model with two of the modes, so that each mode meets several models; the others only in the full run."""
    cases = []
    for row, name in enumerate(MAKERS):
        for column, mode in enumerate(MODES):
            chosen = (column - row) % len(MODES) in (0, 3)
            cases.append(pytest.param(name, mode, marks=() if chosen else pytest.mark.full))
    return cases


class Oracle(NamedTuple):
    folder: Path
    tokens: list[list[int]]
    logits: list[Tensor]


@pytest.fixture(scope="module")
def oracles() -> dict[str, Oracle]:
    return {}


def oracle(name: str, oracles: dict[str, Oracle], factory: pytest.TempPathFactory) -> Oracle:
    """A model's logits over three token sequences, two of which begin alike; worked out once."""
    if name not in oracles:
        folder = factory.mktemp(name)
        model = random_model(name, folder)
        tokens = torch.randint(0, model.config.vocab_size, (3, NUM_TOKENS))
        tokens[1, :35] = tokens[0, :35]
        with torch.inference_mode():
            logits = [model(row[None]).logits[0] for row in tokens]
        oracles[name] = Oracle(folder, tokens.tolist(), logits)
    return oracles[name]


@torch.inference_mode()
@pytest.mark.parametrize(("name", "mode_name"), _matrix())
def test_logits_equal_the_oracle(
    name: str, mode_name: str, oracles: dict[str, Oracle], tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = oracle(name, oracles, tmp_path_factory)
    source = HfFolder(expected.folder)
    weights = load(source, dtype=torch.float32, device=CPU)
    decoder = Decoder(source.config, weights, ReferenceKernels(), max_positions=source.config.context_length)
    mode = MODES[mode_name]
    forced = teacher_forced(decoder, mode, expected.tokens)
    for mine, theirs in zip(forced.logits, expected.logits, strict=True):
        std = theirs.std()
        assert std >= 1
        known = ~mine[:, 0].isnan()
        assert ((mine - theirs)[known].abs().max() / std) <= TOLERANCE
        assert _num_other_choices(mine[known], theirs[known], gap=2 * TOLERANCE * std) == 0
    num_known = sum(int((~mine[:, 0].isnan()).sum()) for mine in forced.logits)
    assert num_known == 3 * NUM_TOKENS - forced.scheduler.cache.counters.num_hit_tokens
    assert forced.scheduler.cache.blocks.num_leased == 0


def _num_other_choices(mine: Tensor, theirs: Tensor, gap: Tensor) -> int:
    """Positions whose likeliest token differs although the oracle's two best are further apart than the gap."""
    best = theirs.topk(2).values
    is_clear = best[:, 0] - best[:, 1] > gap
    return int(((mine.argmax(-1) != theirs.argmax(-1)) & is_clear).sum())


@torch.inference_mode()
def test_the_modes_do_what_they_are_for(oracles: dict[str, Oracle], tmp_path_factory: pytest.TempPathFactory) -> None:
    expected = oracle("llama", oracles, tmp_path_factory)
    source = HfFolder(expected.folder)
    decoder = Decoder(
        source.config, load(source, dtype=torch.float32, device=CPU), ReferenceKernels(), max_positions=256
    )
    runs = {name: teacher_forced(decoder, mode, expected.tokens) for name, mode in MODES.items()}
    hit = {name for name, forced in runs.items() if forced.scheduler.cache.counters.num_hit_tokens}
    preempted = {name for name, forced in runs.items() if forced.num_preemptions}
    assert hit == {name for name, mode in MODES.items() if mode.prefix_cache}
    assert preempted == {name for name in MODES if name.startswith("preempted")}
