"""The engine as a backend: what every backend promises, over a random model."""

from __future__ import annotations

import asyncio
import math
import threading
from contextlib import aclosing
from pathlib import Path
from typing import Any

import anyio
import pytest

from kiln_engine.assembly import assemble
from kiln_engine.backend import EngineBackend, create
from kiln_engine.options import EngineOptions
from kiln_server.backend import AdapterRef, Backend, BackendError, Choice, Generation, Progress, Sampling, Scoring
from kiln_server.testing import BackendContract, collect
from tests.kiln_engine.random_folder import NUM_UNUSED_ROWS, random_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_folder(tmp_path_factory.mktemp("random"))


def backend_of(folder: Path, **options: Any) -> EngineBackend:
    """A backend that will serve a model on the CPU, with a small cache."""
    values = {"device": "cpu", "kv_cache_bytes": 4 * 2**20} | options
    chosen = EngineOptions(model=str(folder), **values)
    return EngineBackend("a random model", lambda report: assemble(chosen, report))


class TestContract(BackendContract):
    @pytest.fixture(autouse=True)
    def _take_folder(self, folder: Path) -> None:
        self._folder = folder

    def create(self) -> Backend:
        return backend_of(self._folder)


class TestTightContract(TestContract):
    """With so few blocks that answers are preempted, and prompts cut into pieces."""

    def create(self) -> Backend:
        return backend_of(self._folder, kv_cache_bytes=2**20, block_size=4, prefill_chunk=3, max_num_seqs=3)


class Started:
    """A backend between start and close."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.progress: list[Progress] = []
        self.backend = backend_of(folder, **options)

    async def __aenter__(self) -> EngineBackend:
        await self.backend.start(self.progress.append)
        return self.backend

    async def __aexit__(self, *_: object) -> None:
        await self.backend.close()


def job_of(backend: Backend, **changes: Any) -> Generation:
    values: dict[str, Any] = {
        "request_id": "r",
        "group": "g",
        "prompt_ids": tuple(backend.text.tokenizer.encode("hello")),
        "choice": 0,
        "max_tokens": 8,
        "seed": 1,
        "sampling": Sampling(temperature=0.0),
        "ignore_eos": True,
    }
    return Generation(**(values | changes))


pytestmark = pytest.mark.anyio


class TestStarting:
    async def test_reports_what_it_does(self, folder: Path) -> None:
        started = Started(folder)
        async with started:
            await asyncio.sleep(0)
            phases = list(dict.fromkeys(progress.phase for progress in started.progress))
        assert phases == ["loading weights", "hashing weights", "ready"]

    async def test_says_what_is_loaded(self, folder: Path) -> None:
        async with Started(folder) as backend:
            identity, can = backend.identity, backend.capabilities
        assert identity.served_model_id == folder.name
        assert (can.context_length, can.vocab_size, can.batching) == (512, 259 + NUM_UNUSED_ROWS, True)
        hashes = (identity.base_model_sha256, identity.tokenizer_vocab_sha256, identity.inference_config_sha256)
        assert all(value is not None and value.startswith("sha256:") for value in hashes)

    async def test_another_number_format_is_another_identity(self, folder: Path) -> None:
        async with Started(folder, dtype="float32") as single, Started(folder, dtype="bfloat16") as half:
            assert single.identity.base_model_sha256 == half.identity.base_model_sha256
            assert single.identity.inference_config_sha256 != half.identity.inference_config_sha256

    async def test_a_small_cache_bounds_the_context(self, folder: Path) -> None:
        # 2 layers x 2 tensors x 2 heads x 8 x 4 bytes: 256 bytes a position, 4,096 a block.
        async with Started(folder, kv_cache_bytes=10 * 4096) as backend:
            assert backend.capabilities.context_length == 9 * 16
            events = await collect(backend, job_of(backend, max_tokens=9 * 16 - 5))
            assert len(events) == 9 * 16 - 5

    async def test_a_cache_without_room_is_refused(self, folder: Path) -> None:
        with pytest.raises(BackendError, match="give the cache more memory"):
            await Started(folder, kv_cache_bytes=4096).backend.start(lambda _progress: None)

    async def test_a_cache_that_no_memory_holds_is_told_with_its_settings(self, folder: Path) -> None:
        with pytest.raises(BackendError, match=r"[0-9] GiB, which cpu does not have: set a smaller kv_cache_memory"):
            await Started(folder, kv_cache_bytes=2**55).backend.start(lambda _progress: None)

    async def test_a_missing_model_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(BackendError, match="there is no model"):
            await Started(tmp_path).backend.start(lambda _progress: None)

    def test_what_will_answer_is_known_before_it_loads(self, folder: Path) -> None:
        assert create({"model": str(folder)}).description == f"{folder.name} (a Hugging Face folder)"

    def test_a_missing_model_is_told_before_anything_starts(self, tmp_path: Path) -> None:
        with pytest.raises(BackendError, match="there is no model"):
            create({"model": str(tmp_path)})


async def test_loading_leaves_no_thread_behind(folder: Path) -> None:
    """One that stays keeps OpenMP's threads, and then those of the engine sleep at every barrier."""
    before = set(threading.enumerate())
    async with Started(folder):
        for _ in range(100):  # a thread ends a moment after its work
            names = [thread.name for thread in set(threading.enumerate()) - before]
            if len(names) == 1:
                break
            await asyncio.sleep(0.02)
    assert names == ["kiln-engine"]


async def test_its_choices_are_told_with_their_reasons(folder: Path) -> None:
    async with Started(folder, kernels="torch", kv_cache_bytes=10 * 4096) as backend:
        kernels, limit = backend.capabilities.choices
    assert kernels == Choice("kernels", "torch", "asked for")
    assert (limit.name, limit.value) == ("max_model_len", str(backend.capabilities.context_length))
    assert "cache" in limit.reason


class TestAnswers:
    async def test_rows_without_a_token_are_never_drawn(self, folder: Path) -> None:
        async with Started(folder) as backend:
            hot = Sampling(temperature=1e6)
            events = await collect(backend, job_of(backend, sampling=hot, max_tokens=300, logprobs=True))
        assert max(event.token_id for event in events) < 259
        assert all(event.logprob == pytest.approx(-math.log(259), abs=1e-3) for event in events)

    async def test_a_token_that_the_model_does_not_have_is_refused(self, folder: Path) -> None:
        async with Started(folder) as backend:
            with pytest.raises(BackendError, match="token 999 has no row"):
                await collect(backend, job_of(backend, prompt_ids=(999,)))

    async def test_adapters_are_refused(self, folder: Path) -> None:
        async with Started(folder) as backend:
            with pytest.raises(BackendError, match="adapters"):
                await collect(backend, job_of(backend, adapters=(AdapterRef("a"),)))

    async def test_cancelled_ones_free_what_they_hold(self, folder: Path) -> None:
        async with Started(folder) as backend:
            async with aclosing(backend.generate(job_of(backend, max_tokens=400))) as batches:
                await anext(batches)
                assert backend.stats().running == 1
            with anyio.fail_after(5):
                while backend.stats().running or backend.stats().blocks_used:
                    await anyio.sleep(0.005)

    async def test_64_answers_compute_their_prompt_once(self, folder: Path) -> None:
        async with Started(folder) as backend, anyio.create_task_group() as tasks:
            for choice in range(64):
                job = job_of(backend, request_id=f"r{choice}", choice=choice, prompt_ids=(65,) * 17)
                tasks.start_soon(collect, backend, job)
        assert backend._assembled is not None
        records = backend._assembled.engine.records
        assert sum(record.num_prompt_rows for record in records) == 17

    async def test_times_are_told_once_it_has_run(self, folder: Path) -> None:
        async with Started(folder) as backend:
            await collect(backend, job_of(backend))
            phases = [span.phase for span in backend.spans("r")]
            assert phases[:3] == ["actor_queue", "actor_admission", "actor_prefill"]
            assert phases.count("actor_decode") == 7
            assert backend.spans("unknown") == ()


class TestClosing:
    async def test_before_starting_is_fine(self, folder: Path) -> None:
        await Started(folder).backend.close()

    async def test_ends_scoring_with_the_reason(self, folder: Path) -> None:
        async with Started(folder, prefill_chunk=1) as backend:
            async with anyio.create_task_group() as tasks:
                failures: list[BackendError] = []

                async def score() -> None:
                    try:
                        await backend.score(Scoring(request_id="s", prompt_ids=(65,) * 500, top_k=1))
                    except BackendError as error:
                        failures.append(error)

                tasks.start_soon(score)
                await anyio.sleep(0)
                await backend.close()
            assert [str(error) for error in failures] == ["the engine was closed before this was done"]
            with pytest.raises(BackendError, match="closed"):
                await collect(backend, job_of(backend))


class TestFactory:
    def test_takes_options_as_text(self) -> None:
        assert create({"block_size": "8", "prefix_cache": "false", "kv_cache_memory": "1GiB"})

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ({"block_size": "0"}, "like this: block_size: expected int >= 1$"),
            ({"block_size": "1025"}, "like this: block_size: expected int <= 1024$"),
            ({"dtype": "int8"}, "like this: dtype: invalid enum value 'int8'$"),
            ({"threads": "many"}, "like this: threads: expected "),
            ({"device": "tpu"}, "device"),
            ({"dtpe": "float32"}, "did you mean 'dtype'"),
            ({"kv_cache_memory": "plenty"}, "512MiB"),
        ],
    )
    def test_refuses_what_it_does_not_understand(self, options: dict[str, str], told: str) -> None:
        with pytest.raises(BackendError, match=told):
            create(options)

    def test_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("kiln_engine.backend.find_spec", lambda name: None if name == "torch" else object())
        with pytest.raises(BackendError, match=r"needs torch; pip install 'kiln-inference\[engine\]'.*--backend mock"):
            create({})
