"""A seeded answer is the same alone, in any company, after a prefix hit and after preemption: over a real network."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import takewhile
from operator import eq
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from kiln_engine.kernels.choice import choose
from kiln_engine.kernels.facade import Kernels
from kiln_engine.kernels.reference import ReferenceKernels
from kiln_engine.loading import load, open_source
from kiln_engine.models.decoder import Decoder
from kiln_engine.sampling import Sampler, SamplerState
from kiln_server.backend import BackendError, Generation, Sampling
from tests.kiln_engine.random_folder import random_folder
from tests.kiln_engine.scripted import CPU, engine_of, job_of, run

NOISE = 1e-5
"""What another order of summation may change of a logit, in standard deviations of the logits."""

SAMPLINGS = (
    Sampling(temperature=1.0, top_p=0.95, top_k=20, presence_penalty=1.5),
    Sampling(temperature=0.7, min_p=0.02),
    Sampling(temperature=1.3),
    Sampling(temperature=0.0),
)


class Machine(NamedTuple):
    """A model with the kernels that compute it."""

    decoder: Decoder
    exact: bool


@pytest.fixture(scope="module", params=["exact", "torch"])
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    source = open_source(random_folder(tmp_path_factory.mktemp("seeded")))
    kernels: Kernels = choose("auto", CPU).kernels if request.param == "exact" else ReferenceKernels()
    weights = load(source, dtype=torch.float32, device=CPU)
    return Machine(Decoder(source.config, weights, kernels, max_positions=512), kernels.exact)


def jobs_of(count: int) -> list[Generation]:
    """Seeded answers of all kinds; every third prompt begins like the others of its kind."""
    dice = random.Random(11)  # noqa: S311 - a test's dice
    common = [dice.randrange(256) for _ in range(40)]
    jobs = []
    for number in range(count):
        own = [dice.randrange(256) for _ in range(dice.randrange(1, 40))]
        prompt = common + own if number % 3 == 0 else own
        jobs.append(
            job_of(
                prompt,
                request_id=str(number),
                group=str(number),
                seed=2**64 - 1 - number,
                choice=number,
                max_tokens=12,
                sampling=SAMPLINGS[number % len(SAMPLINGS)],
                ignore_eos=True,
            )
        )
    return jobs


@pytest.mark.parametrize(
    "options",
    [
        {"num_blocks": 512},
        {"num_blocks": 512, "prefill_chunk": 5},
        {"num_blocks": 512, "prefix_cache": False, "block_size": 3},
        {"num_blocks": 24, "prefill_chunk": 7},
    ],
    ids=["together", "chunked", "other-blocks", "preempted"],
)
def test_company_changes_nothing(machine: Machine, options: dict[str, int]) -> None:
    jobs = jobs_of(64)
    alone = [run(engine_of(machine.decoder, num_blocks=64), job)[0].ids for job in jobs]
    inboxes = run(engine_of(machine.decoder, **options), *jobs)  # type: ignore[arg-type]
    different = [job for job, ids, inbox in zip(jobs, alone, inboxes, strict=True) if inbox.ids != ids]
    assert not (machine.exact and different), "exact kernels give equal bits"
    for job in different:
        number = int(job.request_id)
        assert explained(machine.decoder, job, alone[number], inboxes[number].ids)


def explained(decoder: Decoder, job: Generation, one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether the first token that differs hangs on less than the noise: both tokens are drawn with some noise."""
    length = sum(1 for _ in takewhile(lambda pair: eq(*pair), zip(one, other, strict=True)))
    logits = logits_after(decoder, [*job.prompt_ids, *one[:length]])
    noise = torch.Generator().manual_seed(0)
    drawn = set()
    for _ in range(200):
        noisy = logits + (torch.rand(logits.shape, generator=noise) * 2 - 1) * NOISE * logits.std()
        drawn.add(draw(job, one[:length], noisy[None].contiguous()))
    return {one[length], other[length]} <= drawn


def logits_after(decoder: Decoder, token_ids: list[int]) -> Tensor:
    found: list[Tensor] = []
    recorded = Recording(decoder, found.append)
    run(engine_of(recorded, num_blocks=64), job_of(token_ids, max_tokens=1))
    return found[0][0]


class Recording:
    """A model that shows its logits."""

    def __init__(self, decoder: Decoder, show: Callable[[Tensor], None]) -> None:
        self.vocab_size, self.layers, self.forward = decoder.vocab_size, decoder.layers, decoder.forward
        self._decoder = decoder
        self._show = show

    def logits(self, hidden: Tensor) -> Tensor:
        logits = self._decoder.logits(hidden)
        self._show(logits.clone())
        return logits


def draw(job: Generation, taken: Sequence[int], logits: Tensor) -> int:
    state = SamplerState(job.sampling, seed=job.seed, choice=job.choice)
    for token_id in taken:
        state.take(token_id)
    (found,) = Sampler(logits.shape[1], CPU).draw(logits, [state], logprobs=[False])
    assert not isinstance(found, BackendError)
    return found.token_id


def test_no_tensor_depends_on_the_default_device(tmp_path: Path) -> None:
    """On the device `meta` nothing has values: whatever is made there by mistake fails, or gives another answer."""
    source = open_source(random_folder(tmp_path))
    weights = load(source, dtype=torch.float32, device=CPU)

    def answers() -> list[list[int]]:
        decoder = Decoder(source.config, weights, ReferenceKernels(), max_positions=512)
        return [inbox.ids for inbox in run(engine_of(decoder, num_blocks=64), *jobs_of(8))]

    expected = answers()
    with torch.device("meta"):
        assert answers() == expected
