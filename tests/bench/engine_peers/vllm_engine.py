"""vLLM on the CPU: its engine in this process, step by step, without tokenizer and text."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

# Read while it is imported: the engine is to be in this process, and its idle threads are not to keep processors busy.
os.environ |= {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_NO_USAGE_STATS": "1", "KMP_BLOCKTIME": "1"}

from vllm import EngineArgs, LLMEngine, SamplingParams  # type: ignore[import-not-found]

from tests.bench.engine_peers.peer import Load, Peer

BATCH_ROWS: Final = 2048


class Vllm:
    """Drives an engine, without compilation: that takes minutes here at every start."""

    def __init__(self, load: Load) -> None:
        os.environ["VLLM_CPU_KVCACHE_SPACE"] = str(load.cache_gb)
        arguments = EngineArgs(
            model=load.path,
            dtype=load.dtype,
            max_model_len=load.context,
            max_num_seqs=load.streams,
            max_num_batched_tokens=max(BATCH_ROWS, load.context),
            enable_prefix_caching=False,
            enforce_eager=True,
            skip_tokenizer_init=True,
        )
        self._engine = LLMEngine.from_engine_args(arguments)
        self._ids: list[str] = []
        self._next_id = 0

    def begin(self, prompts: Sequence[Sequence[int]], most: int) -> None:
        params = SamplingParams(temperature=0.0, max_tokens=most + 64, ignore_eos=True, detokenize=False)
        self._ids = [self._added(prompt, params) for prompt in prompts]
        waiting = set(self._ids)
        while waiting:
            waiting -= {output.request_id for output in self._engine.step() if output.outputs[0].token_ids}

    def advance(self, steps: int) -> Mapping[str, float]:
        for _ in range(steps):
            self._engine.step()
        return {}

    def end(self) -> None:
        self._engine.abort_request(self._ids)
        while self._engine.has_unfinished_requests():
            self._engine.step()
        self._ids = []

    def _added(self, prompt: Sequence[int], params: SamplingParams) -> str:
        self._next_id += 1
        request_id = str(self._next_id)
        self._engine.add_request(request_id, {"prompt_token_ids": list(prompt)}, params)
        return request_id


def create(load: Load) -> Peer:
    return Vllm(load)
