"""Attention in sizes that no test has time for: `python -m tests.kiln_engine.kernels.fuzz`."""

from __future__ import annotations

import argparse
import random
import sys
import time

import torch

from kiln_engine.kernels.choice import choose
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.facade import Heads
from tests.kiln_engine.kernels.closeness import assert_close
from tests.kiln_engine.kernels.scenes import CPU, Span, Story, expected_attention, lay_out


def check(kernels: CpuKernels, chance: random.Random) -> str:
    """One scene of up to 64 sequences and 4,096 positions. Raises AssertionError; returns what it was."""
    dtype = chance.choice([torch.float32, torch.bfloat16])
    kv_heads = chance.randint(1, 4)
    heads = Heads(kv_heads * chance.randint(1, 16), kv_heads, chance.choice([8, 64, 80, 96, 128, 256]))
    spans = []
    for seed in range(chance.choice([1, 2, 8, 64])):
        length = chance.choice([chance.randint(1, 4096), chance.randint(1, 64)]) if seed < 4 else chance.randint(1, 64)
        rows = chance.choice([1, min(length, 3), min(length, 70)])
        spans.append(Span(Story.create(length, heads, dtype, seed), length - rows, length))
    window, block_size = chance.choice([None, 100, 1000]), chance.choice([1, 7, 16, 64])
    results = []
    for placement in range(2):
        scene = lay_out(spans, block_size=block_size, placement=placement)
        results.append(kernels.paged_attention(scene.query, scene.kv, scene.batch, scale=0.1, window=window))
        block_size = 32
    assert torch.equal(*results), "blocks changed a result"
    assert_close(results[0], expected_attention(spans, 0.1, window))
    return f"{len(spans)} sequences, {heads}, {dtype}, window {window}"


def main() -> int:
    """Run from the command line for some minutes. Returns 1 at the first failure, and says with which seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    kernels, seed, until = choose("auto", CPU).kernels, options.seed, time.monotonic() + 60 * options.minutes
    if not isinstance(kernels, CpuKernels):
        parser.error("there are no CPU kernels here")
    while time.monotonic() < until:
        try:
            print(seed, check(kernels, random.Random(seed)), flush=True)  # noqa: S311 - sizes, no secret
        except AssertionError as error:
            print(f"seed {seed}: {error}", file=sys.stderr)
            return 1
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
