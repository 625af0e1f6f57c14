"""Training: steps over the batches of a seed, a learning rate that falls at the end, a state to go on from."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from kiln_engine.tiny.batches import IGNORED, Batch, Batches
from kiln_engine.tiny.network import Network, Shape
from kiln_engine.tiny.optimizer import optimizers


@dataclass(frozen=True)
class Plan:
    """What a run does. Equal plans give equal runs; `steps` may change as long as the learning rate has not fallen."""

    steps: int = 5000
    seed: int = 0
    dialogues_per_step: int = 32
    matrix_lr: float = 0.02
    other_lr: float = 0.004
    warm_up: int = 30
    falling: float = 0.4
    """The part of the steps, at the end, over which the learning rate falls to zero."""

    def rate(self, step: int) -> float:
        """The part of the learning rates that a step uses."""
        return min(1.0, (step + 1) / self.warm_up, (self.steps - step) / (self.steps * self.falling))


class Step(NamedTuple):
    """A step done: its number, mean loss of a learned token in nats, tokens seen in it, and seconds it took."""

    number: int
    loss: float
    num_tokens: int
    seconds: float


@dataclass
class Progress:
    """What a run has done so far."""

    losses: list[float] = field(default_factory=list)
    num_tokens: int = 0
    seconds: float = 0.0

    def add(self, step: Step) -> None:
        """Count a step."""
        self.losses.append(step.loss)
        self.num_tokens += step.num_tokens
        self.seconds += step.seconds


class Trainer:
    """Trains one network. `progress` counts what was done, also before a resumption.

    Batches of a step are worked on side by side by `threads` threads, each of which uses one core: they meet once a
    step, not in every product, and the sums are the same for any number of them.
    """

    def __init__(self, plan: Plan, tokenizer: Tokenizer, shape: Shape | None = None, *, threads: int = 2) -> None:
        torch.manual_seed(plan.seed)
        torch.set_num_threads(1)
        self.plan = plan
        self.progress = Progress()
        self.network = Network(shape or Shape())
        self._batches = Batches(tokenizer, seed=plan.seed, dialogues_per_step=plan.dialogues_per_step)
        self._optimizers = optimizers(self.network, matrix_lr=plan.matrix_lr, other_lr=plan.other_lr)
        self._parameters = list(self.network.parameters())
        self._workers = ThreadPoolExecutor(threads)
        self._rates = [group["lr"] for optimizer in self._optimizers for group in optimizer.param_groups]

    def run(self) -> Iterator[Step]:
        """Do the steps that are left, giving each as it is done."""
        for number in range(len(self.progress.losses), self.plan.steps):
            began = time.monotonic()
            loss, num_tokens = self._step(number)
            step = Step(number, loss, num_tokens, time.monotonic() - began)
            self.progress.add(step)
            yield step

    def save(self, path: Path) -> None:
        """Write all that a later `resume` needs; a file that is there is replaced at once or not at all."""
        state = {
            "network": self.network.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "progress": asdict(self.progress),
        }
        partial = path.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(path)

    def resume(self, path: Path) -> None:
        """Go on from a saved state. Raises OSError, or RuntimeError for a network of another shape."""
        state: dict[str, Any] = torch.load(path, weights_only=True)
        self.network.load_state_dict(state["network"])
        for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.progress = Progress(**state["progress"])

    def _step(self, number: int) -> tuple[float, int]:
        batches = self._batches.at(number)
        num_targets = sum(batch.num_targets for batch in batches)
        parts = list(self._workers.map(self._gradients, batches))
        for parameter, gradients in zip(self._parameters, zip(*(part[1] for part in parts), strict=True), strict=True):
            parameter.grad = torch.stack(gradients).sum(dim=0).div_(num_targets)
        self._move(self.plan.rate(number))
        return sum(part[0] for part in parts) / num_targets, sum(batch.ids.numel() for batch in batches)

    def _gradients(self, batch: Batch) -> tuple[float, Sequence[Tensor]]:
        """The summed loss of a batch, and its gradient by every parameter."""
        learned = batch.targets != IGNORED
        logits = self.network.logits(self.network.chosen(batch.ids, learned))
        loss = functional.cross_entropy(logits, batch.targets[learned], reduction="sum")
        return loss.item(), torch.autograd.grad(loss, self._parameters)

    def _move(self, rate: float) -> None:
        groups = [group for optimizer in self._optimizers for group in optimizer.param_groups]
        for group, full in zip(groups, self._rates, strict=True):
            group["lr"] = full * rate
        for moved in [self._workers.submit(optimizer.step) for optimizer in self._optimizers]:
            moved.result()
