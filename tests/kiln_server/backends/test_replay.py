"""Recording a backend and replaying it: the two together, and each where it must refuse."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import structlog

from kiln_server.backend import Adapter, AdapterRef, Backend, BackendError, Capabilities, Identity, Progress, TokenEvent
from kiln_server.backends import record, recording, replay
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.record import RecordingBackend
from kiln_server.backends.replay import ReplayBackend
from kiln_server.testing import BackendContract, CountingGate, collect

from .jobs import job, mock, read_until_failure, scoring

pytestmark = pytest.mark.anyio

SAMPLED: dict[str, Any] = {"logits": [[math.sin(7 * index) for index in range(256)]]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.jsonl"


async def recorder(backend: Backend, path: Path) -> RecordingBackend:
    recorded = RecordingBackend(backend, path)
    await recorded.start(print)
    return recorded


def essence(events: Sequence[TokenEvent]) -> list[tuple[Any, ...]]:
    return [(event.token_id, event.forced, event.logprob, event.finish) for event in events]


class TestRecording(BackendContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "recording.jsonl"

    def create(self) -> Backend:
        return RecordingBackend(mock(**SAMPLED), self.path)


# What is replayed


async def test_the_same_jobs_get_the_same_events(path: Path) -> None:
    recorded = await recorder(mock(**SAMPLED), path)
    jobs = [
        job(seed=seed, choice=choice, prompt_ids=prompt_ids, logprobs=True, max_tokens=9)
        for seed in (1, 2)
        for choice in (0, 1)
        for prompt_ids in ((1, 2), (3,))
    ]
    originals = [essence(await collect(recorded, each)) for each in jobs]
    replayed = ReplayBackend(path)
    assert [essence(await collect(replayed, each)) for each in reversed(jobs)] == originals[::-1]


async def test_both_say_what_they_do_with_which_file(path: Path) -> None:
    recorded = await recorder(mock(answers=[["a"]]), path)
    assert recorded.description == f"mock (no model: a script), recorded in {path}"
    assert ReplayBackend(path).description == f"replay of {path}"


async def test_an_unknown_seed_gets_the_first_recorded_answer(path: Path) -> None:
    recorded = await recorder(mock(**SAMPLED), path)
    originals = [essence(await collect(recorded, job(seed=seed, max_tokens=9))) for seed in (1, 2)]
    assert originals[0] != originals[1]
    assert essence(await collect(ReplayBackend(path), job(seed=3, max_tokens=9))) == originals[0]


async def test_a_budget_acts_on_the_recorded_candidates(path: Path) -> None:
    recorded = await recorder(mock(answers=[["a", "b", "c", "d"]]), path)
    original = await collect(recorded, job(gate=CountingGate(88, frozenset({1, 2}))))
    replayed = ReplayBackend(path)
    gate = CountingGate(88, frozenset({1, 2}))
    assert essence(await collect(replayed, job(gate=gate))) == essence(original)
    assert [event.token_id for event in await collect(replayed, job())] == [*b"abcd", 256]


async def test_a_failure_is_replayed_after_its_tokens(path: Path) -> None:
    recorded = await recorder(mock(answers=[["a", "b", "c"]], fail_after=2), path)
    original = await read_until_failure(recorded.generate(job()))
    assert original[0] == [97, 98]
    assert await read_until_failure(ReplayBackend(path).generate(job())) == original


async def test_scores_come_back_impossible_ones_included(path: Path) -> None:
    recorded = await recorder(mock(logits=[[1.0, None, 2.0, 0.5]]), path)
    original = await recorded.score(scoring((0, 1, 2), 2))
    assert original.positions[0][0].logprob == -math.inf
    replayed = ReplayBackend(path)
    assert await replayed.score(scoring((0, 1, 2), 2)) == original
    for unknown in (scoring((0, 1, 2), 1), scoring((0, 2), 2)):
        with pytest.raises(BackendError, match=r"no scores of this prompt of \d tokens with top_k \d were recorded$"):
            await replayed.score(unknown)


async def test_texts_and_tokens_are_those_of_the_recorded_tokenizer(path: Path) -> None:
    recorded = await recorder(mock(answers=[["Hello"]], special={"<think>": 300}), path)
    spoken = recorded.text.tokenizer
    assert spoken.encode("ab") == spoken.encode("ab") == [97, 98]
    assert spoken.encode_prompt("ab") == [97, 98]
    assert spoken.token_bytes(257) == spoken.token_bytes(257) == b"Hello"
    with pytest.raises(ValueError, match="surrogates"):
        spoken.encode("\ud83d")
    assert len(recording.read(path)[1]) == 3  # each once
    replayed = ReplayBackend(path)
    tokenizer = replayed.text.tokenizer
    assert (tokenizer.eos_ids, tokenizer.leading_space) == (spoken.eos_ids, False)
    assert tokenizer.special_ids == spoken.special_ids
    assert tokenizer.encode("ab") == tokenizer.encode_prompt("ab") == [97, 98]
    assert tokenizer.token_bytes(257) == b"Hello"
    assert tokenizer.token_bytes(258) == b""
    assert replayed.text.chat_template == recorded.text.chat_template


async def test_text_that_was_not_recorded_has_ids_of_its_own(path: Path) -> None:
    await recorder(mock(special={"<think>": 300}), path)
    tokenizer = ReplayBackend(path).text.tokenizer
    ids = tokenizer.encode("é")
    assert min(ids) > 300
    assert b"".join(map(tokenizer.token_bytes, ids)).decode() == "é"
    assert tokenizer.encode_prompt("é") == ids


class RenderingTokenizer:
    """A tokenizer with rules of its own for rendered prompts."""

    eos_ids = frozenset({2})
    special_ids: dict[str, int] = {"<s>": 1}  # noqa: RUF012 - a stand-in
    leading_space = True

    def encode(self, text: str) -> list[int]:
        return [10 + len(text)]

    def encode_prompt(self, text: str) -> list[int]:
        return [1, *self.encode(text)]

    def encode_rendered(self, text: str, trusted_spans: Sequence[tuple[int, int]]) -> list[int]:
        return [100 + start for start, _ in trusted_spans] + self.encode(text)

    def token_bytes(self, token_id: int) -> bytes:
        return b" " * token_id


async def test_rendered_prompts_are_replayed_for_tokenizers_that_encode_them(path: Path) -> None:
    backend = MockBackend()
    backend.text = type(backend.text)(tokenizer=RenderingTokenizer())
    recorded = await recorder(backend, path)
    spoken: Any = recorded.text.tokenizer
    for spans in ((0, 1),), ((1, 2), (3, 4)):
        spoken.encode_rendered("four", spans)
    replayed: Any = ReplayBackend(path).text.tokenizer
    assert replayed.encode_rendered("four", [(1, 2), (3, 4)]) == [101, 103, 14]
    assert replayed.encode_rendered("four", [(0, 1)]) == [100, 14]
    assert len(replayed.encode_rendered("four", ())) == 4
    assert replayed.leading_space


async def test_only_those(path: Path) -> None:
    recorded = await recorder(MockBackend(), path)
    assert not hasattr(recorded.text.tokenizer, "encode_rendered")
    assert not hasattr(ReplayBackend(path).text.tokenizer, "encode_rendered")


async def test_what_it_claims_to_be(path: Path) -> None:
    backend = MockBackend(adapters=[Adapter("tone", "sha256:00")], model_id="m")
    backend.capabilities = Capabilities(
        context_length=9, vocab_size=7, batching=True, adapters=True, phases=frozenset({"sampling"})
    )
    backend.identity = Identity(
        served_model_id="m", implementation="x", generation_backend="y", base_model_sha256="sha256:01"
    )
    recorded = await recorder(backend, path)
    await collect(recorded, job(adapters=(AdapterRef("tone", 0.5),)))
    replayed = ReplayBackend(path)
    assert replayed.capabilities == Capabilities(context_length=9, vocab_size=7, adapters=True)
    assert replayed.identity == Identity(
        served_model_id="m", implementation="kiln-replay", generation_backend="replay", base_model_sha256="sha256:01"
    )
    assert replayed.adapters() == (Adapter("tone", "sha256:00"),)
    assert len(await collect(replayed, job(adapters=(AdapterRef("tone", 0.5),)))) == 1
    for others in ((), (AdapterRef("tone", 0.6),)):
        with pytest.raises(BackendError, match="no answer to this prompt"):
            await collect(replayed, job(adapters=others))


async def test_it_starts_at_once_and_closes(path: Path) -> None:
    await collect(await recorder(mock(answers=[["a"]]), path), job())
    replayed = ReplayBackend(path)
    reached: list[Progress] = []
    await replayed.start(reached.append)
    assert [progress.fraction for progress in reached] == [1.0]
    assert replayed.spans("r") == ()
    await replayed.close()
    with pytest.raises(BackendError, match="closed"):
        await collect(replayed, job())


# What cannot be replayed


async def test_an_unknown_prompt_is_named_as_such(path: Path) -> None:
    recorded = await recorder(mock(answers=[["a"]]), path)
    await collect(recorded, job())
    replayed = ReplayBackend(path)
    for unknown in (job(prompt_ids=(1, 2, 3)), job(choice=1)):
        with pytest.raises(BackendError, match=r"no answer to this prompt of \d tokens was recorded$"):
            await collect(replayed, unknown)
    assert replayed.stats().running == 0


async def test_no_token_is_made_up_where_a_recording_ends(path: Path) -> None:
    recorded = await recorder(mock(answers=[["a", "b", "c"]]), path)
    batches = recorded.generate(job(gate=CountingGate()))
    await anext(batches)
    await anext(batches)
    assert recorded.stats().running == 1
    await batches.aclose()  # as the server does at a stop string
    assert recorded.stats().running == 0
    seen, message = await read_until_failure(ReplayBackend(path).generate(job()))
    assert seen == [97, 98]
    assert message == "the recording has 2 tokens of this answer, and it goes on"
    assert [event.finish for event in await collect(ReplayBackend(path), job(max_tokens=2))] == [None, "length"]


async def test_answers_recorded_by_the_order_of_calls(path: Path) -> None:
    recorded = await recorder(mock(answers=[["a"], ["b"]]), path)
    first, second = recorded.generate(job(choice=0)), recorded.generate(job(choice=1))
    assert [event.token_id async for batch in second for event in batch] == [98, 256]
    assert [event.token_id async for batch in first for event in batch] == [97, 256]


# Time


async def test_paced_replay_takes_its_time_and_plain_replay_none(path: Path) -> None:
    recorded = await recorder(mock(answers=[["a"] * 4], delay_ms=40), path)
    await collect(recorded, job())
    began = monotonic()
    await collect(ReplayBackend(path, paced=True), job())
    between = monotonic()
    await collect(ReplayBackend(path), job())
    assert between - began >= 0.19
    assert monotonic() - between < 0.15


# Files


async def test_a_recording_never_replaces_a_file(path: Path) -> None:
    class Loading(MockBackend):
        async def start(self, progress: Callable[[Progress], None]) -> None:  # noqa: ARG002
            raise AssertionError("a model is loaded in vain")

    path.write_text("precious")
    with pytest.raises(BackendError, match="none is ever replaced"):
        await recorder(Loading(), path)
    assert path.read_text() == "precious"


async def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="cannot make the recording"):
        await recorder(MockBackend(), tmp_path / "no" / "such" / "folder.jsonl")


async def test_a_recording_is_its_owners_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        recorded = await recorder(mock(answers=[["a"]]), path)
        await collect(recorded, job())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.unlink()  # under the recorder's hands
        await collect(recorded, job())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True)])
async def test_one_that_others_may_read_is_warned_of(path: Path, mode: int, warned: bool) -> None:
    await recorder(MockBackend(), path)
    path.chmod(mode)
    with structlog.testing.capture_logs() as logs:
        ReplayBackend(path)
    assert [entry["event"] for entry in logs] == ["recording_readable_by_others"] * warned


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, r"cannot read the recording .*: No such file"),
        ("", r"line 1: Input data was truncated"),
        ('{"record": "token", "id": 1, "data": ""}', r"line 1: Invalid value 'token' - at `\$\.record`"),
        ("HEADER\n{", r"line 2: Input data was truncated"),
        ('HEADER\n{"record": "token", "id": "x", "data": ""}', r"line 2: Expected `int`, got `str` - at `\$\.id`"),
        ('HEADER\n{"record": "tune"}', r"line 2: Invalid value 'tune'"),
        ('HEADER\n{"record": "token", "id": 1, "data": "é"}', r"line 2: Invalid base64"),
    ],
)
async def test_faulty_recordings_are_named_with_their_line(path: Path, content: str | None, complaint: str) -> None:
    await recorder(MockBackend(), path)
    header = path.read_text().strip()
    path.unlink()
    if content is not None:
        path.write_text(content.replace("HEADER", header))
    with pytest.raises(BackendError, match=complaint):
        ReplayBackend(path)


# Options


async def test_made_from_options(path: Path) -> None:
    recorded = record.create({"backend": "mock", "file": str(path), "model": "m"})
    await recorded.start(print)
    assert recorded.identity.served_model_id == "m"
    assert replay.create({"file": str(path)}).identity.served_model_id == "m"
    assert replay.create({"file": str(path), "pace": "recorded"}).stats().running == 0
    for factory, options, complaint in (
        (record.create, {"file": str(path)}, "needs the option 'backend'"),
        (record.create, {"backend": "mock"}, "needs the option 'file'"),
        (record.create, {"backend": "mock", "file": "x", "zip": "1"}, "the mock backend has no option 'zip'"),
        (record.create, {"backend": "mok", "file": "x"}, "did you mean 'mock'"),
        (replay.create, {}, "needs the option 'file'"),
        (replay.create, {"file": str(path), "pase": "none"}, "did you mean 'pace'"),
        (replay.create, {"file": str(path), "pace": "fast"}, "none or recorded, not 'fast'"),
    ):
        with pytest.raises(BackendError, match=complaint):
            factory(options)
