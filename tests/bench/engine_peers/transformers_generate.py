"""transformers: `generate` in a thread of its own, held between tokens by the criterion that may stop it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import transformers
from transformers import StoppingCriteria, StoppingCriteriaList

from tests.bench.engine_peers.peer import Load, Peer

_transformers: Any = transformers  # much of it has no types
_transformers.utils.logging.disable_progress_bar()


class _Gate(StoppingCriteria):
    """Called after each token: waits until another one is wanted, or the end."""

    def __init__(self) -> None:
        self._asked, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self._is_open = True

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:  # noqa: ARG002
        self._done.release()
        self._asked.acquire()
        return torch.full((input_ids.shape[0],), not self._is_open, dtype=torch.bool)

    def ask(self) -> None:
        self._asked.release()

    def wait(self) -> None:
        self._done.acquire()

    def close(self) -> None:
        self._is_open = False
        self._asked.release()


class Transformers:
    """Drives a model. All prompts must have the same length."""

    def __init__(self, model: Any, threads: int) -> None:
        self._model = model
        self._threads = threads
        self._gate: _Gate
        self._thread: threading.Thread

    def begin(self, prompts: Sequence[Sequence[int]], most: int) -> None:
        self._gate = _Gate()
        ids = torch.tensor(prompts)
        self._thread = threading.Thread(target=self._generate, args=(ids, most + 1), daemon=True)
        self._thread.start()
        self._gate.wait()

    def advance(self, steps: int) -> Mapping[str, float]:
        for _ in range(steps):
            self._gate.ask()
            self._gate.wait()
        return {}

    def end(self) -> None:
        self._gate.close()
        self._thread.join()

    def _generate(self, ids: torch.Tensor, most: int) -> None:
        torch.set_num_threads(self._threads)  # each thread that calls torch has a pool of its own
        config = _transformers.GenerationConfig(do_sample=False, max_new_tokens=most, eos_token_id=None, pad_token_id=0)
        criteria = StoppingCriteriaList([self._gate])
        self._model.generate(
            ids, attention_mask=torch.ones_like(ids), generation_config=config, stopping_criteria=criteria
        )


def create(load: Load) -> Peer:
    torch.set_num_threads(load.threads)
    model = _transformers.AutoModelForCausalLM.from_pretrained(load.path, dtype=getattr(torch, load.dtype)).eval()
    model.generation_config.eos_token_id = None
    return Transformers(model, load.threads)
