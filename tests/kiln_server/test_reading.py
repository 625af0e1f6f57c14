"""Request bodies, on a real socket."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Route

from kiln_contract import ChatCompletionRequest, encode
from kiln_server.app import create_app
from kiln_server.reading import read
from kiln_server.refusals import CHAT
from kiln_server.routes.call import Call, Endpoint
from kiln_server.service import Service
from tests.kiln_server.live import Live, body_of, head_of, serving, wait_until
from tests.kiln_server.services import ready_service
from tests.kiln_server.traffic import check_error

LIMIT = 2048
GOOD = b'{"messages":[{"role":"user","content":"hi"}]}'


async def echo(call: Call) -> None:
    asked = await read(call, ChatCompletionRequest, CHAT)
    await call.answer_json(encode(asked))


@pytest.fixture(scope="module")
def service() -> Service:
    return ready_service(max_body_bytes=LIMIT, body_stall_timeout_s=0.5)


@pytest.fixture(scope="module")
def live(service: Service) -> Iterator[Live]:
    with serving(create_app(service, [Route("/read", Endpoint(echo), methods=["POST"])])) as server:
        yield server


def post(live: Live, body: bytes, *headers: bytes) -> tuple[int, str]:
    """The status and error code of a raw POST."""
    lines = b"".join(header + b"\r\n" for header in headers)
    head = b"POST /read HTTP/1.1\r\nhost: x\r\nconnection: close\r\n" + lines + b"\r\n"
    answer = live.raw(head + body)
    status, seen = head_of(answer)
    if status == 200:
        assert json.loads(body_of(answer))["messages"][0]["content"] == "hi"
        return status, ""
    error = check_error(status, seen, body_of(answer))
    return status, error["code"]


def length(body: bytes) -> bytes:
    return b"content-length: %d" % len(body)


@pytest.mark.parametrize(
    "media_type",
    [
        b"application/json",
        b"Application/JSON",
        b"application/json; charset=utf-8",
        b"application/json;charset=utf-8",
        b"application/json ; x=y",
        b"application/problem+json",
        b"application/vnd.api.v2+json; a=b",
    ],
)
def test_json_by_any_name(live: Live, media_type: bytes) -> None:
    assert post(live, GOOD, length(GOOD), b"content-type: " + media_type) == (200, "")


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [b"content-type:"],
        [b"content-type: text/plain"],
        [b"content-type: text/json"],
        [b"content-type: application/jsonp"],
        [b"content-type: application/x-json"],
        [b"content-type: application/+json"],
        [b"content-type: application/json, text/plain"],
        [b"content-type: xapplication/json"],
        [b"content-type: text/plain; application/json"],
        [b"content-type: application/json", b"content-type: application/json"],
        [b"content-type: text/plain", b"content-type: application/json"],
        [b"content-type: application/json", b"content-encoding: gzip"],
        [b"content-type: application/json", b"content-encoding: identity"],
        [b"content-type: application/json", b"content-encoding:"],
        [b"content-type: application/json\xff"],
    ],
)
def test_anything_else_is_refused(live: Live, headers: list[bytes]) -> None:
    assert post(live, GOOD, length(GOOD), *headers) == (415, "unsupported_media_type")


JSON = b"content-type: application/json"


def test_a_body_up_to_the_limit_is_read(live: Live) -> None:
    body = GOOD.ljust(LIMIT)
    assert post(live, body, length(body), JSON) == (200, "")
    assert post(live, body + b" ", length(body + b" "), JSON) == (413, "body_too_large")


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)


def test_a_chunked_body_is_read(live: Live) -> None:
    pieces = [GOOD[index : index + 7] for index in range(0, len(GOOD), 7)]
    assert post(live, chunked(*pieces) + b"0\r\n\r\n", b"transfer-encoding: chunked", JSON) == (200, "")


def test_a_chunked_body_is_refused_as_soon_as_it_passes_the_limit(live: Live) -> None:
    with live.connect() as connection:
        connection.sendall(b"POST /read HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n" + JSON + b"\r\n\r\n")
        connection.sendall(chunked(b" " * LIMIT))
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(10)
        connection.sendall(chunked(b" "))  # the body has not ended, and never will
        status, headers = head_of(connection.recv(65536))
    assert (status, headers["connection"]) == (413, "close")


def test_a_declared_size_is_refused_before_the_body_comes(live: Live) -> None:
    with live.connect() as connection:
        connection.sendall(b"POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 9999999999\r\n" + JSON + b"\r\n\r\n")
        assert head_of(connection.recv(65536))[0] == 413


def test_a_client_that_asks_first_is_told_to_go_on(live: Live) -> None:
    head = b"POST /read HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: close\r\n" + length(GOOD) + b"\r\n"
    with live.connect() as connection:
        connection.sendall(head + JSON + b"\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 100 ")
        connection.sendall(GOOD)
        assert head_of(connection.recv(65536))[0] == 200


def test_a_client_that_asks_first_is_refused_at_once(live: Live) -> None:
    head = b"POST /read HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9999\r\n" + JSON + b"\r\n\r\n"
    assert head_of(live.raw(head))[0] == 413


def test_a_body_that_stalls_is_timed_out(live: Live) -> None:
    began = time.monotonic()
    assert post(live, GOOD[:10], length(GOOD), JSON) == (408, "request_timeout")
    assert 0.5 <= time.monotonic() - began < 10


def test_a_slow_body_that_moves_is_read(live: Live) -> None:
    with live.connect() as connection:
        connection.sendall(b"POST /read HTTP/1.1\r\nhost: x\r\n" + length(GOOD) + b"\r\n" + JSON + b"\r\n\r\n")
        for index in range(0, len(GOOD), 9):
            time.sleep(0.15)
            connection.sendall(GOOD[index : index + 9])
        assert head_of(connection.recv(65536))[0] == 200


def test_a_client_that_leaves_amid_its_body(live: Live, service: Service) -> None:
    with live.connect() as connection:
        connection.sendall(b"POST /read HTTP/1.1\r\nhost: x\r\n" + length(GOOD) + b"\r\n" + JSON + b"\r\n\r\n{")
        count = len(service.recent.newest_first())
    wait_until(lambda: len(service.recent.newest_first()) > count)
    assert service.recent.newest_first()[0].outcome == "cancelled"


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'\xef\xbb\xbf{"messages":[]}', b'{"messages":[]}x', b"[" * 2000])
def test_what_is_no_json(live: Live, body: bytes) -> None:
    assert post(live, body, length(body), JSON) == (400, "invalid_json")


@pytest.mark.parametrize(
    ("change", "code"),
    [({"messages": 1}, "contract_violation"), ({"n": 0}, "chat_invalid_request"), ({}, None)],
)
def test_violations_are_answered_by_the_list(live: Live, change: dict[str, Any], code: str | None) -> None:
    answer = live.ask("POST", "/read", json={"messages": [{"role": "user", "content": "hi"}], **change})
    assert (answer.json()["error"]["code"] if code else answer.status_code) == (code or 200)


@pytest.mark.parametrize("shown", [False, True])
def test_values_are_shown_only_when_allowed(shown: bool) -> None:
    service = ready_service(error_values=shown)
    with serving(create_app(service, [Route("/read", Endpoint(echo), methods=["POST"])])) as live:
        answer = live.ask("POST", "/read", json={"messages": [], "temperature": "a secret prompt"})
    assert ("a secret prompt" in answer.text) == shown


def test_a_body_is_kept_only_when_that_is_asked_for() -> None:
    service = ready_service(record_bodies=True)
    with serving(create_app(service, [Route("/read", Endpoint(echo), methods=["POST"])])) as live:
        live.ask("POST", "/read", body=GOOD)
        live.ask("POST", "/read", body=b"{")
    assert [entry.request_body for entry in service.recent.newest_first()] == ["{", GOOD.decode()]
