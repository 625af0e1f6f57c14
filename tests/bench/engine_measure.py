"""Puts contenders to work, in turns, every sample between two probes of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from math import ceil
from pathlib import Path
from typing import Final

from tests.bench.engine_models import folder_of, gguf_of, openvino_of
from tests.bench.engine_peers import KILN_TORCH, LLAMA_CPP, OPENVINO
from tests.bench.engine_peers.peer import Load
from tests.bench.engine_process import Contender, PeerError, Process, Reply
from tests.bench.engine_result import Result, Sample
from tests.bench.engine_work import TRIES, WARM_UP_TOKENS, Work
from tests.bench.foreign import ForeignTime
from tests.bench.probe import Probe
from tests.bench.progress import Progress

LAGGARD: Final = 3.0
"""A contender that takes this many times as long as the fastest one is measured in the first rounds only."""
LAGGARD_ROUNDS: Final = 2
MAX_FOREIGN: Final = 0.05
"""A sample is taken again when other processes had more than this share of the processors."""


@dataclass(frozen=True)
class Bench:
    """Where models and logs are, and how the work is done."""

    models: Path
    threads: int
    probe: Probe
    progress: Progress
    patience_s: float = 150.0
    """What a contender may be expected to take for the prompts of one piece of work; one that takes longer is left
    out."""

    def measure(self, work: Work, contenders: Sequence[Contender]) -> Result:
        """Samples of every contender that can do the work."""
        is_prefill = work.kind == "prefill"
        tokens = work.context if is_prefill else work.streams
        result = Result(work.title, tokens, None if is_prefill else work.step_bytes())
        chosen = [each for each in contenders if work.inexact or each.peer != KILN_TORCH]
        with self._ready(work, chosen, result) as processes:
            if is_prefill:
                self._prefill(work, processes, result)
            else:
                self._decode(work, processes, result)
        return result

    @contextmanager
    def _ready(self, work: Work, contenders: Sequence[Contender], result: Result) -> Iterator[list[Process]]:
        """The contenders as processes that have loaded the model and done a bit of everything."""
        self.progress.begin(f"{work.title}: loading")
        with ExitStack() as stack, ThreadPoolExecutor(2) as pool:
            started = {each: stack.enter_context(self.process(each)) for each in contenders}
            loading = {each: pool.submit(self.load, work, each, process) for each, process in started.items()}
            failed = {each: future.exception() for each, future in loading.items()}
            for each, error in failed.items():
                if error is not None:
                    if not isinstance(error, PeerError):
                        raise error
                    result.left_out[each.name] = str(error)
            able = [process for each, process in started.items() if failed[each] is None]
            expected = {process.name: self._warm_up(work, process) for process in able}
            for name, seconds in expected.items():
                if seconds > self.patience_s:
                    result.left_out[name] = f"its prompts would take about {seconds:,.0f} s"
            yield [process for process in able if process.name not in result.left_out]

    def process(self, contender: Contender) -> Process:
        return Process(contender, self.models / f"{contender.name}.log")

    def load(self, work: Work, contender: Contender, process: Process) -> None:
        """Have the model loaded, in the form that the contender reads. Raises PeerError."""
        if contender.peer == LLAMA_CPP:
            path = gguf_of(work.shape, self.models, contender.dtype)
        elif contender.peer == OPENVINO:
            path = openvino_of(work.shape, self.models, contender.python)
        else:
            path = folder_of(work.shape, self.models)
        gigabytes = work.cache_bytes(contender.dtype) / 1e9
        process.load(
            Load(str(path), contender.dtype, self.threads, work.streams, work.positions, cache_gb=ceil(gigabytes))
        )

    def _warm_up(self, work: Work, process: Process) -> float:
        """Try everything once; returns how long the work's prompts can be expected to take, in seconds."""
        prompt = work.prompts(seed=-1)[0]
        prompt = (prompt * WARM_UP_TOKENS)[:WARM_UP_TOKENS]
        seconds = 0.0
        for _ in range(2):
            seconds = process.begin([prompt], 8).seconds
            process.advance(2)
            process.end()
        repeats = work.rounds if work.kind == "prefill" else 1
        return seconds / WARM_UP_TOKENS * work.num_rows * repeats

    def _prefill(self, work: Work, processes: Sequence[Process], result: Result) -> None:
        seeds = count()

        def sample(process: Process) -> Reply:
            reply = process.begin(work.prompts(next(seeds)), 1)
            process.end()
            return reply

        self._rounds(work, processes, result, sample, 1)

    def _decode(self, work: Work, processes: Sequence[Process], result: Result) -> None:
        for process in processes:
            self.progress.begin(f"{work.title}: prompts for {process.name}")
            process.begin(work.prompts(0), work.rounds * TRIES * work.steps)
            process.advance(2)
        self._rounds(work, processes, result, lambda process: process.advance(work.steps), work.steps)

    def _rounds(
        self,
        work: Work,
        processes: Sequence[Process],
        result: Result,
        take: Callable[[Process], Reply],
        steps: int,
    ) -> None:
        """A sample of each in every round; laggards are in the first rounds only."""
        taking_part = list(processes)
        for number in range(work.rounds):
            self.progress.begin(f"{work.title}: round {number + 1}")
            for process in _turned(taking_part, number):
                sample = self._sample(number, process, take, steps)
                result.samples.setdefault(process.name, []).append(sample)
            if number + 1 >= LAGGARD_ROUNDS:
                fastest = min(map(result.seconds, result.samples))
                taking_part = [each for each in taking_part if result.seconds(each.name) <= LAGGARD * fastest]

    def _sample(self, number: int, process: Process, take: Callable[[Process], Reply], steps: int) -> Sample:
        """One sample, taken again when others were busy meanwhile; of several tries the least disturbed one."""
        tries: list[Sample] = []
        while len(tries) < TRIES and not (tries and tries[-1].foreign <= MAX_FOREIGN):
            before, foreign = self.probe.read(), ForeignTime()
            reply = take(process)
            share = foreign.share(reply.cpu_seconds)
            phases = {name: seconds / steps for name, seconds in reply.phases.items()}
            tries.append(Sample(number, reply.seconds / steps, before, self.probe.read(), share, phases))
        return min(tries, key=lambda sample: sample.foreign)


def _turned(processes: Sequence[Process], number: int) -> list[Process]:
    """All of them, each round starting with another one."""
    first = number % len(processes) if processes else 0
    return [*processes[first:], *processes[:first]]


def averages(samples: Sequence[Sample]) -> Mapping[str, float]:
    """Mean seconds of each phase."""
    names = dict.fromkeys(name for sample in samples for name in sample.phases)
    return {name: sum(sample.phases[name] for sample in samples) / len(samples) for name in names}
