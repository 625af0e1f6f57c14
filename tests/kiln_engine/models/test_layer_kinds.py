"""Room for what comes next: a layer with a recurrent state between attention layers, and rows that use an adapter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor

from kiln_engine.batch import Batch, build_batch
from kiln_engine.cache import Cache, CacheShape
from kiln_engine.cache_manager import CacheManager
from kiln_engine.config import ModelConfig, Rope
from kiln_engine.errors import EngineError
from kiln_engine.kernels.reference import ReferenceKernels
from kiln_engine.models.decoder import LAYER_KINDS, Decoder
from kiln_engine.pacing import FixedPacing
from kiln_engine.scheduler import Scheduler
from kiln_engine.sequence import Sequence
from kiln_engine.weights import Weights

CPU = torch.device("cpu")

CONFIG = ModelConfig(
    family="llama",
    vocab_size=64,
    hidden_size=16,
    intermediate_size=32,
    num_layers=3,
    num_heads=4,
    num_kv_heads=2,
    head_dim=4,
    rms_norm_eps=1e-6,
    rope=Rope(theta=10_000.0),
    context_length=128,
    tied=True,
    windows=(None,) * 3,
    layer_kinds=("attention",) * 3,
    dtype="float32",
    source={},
)


def random_weights(config: ModelConfig) -> Weights:
    torch.manual_seed(1)
    weights = Weights.empty(config, dtype=torch.float32, device=CPU)
    for tensor in weights.tensors():
        tensor.copy_(torch.randn_like(tensor) * (0.3 if tensor.dim() > 1 else 1))
    return weights


@dataclass
class States:
    """One vector a slot."""

    slots: Tensor

    @property
    def num_bytes(self) -> int:
        return self.slots.nbytes

    def copy_blocks(self, sources: Tensor, targets: Tensor) -> None:
        """There are no blocks."""

    def copy_states(self, sources: Tensor, targets: Tensor) -> None:
        self.slots[targets] = self.slots[sources]


class DecayingSum:
    """Adds a decaying sum of all rows so far to each row: one wrong state, and all later rows are wrong."""

    def __init__(self, config: ModelConfig, *_: Any) -> None:
        self._size = config.hidden_size

    def new_cache(self, shape: CacheShape) -> States:
        return States(torch.full((shape.num_state_slots, self._size), torch.nan, device=shape.device))

    def forward(self, x: Tensor, residual: Tensor | None, batch: Batch, cache: States) -> tuple[Tensor, Tensor]:
        out = x.clone()
        for extent in batch.extents:
            is_start = extent.context_len == extent.num_rows
            state = torch.zeros(self._size) if is_start else cache.slots[extent.state_slot].clone()
            for row in range(extent.first_row, extent.first_row + extent.num_rows):
                state = 0.5 * state + x[row]
                out[row] += state
            cache.slots[extent.state_slot] = state
        assert residual is not None
        return out, residual


KINDS = {**LAYER_KINDS, "decaying_sum": DecayingSum}
MIXED = replace(CONFIG, layer_kinds=("attention", "decaying_sum", "attention"))


def logits_of(decoder: Decoder, scheduler: Scheduler, tokens: list[list[int]], num_prompt: int) -> list[Tensor]:
    """The last logits of each sequence once all its tokens are computed, teacher-forced from the prompt on."""
    blocks, states = scheduler.cache.blocks, scheduler.cache.states
    shape = CacheShape(
        num_blocks=blocks.num_blocks,
        block_size=blocks.block_size,
        num_state_slots=1 if states is None else states.num_slots + 1,
        dtype=torch.float32,
        device=CPU,
    )
    cache = Cache(decoder.layers, shape)
    found: dict[str, Tensor] = {}
    for index, row in enumerate(tokens):
        scheduler.add(Sequence(str(index), row[:num_prompt], max_tokens=len(row) - num_prompt))
    while (plan := scheduler.plan()) is not None:
        cache.copy_states(plan.resumes)
        batch = build_batch(plan.rows, block_size=shape.block_size, device=CPU)
        logits = decoder.logits(decoder.forward(batch, cache))
        cache.copy_blocks(plan.copies)
        cache.copy_states(plan.saves)
        scheduler.commit(plan)
        for extent, rows in zip(batch.extents, plan.rows, strict=True):
            row = tokens[int(rows.sequence.request_id)]
            if rows.samples and rows.stop < len(row):
                rows.sequence.append(row[rows.stop])
            elif rows.samples:
                found[rows.sequence.request_id] = logits[extent.first_row + extent.num_rows - 1]
                scheduler.finish(rows.sequence)
        scheduler.check()
    return [found[str(index)] for index in range(len(tokens))]


class TestRecurrentLayers:
    @torch.inference_mode()
    @pytest.mark.parametrize("chunk", [1, 5, 64])
    @pytest.mark.parametrize("num_blocks", [7, 64])
    def test_resume_where_blocks_and_states_both_can(self, chunk: int, num_blocks: int) -> None:
        decoder = Decoder(MIXED, random_weights(MIXED), ReferenceKernels(), max_positions=128, kinds=KINDS)
        torch.manual_seed(2)
        tokens = torch.randint(0, 64, (4, 40)).tolist()
        for row in tokens[1:]:
            row[:20] = tokens[0][:20]
        plain = Scheduler(CacheManager(64, 8, num_state_slots=9, checkpoint_interval=16, prefix_cache=False))
        expected = logits_of(decoder, plain, tokens, 40)
        scheduler = Scheduler(
            CacheManager(num_blocks, 8, num_state_slots=9, checkpoint_interval=16),
            max_num_seqs=2,
            pacing=FixedPacing(chunk),
        )
        for mine, theirs in zip(logits_of(decoder, scheduler, tokens, 24), expected, strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4)
        assert scheduler.cache.counters.num_hit_tokens > 0

    def test_of_an_unknown_kind_are_refused(self) -> None:
        with pytest.raises(EngineError, match="decaying_sum are not supported; attention are"):
            Decoder(MIXED, random_weights(MIXED), ReferenceKernels(), max_positions=128)


class TestAdapterSlots:
    @torch.inference_mode()
    def test_change_their_own_rows_only(self) -> None:
        weights = random_weights(CONFIG)
        decoder = Decoder(CONFIG, weights, ReferenceKernels(), max_positions=128)
        base = self.logits(decoder, [0, 0])
        torch.manual_seed(3)
        delta = torch.randn(CONFIG.kv_size, CONFIG.hidden_size)
        weights.layers[1].qkv.deltas[2, "v"] = lambda x: x @ delta.T
        adapted = self.logits(decoder, [0, 2])
        torch.testing.assert_close(adapted[0], base[0])
        assert (adapted[1] - base[1]).abs().max() > 0.01
        part = next(part for part in weights.layers[1].qkv.parts if part.name == "v")
        weights.layers[1].qkv.weight[part.start : part.stop] += delta
        merged = self.logits(decoder, [0, 0])
        torch.testing.assert_close(adapted[1], merged[1], rtol=1e-4, atol=1e-4)

    def logits(self, decoder: Decoder, slots: list[int]) -> list[Tensor]:
        scheduler = Scheduler(CacheManager(16, 8))
        for index, slot in enumerate(slots):
            scheduler.add(Sequence(str(index), [index, *range(10)], max_tokens=1, adapter_slot=slot))
        shape = CacheShape(num_blocks=16, block_size=8, dtype=torch.float32, device=CPU)
        plan = scheduler.plan()
        assert plan is not None
        batch = build_batch(plan.rows, block_size=8, device=CPU)
        assert len(batch.segments) == (2 if any(slots) else 0)
        logits = decoder.logits(decoder.forward(batch, Cache(decoder.layers, shape)))
        order = {rows.sequence.request_id: index for index, rows in enumerate(plan.rows)}
        return [logits[batch.row_offsets[order[str(index)] + 1] - 1] for index in range(len(slots))]
