"""How far logits are from float32's: `python -m tests.bench.engine_accuracy FOLDER`, with transformers to compare with.

A process of its own, since three copies of a model are in it. Prints JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec
import torch
from torch import Tensor

from kiln_engine.batch import build_batch
from kiln_engine.cache import Cache, CacheShape
from kiln_engine.cache_manager import CacheManager
from kiln_engine.kernels.choice import choose
from kiln_engine.loading import load, open_source
from kiln_engine.models.decoder import Decoder
from kiln_engine.scheduler import Scheduler
from kiln_engine.sequence import Sequence
from tests.bench.engine_process import ROOT, environment
from tests.bench.engine_work import PLAIN_TOKENS

PROMPT_TOKENS: Final = 96
BLOCK: Final = 16
_CPU: Final = torch.device("cpu")


class Errors(msgspec.Struct, frozen=True):
    """Root mean square of bfloat16's errors, to that of float32's logits."""

    ours: float
    transformers: float

    @property
    def ratio(self) -> float:
        return self.ours / self.transformers


def measured(folder: Path) -> Errors:
    """Compare in a fresh process. Raises RuntimeError with what it said."""
    command = [sys.executable, "-m", "tests.bench.engine_accuracy", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"logits could not be compared: {done.stderr.strip().splitlines()[-1:]}")
    return msgspec.json.decode(done.stdout, type=Errors)


def _ours(folder: Path, token_ids: list[int]) -> Tensor:
    """Logits of every position: bfloat16, our own kernels."""
    source = open_source(folder)
    weights = load(source, dtype=torch.bfloat16, device=_CPU, progress=lambda *_: None)
    kernels = choose("auto", _CPU).kernels
    decoder = Decoder(source.config, weights, kernels, max_positions=len(token_ids))
    scheduler = Scheduler(CacheManager(len(token_ids), BLOCK, prefix_cache=False), max_num_seqs=1)
    scheduler.add(Sequence("", token_ids, max_tokens=1))
    plan = scheduler.plan()
    assert plan is not None
    shape = CacheShape(num_blocks=len(token_ids), block_size=BLOCK, dtype=torch.bfloat16, device=_CPU)
    batch = build_batch(plan.rows, block_size=BLOCK, device=_CPU)
    return decoder.logits(decoder.forward(batch, Cache(decoder.layers, shape)))


def _transformers(folder: Path, token_ids: list[int], dtype: torch.dtype) -> Tensor:
    transformers: Any = import_module("transformers")  # much of it has no types
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    logits: Tensor = model(torch.tensor([token_ids])).logits[0]
    return logits.float()


def _error(logits: Tensor, truth: Tensor) -> float:
    return ((logits - truth).square().mean() / truth.square().mean()).sqrt().item()


def main(folder: Path) -> None:
    token_ids = torch.randint(PLAIN_TOKENS, (PROMPT_TOKENS,), generator=torch.Generator().manual_seed(0)).tolist()
    with torch.inference_mode():
        truth = _transformers(folder, token_ids, torch.float32)
        theirs = _error(_transformers(folder, token_ids, torch.bfloat16), truth)
        ours = _error(_ours(folder, token_ids), truth)
    print(json.dumps({"ours": ours, "transformers": theirs}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
