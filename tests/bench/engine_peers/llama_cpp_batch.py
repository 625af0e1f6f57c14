"""llama.cpp, through the low-level functions of llama-cpp-python: one batch a step, its logits' largest taken."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Final

import llama_cpp  # type: ignore[import-not-found]
import numpy as np

from tests.bench.engine_peers.peer import Load, Peer

BATCH_ROWS: Final = 2048


class LlamaCpp:
    """Drives a context. Keys and values are in float16, llama.cpp's default."""

    def __init__(self, load: Load) -> None:
        llama_cpp.llama_backend_init()
        self._model = llama_cpp.llama_model_load_from_file(load.path.encode(), llama_cpp.llama_model_default_params())
        if not self._model:
            raise RuntimeError(f"llama.cpp cannot load {load.path}")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = load.streams * load.context
        params.n_batch = BATCH_ROWS
        params.n_seq_max = load.streams
        params.n_threads = params.n_threads_batch = load.threads
        self._context = llama_cpp.llama_init_from_model(self._model, params)
        if not self._context:
            raise RuntimeError("llama.cpp cannot make a context of this size")
        self._vocab_size = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self._model))
        self._batch = llama_cpp.llama_batch_init(BATCH_ROWS, 0, 1)
        self._tokens: list[int] = []
        self._positions: list[int] = []

    def begin(self, prompts: Sequence[Sequence[int]], most: int) -> None:  # noqa: ARG002 - there is room for `context`
        self._tokens = [0] * len(prompts)
        self._positions = [len(prompt) for prompt in prompts]
        rows = [
            (token, position, stream, position == len(prompt) - 1)
            for stream, prompt in enumerate(prompts)
            for position, token in enumerate(prompt)
        ]
        for start in range(0, len(rows), BATCH_ROWS):
            self._decode(rows[start : start + BATCH_ROWS])

    def advance(self, steps: int) -> Mapping[str, float]:
        for _ in range(steps):
            streams = range(len(self._tokens))
            self._decode([(self._tokens[stream], self._positions[stream], stream, True) for stream in streams])
            self._positions = [position + 1 for position in self._positions]
        return {}

    def end(self) -> None:
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self._context), True)

    def _decode(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        """Compute rows of (token, position, stream, whether its token is wanted), and keep the tokens."""
        batch = self._batch
        batch.n_tokens = len(rows)
        for index, (token, position, stream, wanted) in enumerate(rows):
            batch.token[index], batch.pos[index], batch.logits[index] = token, position, wanted
            batch.n_seq_id[index], batch.seq_id[index][0] = 1, stream
        if (status := llama_cpp.llama_decode(self._context, batch)) != 0:
            raise RuntimeError(f"llama_decode failed: {status}")
        for index, (_, _, stream, wanted) in enumerate(rows):
            if wanted:
                self._tokens[stream] = self._largest(index)

    def _largest(self, row: int) -> int:
        logits: Any = llama_cpp.llama_get_logits_ith(self._context, row)
        address = ctypes.addressof(logits.contents)
        return int(np.frombuffer((ctypes.c_float * self._vocab_size).from_address(address), dtype=np.float32).argmax())


def create(load: Load) -> Peer:
    return LlamaCpp(load)
