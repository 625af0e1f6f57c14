"""A live server over the mock backend, playing a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import kiln_contract as kc
from kiln_server.app import create_app
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from tests.kiln_server.live import Live, serving
from tests.kiln_server.services import ready_service

CHAT = "/v1/chat/completions"
BATCH = "/v1/completions/batch"
SCORE = "/v1/completions"
HELLO = [{"role": "user", "content": "hi"}]


@contextmanager
def playing(
    answers: list[list[Any]] | None = None, *, settings: dict[str, Any] | None = None, **script: Any
) -> Iterator[Live]:
    """A server whose model plays `answers`; without any it echoes the last user message."""
    document = script | ({} if answers is None else {"answers": answers})
    backend = MockBackend(parse(document)) if document else MockBackend()
    with serving(create_app(ready_service(backend, **(settings or {})))) as live:
        yield live


class Streamed(NamedTuple):
    """A stream that was read to its end; `events` without [DONE]."""

    events: list[dict[str, Any]]
    raw: bytes
    result: kc.stream.StreamResult

    def joined(self, member: str) -> str:
        """All text of one kind of delta."""
        return "".join(delta.get(member, "") for delta in self.deltas)

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [event["choices"][0]["delta"] for event in self.events if event.get("choices")]

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [call for delta in self.deltas for call in delta.get("tool_calls", [])]

    @property
    def finish(self) -> dict[str, Any]:
        return next(event for event in self.events if event.get("choices") and "finish_reason" in event["choices"][0])

    @property
    def finish_reason(self) -> str:
        return str(self.finish["choices"][0]["finish_reason"])

    @property
    def timings(self) -> list[dict[str, Any]]:
        return [event for event in self.events if event.get("object") == "kiln.token_timing"]


def stream(live: Live, **members: Any) -> Streamed:
    """Ask for a stream and hold it against the contract's grammar, with its request at hand."""
    request = {"messages": HELLO, "stream": True, **members}
    answer = live.ask("POST", CHAT, json=request)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    result = kc.validate_stream(answer.content, request)
    assert result.violations == []
    payloads = [event.data for event in kc.sse.Decoder().feed(answer.content)]
    assert payloads[-1] == "[DONE]"
    return Streamed([json.loads(payload) for payload in payloads[:-1]], answer.content, result)


def chat(live: Live, **members: Any) -> dict[str, Any]:
    """Ask for a whole completion and hold the pair against the contract."""
    request = {"messages": HELLO, **members}
    answer = live.ask("POST", CHAT, json=request)
    assert answer.status_code == 200, answer.text
    response: dict[str, Any] = answer.json()
    assert kc.validate_exchange(request, response) == []
    return response


def message(response: dict[str, Any], index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = response["choices"][index]["message"]
    return found


def refused(live: Live, path: str, request: Any) -> tuple[int, str, list[tuple[str, str]]]:
    """The status, the code and the violations of a refused request."""
    if isinstance(request, bytes):
        answer = live.ask("POST", path, body=request)
    else:
        answer = live.ask("POST", path, json=request)
    error = answer.json()["error"]
    return answer.status_code, error["code"], [(v["pointer"], v["rule"]) for v in error.get("violations", [])]
