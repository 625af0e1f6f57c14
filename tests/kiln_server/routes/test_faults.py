"""What goes wrong while a request is served, on a real socket: it is told, counted, and harms nobody else."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest
import structlog
from msgspec.structs import replace

from kiln_server import cycle, streaming
from kiln_server.app import create_app
from kiln_server.backend import Generation, TokenEvent
from kiln_server.backends.bytes_tokenizer import BytesTokenizer
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from kiln_server.plan import MAX_STOP_CHARS
from kiln_server.routes.inference import AT_ONCE_BYTES
from kiln_server.service import Service
from tests.kiln_server.live import Live, serving, wait_until
from tests.kiln_server.routes.scripted import BATCH, CHAT, HELLO, SCORE, refused
from tests.kiln_server.services import ready_service

LETTERS = {"answers": [list("abcdef")], "delay_ms": 1}


class Faulty(MockBackend):
    """Fails after two tokens, as a backend with a fault of its own does."""

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        return self._broken(super().generate(job))

    async def _broken(
        self, batches: AsyncGenerator[Sequence[TokenEvent], None]
    ) -> AsyncGenerator[Sequence[TokenEvent], None]:
        yield await anext(batches)
        yield await anext(batches)
        raise ZeroDivisionError("layers")


@pytest.fixture
def faulty() -> Iterator[Live]:
    with serving(create_app(ready_service(Faulty(parse(LETTERS))))) as live:
        yield live


class TestFaultOfTheBackend:
    def test_ends_a_stream_with_an_error(self, faulty: Live) -> None:
        events = faulty.ask("POST", CHAT, json={"messages": HELLO, "stream": True}).text.split("\n\n")
        assert '"content":"b"' in events[-4]
        assert '"code":"generation_error"' in events[-3]
        assert events[-2:] == ["data: [DONE]", ""]

    def test_marks_the_items_of_a_batch(self, faulty: Live) -> None:
        answer = faulty.ask("POST", BATCH, json={"prompts": [HELLO, HELLO]})
        assert [(item["finish_reason"], item["text"]) for item in answer.json()["completions"]] == [("error", "ab")] * 2

    @pytest.mark.parametrize("n", [1, 2])
    def test_is_an_error_of_generation(self, faulty: Live, n: int) -> None:
        with structlog.testing.capture_logs() as logs:
            assert refused(faulty, CHAT, {"messages": HELLO, "n": n})[:2] == (500, "generation_error")
        assert any(isinstance(line.get("exc_info"), ZeroDivisionError) for line in logs)


def test_a_fault_of_the_servers_own_ends_a_stream_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(_: Any) -> bytes:
        raise ZeroDivisionError("usage")

    monkeypatch.setattr(streaming.ChatStream, "_usage", break_down)
    service = ready_service(MockBackend(parse(LETTERS)))
    with serving(create_app(service)) as live, structlog.testing.capture_logs() as logs:
        text = live.ask("POST", CHAT, json={"messages": HELLO, "stream": True}).text
    assert '"code":"internal_error"' in text.split("\n\n")[-3]
    assert "usage" not in text
    assert text.endswith("data: [DONE]\n\n")
    (line,) = (line for line in logs if line["event"] == "unforeseen")
    assert isinstance(line["exc_info"], ZeroDivisionError)
    assert service.recent.newest_first()[0].error_code == "internal_error"


def is_connected(live: Live, client: socket.socket) -> bool:
    """Whether the server's side of a connection is still there."""
    ends = (live.port, client.getsockname()[1])
    connections = psutil.Process().net_connections("tcp4")
    return any((each.laddr.port, each.raddr.port) == ends for each in connections if each.raddr)


@pytest.mark.parametrize(
    ("limits", "end"),
    [
        ({"request_timeout_s": 0.5}, ("request_timeout", "timeout")),
        ({}, (None, "cancelled")),
    ],
    ids=["until the deadline", "until it was waited for long enough"],
)
def test_a_client_that_reads_nothing_keeps_no_place(
    limits: dict[str, float], end: tuple[str | None, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "LAST_WORDS_S", 0.2)
    monkeypatch.setattr(cycle, "CLOSING_S", 0.2)
    monkeypatch.setattr(cycle, "UNREAD_S", 1.0)
    long = {"context_length": 10**7, "answers": [["x" * 1000] * 50_000]}
    service = ready_service(MockBackend(parse(long)), max_running_requests=1, keep_alive_s=0.1, **limits)
    body = b'{"messages":[{"role":"user","content":"hi"}],"stream":true,"max_tokens":50000}'
    head = b"POST %b HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    with serving(create_app(service)) as live, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect((live.host, live.port))
        deaf.sendall(head % (CHAT.encode(), len(body)) + body)
        wait_until(lambda: service.admission.running == 1)
        wait_until(lambda: service.admission.running == 0)
        assert live.ask("POST", CHAT, json={"messages": HELLO, "max_tokens": 1}).status_code == 200
        wait_until(lambda: not is_connected(live, deaf))
        wait_until(lambda: any(request.stream for request in service.recent.newest_first()))
    kept = next(request for request in service.recent.newest_first() if request.stream)
    assert (kept.error_code, kept.outcome) == end


class Gated(BytesTokenizer):
    """Encodes long texts only once it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.encoding = threading.Event()
        self.gate = threading.Event()

    def encode(self, text: str) -> list[int]:
        if len(text) > AT_ONCE_BYTES:
            self.encoding.set()
            assert self.gate.wait(20), "nobody else was served"
        return super().encode(text)


LONG = "x" * (AT_ONCE_BYTES + 1)


class TestLongRequest:
    @pytest.fixture
    def tokenizer(self) -> Gated:
        return Gated()

    @pytest.fixture
    def service(self, tokenizer: Gated) -> Service:
        backend = MockBackend(parse({"answers": [["a"]]}))
        backend.text = replace(backend.text, tokenizer=tokenizer)
        return ready_service(backend)

    @pytest.fixture
    def live(self, service: Service) -> Iterator[Live]:
        with serving(create_app(service)) as running:
            yield running

    @pytest.mark.parametrize(
        ("path", "request_"),
        [
            (CHAT, {"messages": [{"role": "user", "content": LONG}]}),
            (BATCH, {"prompts": [[{"role": "user", "content": LONG}]]}),
            (SCORE, {"prompt": LONG, "prompt_logprobs": 0, "max_tokens": 0}),
        ],
    )
    def test_others_are_served_while_it_is_planned(
        self, live: Live, tokenizer: Gated, path: str, request_: dict[str, Any]
    ) -> None:
        with ThreadPoolExecutor(1) as pool:
            long = pool.submit(refused, live, path, request_)
            assert tokenizer.encoding.wait(20)
            assert live.ask("GET", "/livez").status_code == 200
            assert live.ask("POST", CHAT, json={"messages": HELLO}).status_code == 200
            tokenizer.gate.set()
            assert long.result()[:2] == (400, "context_length_exceeded")

    def test_ends_with_its_client_and_with_the_drain(self, live: Live, service: Service, tokenizer: Gated) -> None:
        with ThreadPoolExecutor(1) as pool:
            long = pool.submit(refused, live, CHAT, {"messages": [{"role": "user", "content": LONG}]})
            wait_until(lambda: service.lifecycle.in_flight == 1)

            async def drain() -> None:
                service.lifecycle.begin_drain()
                service.lifecycle.cut_off()

            live.run(drain)
            assert long.result()[:2] == (503, "draining")
            tokenizer.gate.set()


class Noting(MockBackend):
    """Notes its jobs."""

    def __init__(self) -> None:
        super().__init__(parse(LETTERS))
        self.jobs: list[Generation] = []

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        self.jobs.append(job)
        return super().generate(job)


def test_an_id_that_a_client_uses_twice_names_two_jobs() -> None:
    backend = Noting()
    with serving(create_app(ready_service(backend))) as live:
        for _ in range(2):
            answer = live.ask("POST", CHAT, json={"messages": HELLO, "n": 2}, headers={"x-request-id": "same"})
            assert answer.headers["x-request-id"] == "same"
    assert len({job.request_id for job in backend.jobs}) == 4
    assert len({job.group for job in backend.jobs}) == 2
    assert all(job.request_id.startswith("same-") for job in backend.jobs)


@pytest.mark.parametrize(
    ("path", "request_", "answers"),
    [
        (CHAT, {"messages": HELLO}, 1),
        (CHAT, {"messages": HELLO, "n": 2}, 2),
        (CHAT, {"messages": HELLO, "stream": True}, 1),
        (BATCH, {"prompts": [HELLO, HELLO]}, 2),
    ],
)
def test_an_answer_that_breaks_off_is_counted_with_what_it_had(
    path: str, request_: dict[str, Any], answers: int
) -> None:
    slow = {"answers": [["x"] * 1000], "delay_ms": 5, "prompt_tail": "<think>\n", "special": {"</think>": 300}}
    service = ready_service(MockBackend(parse(slow)), default_thinking_budget_tokens=500)
    with serving(create_app(service)) as live:
        raw = json.dumps(request_).encode()
        with live.connect() as client:
            head = (
                f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(raw)}\r\n"
            )
            client.sendall(head.encode() + b"\r\n" + raw)
            wait_until(lambda: b"kiln_tokens_generated_total 0.0" not in live.ask("GET", "/metrics").content)
        wait_until(lambda: bool(service.recent.newest_first()))
        metrics = live.ask("GET", "/metrics").text
    (kept,) = service.recent.newest_first()
    assert f'kiln_thinking_budget_outcomes_total{{outcome="interrupted"}} {answers}.0' in metrics
    assert "kiln_request_ttft_seconds_count 1.0" in metrics
    assert kept.outcome == "cancelled"
    assert kept.completion_tokens is not None
    assert f"kiln_tokens_generated_total {kept.completion_tokens}.0" in metrics
    assert kept.thinking_budget is not None
    assert kept.ttft_ms is not None


class TestScoringRefusals:
    def test_too_many_candidates_of_a_text(self) -> None:
        with serving(create_app(ready_service(MockBackend(parse({"context_length": 100_000}))))) as live:
            asked = {"prompt": "a" * 4096, "prompt_logprobs": 16, "max_tokens": 0}
            assert refused(live, SCORE, asked) == (400, "completion_invalid_request", [("", "scoring.candidates")])

    def test_an_active_default_adapter(self) -> None:
        with serving(create_app(ready_service(default_adapter="x"))) as live:
            asked = {"prompt": [0, 1], "prompt_logprobs": 1, "max_tokens": 0}
            assert refused(live, SCORE, asked) == (400, "completion_invalid_request", [("", "scoring.no-adapter")])

    def test_a_backend_that_cannot(self) -> None:
        backend = MockBackend()
        backend.capabilities = replace(backend.capabilities, scoring=False)
        with serving(create_app(ready_service(backend))) as live:
            asked = {"prompt": [0, 1], "prompt_logprobs": 1, "max_tokens": 0}
            assert refused(live, SCORE, asked) == (400, "completion_invalid_request", [])

    @pytest.mark.parametrize("stream", [None, "yes", 1])
    def test_what_is_no_switch(self, stream: Any) -> None:
        with serving(create_app(ready_service())) as live:
            asked = {"prompt": [0, 1], "prompt_logprobs": 1, "max_tokens": 0, "stream": stream}
            assert refused(live, SCORE, asked)[:2] == (422, "contract_violation")


def param(live: Live, path: str, request_: dict[str, Any]) -> tuple[str, str]:
    error = live.ask("POST", path, json=request_).json()["error"]
    return error["code"], error["param"]


def test_errors_name_the_member_that_the_endpoint_has() -> None:
    long = [{"role": "user", "content": "x" * 5000}]
    two = [{"name": "y", "scale": 1.0}, {"name": "z", "scale": 1.0}]
    with serving(create_app(ready_service())) as live:
        assert param(live, CHAT, {"messages": long}) == ("context_length_exceeded", "messages")
        assert param(live, BATCH, {"prompts": [HELLO, long]}) == ("context_length_exceeded", "prompts")
        assert param(live, BATCH, {"prompts": [HELLO, []]}) == ("invalid_messages", "prompts")
        assert param(live, CHAT, {"messages": HELLO, "adapter": "y"}) == ("adapter_not_found", "adapter")
        assert param(live, CHAT, {"messages": HELLO, "adapters": two}) == ("adapter_not_found", "adapters")


@pytest.mark.parametrize(("size", "status"), [(MAX_STOP_CHARS, 200), (MAX_STOP_CHARS + 1, 400)])
@pytest.mark.parametrize("path", [CHAT, BATCH])
def test_stop_strings_are_bounded_in_all(path: str, size: int, status: int) -> None:
    stop = ["s" * (size // 2), "t" * (size - size // 2), ""]
    conversation: dict[str, Any] = {"messages": HELLO} if path == CHAT else {"prompts": [HELLO]}
    with serving(create_app(ready_service())) as live:
        answer = live.ask("POST", path, json={**conversation, "stop": stop})
    assert answer.status_code == status
    if status == 400:
        assert answer.json()["error"]["param"] == "stop"


def test_a_text_too_long_to_score_is_told_in_numbers() -> None:
    with serving(create_app(ready_service(MockBackend(parse({"context_length": 20}))))) as live:
        answer = live.ask("POST", SCORE, json={"prompt": "a" * 30, "prompt_logprobs": 0, "max_tokens": 1})
    message = "the context holds 20 tokens; the prompt has 30 and 1 more were requested"
    assert answer.json()["error"]["message"] == message
