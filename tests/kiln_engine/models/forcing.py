"""Compute known tokens through the real scheduler and cache, in whatever steps it plans."""

from __future__ import annotations

from collections.abc import Sequence as Tokens
from typing import NamedTuple

import torch
from torch import Tensor

from kiln_engine.batch import build_batch
from kiln_engine.cache import Cache, CacheShape
from kiln_engine.cache_manager import CacheManager
from kiln_engine.models.decoder import Decoder
from kiln_engine.pacing import FixedPacing
from kiln_engine.scheduler import Scheduler
from kiln_engine.sequence import Sequence
from tests.kiln_engine.scripted import CPU

TOLERANCE = 2e-5
"""Largest difference of a logit, in standard deviations of the logits."""
NUM_PROMPT = 37
"""Tokens that are known from the start; the others come one by one."""


class Mode(NamedTuple):
    """How the same tokens are computed."""

    chunk: int
    prefix_cache: bool
    num_blocks: int
    """Few of them force preemption."""


MODES = {
    "at-once": Mode(64, False, 64),
    "chunks-of-7": Mode(7, True, 64),
    "one-by-one": Mode(1, True, 64),
    "preempted": Mode(64, False, 11),
    "preempted-with-hits": Mode(7, True, 11),
    "no-cache-chunks-of-7": Mode(7, False, 64),
}


class Forced(NamedTuple):
    """The logits of every position, NaN where a prefix hit spared it; how often sequences were preempted."""

    logits: list[Tensor]
    num_preemptions: int
    scheduler: Scheduler


def teacher_forced(decoder: Decoder, mode: Mode, tokens: Tokens[list[int]]) -> Forced:
    """Compute the tokens in whatever steps the scheduler plans; each answer continues as the tokens say."""
    scheduler = Scheduler(
        CacheManager(mode.num_blocks, 16 if mode.chunk != 1 else 8, prefix_cache=mode.prefix_cache),
        max_num_seqs=3,
        pacing=FixedPacing(mode.chunk),
    )
    shape = CacheShape(
        num_blocks=mode.num_blocks, block_size=scheduler.cache.block_size, dtype=torch.float32, device=CPU
    )
    cache = Cache(decoder.layers, shape)
    for layer in cache.layers:
        for tensor in layer.kv:  # type: ignore[attr-defined]
            tensor.fill_(torch.nan)
    found = [torch.full((len(row), decoder.vocab_size), torch.nan) for row in tokens]
    sequences = {
        Sequence(str(index), row[:NUM_PROMPT], max_tokens=len(row) - NUM_PROMPT): index
        for index, row in enumerate(tokens)
    }
    for sequence in sequences:
        scheduler.add(sequence)
    while (plan := scheduler.plan()) is not None:
        batch = build_batch(plan.rows, block_size=shape.block_size, device=CPU)
        logits = decoder.logits(decoder.forward(batch, cache))
        cache.copy_blocks(plan.copies)
        scheduler.commit(plan)
        for extent, rows in zip(batch.extents, plan.rows, strict=True):
            index = sequences[rows.sequence]
            found[index][rows.start : rows.stop] = logits[extent.first_row : extent.first_row + extent.num_rows]
            if rows.samples and rows.stop < len(tokens[index]):
                rows.sequence.append(tokens[index][rows.stop])
            elif rows.samples:
                scheduler.finish(rows.sequence)
    return Forced(found, sum(sequence.num_preemptions for sequence in sequences), scheduler)
