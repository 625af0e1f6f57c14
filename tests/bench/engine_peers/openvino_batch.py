"""OpenVINO GenAI: its continuous batching pipeline, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import openvino as ov  # type: ignore[import-not-found]
import openvino_genai  # type: ignore[import-not-found]

from tests.bench.engine_peers.peer import Load, Peer

BATCH_ROWS: Final = 2048


class OpenVino:
    """Drives a pipeline. It computes in the format that its CPU plugin finds fastest here."""

    def __init__(self, load: Load) -> None:
        scheduler = openvino_genai.SchedulerConfig()
        scheduler.cache_size = load.cache_gb
        scheduler.max_num_batched_tokens = BATCH_ROWS
        scheduler.max_num_seqs = load.streams
        scheduler.enable_prefix_caching = False
        properties = {"INFERENCE_NUM_THREADS": load.threads}
        self._pipeline = openvino_genai.ContinuousBatchingPipeline(load.path, scheduler, "CPU", properties)
        self._handles: list[Any] = []
        self._next_id = 0

    def begin(self, prompts: Sequence[Sequence[int]], most: int) -> None:
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens, config.ignore_eos, config.do_sample = most + 64, True, False
        self._handles = [self._added(prompt, config) for prompt in prompts]
        waiting = list(self._handles)
        while waiting:
            self._pipeline.step()
            waiting = [handle for handle in waiting if not handle.can_read()]

    def advance(self, steps: int) -> Mapping[str, float]:
        for _ in range(steps):
            self._pipeline.step()
            for handle in self._handles:
                handle.read()
        return {}

    def end(self) -> None:
        for handle in self._handles:
            handle.cancel()
        while self._pipeline.has_non_finished_requests():
            self._pipeline.step()
        self._handles = []

    def _added(self, prompt: Sequence[int], config: Any) -> Any:
        self._next_id += 1
        return self._pipeline.add_request(self._next_id, ov.Tensor(np.array([prompt], dtype=np.int64)), config)


def create(load: Load) -> Peer:
    return OpenVino(load)
