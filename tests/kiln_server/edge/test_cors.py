"""Cross-origin requests, on a real socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kiln_server.app import create_app
from tests.kiln_server.live import Live, serving
from tests.kiln_server.services import ready_service

ORIGIN = "https://app.example:8443"
ALLOW = "access-control-allow-origin"


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving(create_app(ready_service(cors_origins=(ORIGIN, "http://localhost:3000")))) as server:
        yield server


def preflight(
    live: Live, origin: str = ORIGIN, headers: str | None = "authorization, x-stainless-os"
) -> dict[str, str]:
    sent = {"origin": origin, "access-control-request-method": "POST"}
    if headers is not None:
        sent["access-control-request-headers"] = headers
    answer = live.ask("OPTIONS", "/v1/chat/completions", headers=sent)
    return {"status": str(answer.status_code), **answer.headers}


def test_a_listed_origin_may_read_answers_and_errors(live: Live) -> None:
    for path, status in (("/v1/models", 200), ("/nothing", 404)):
        answer = live.ask("GET", path, headers={"origin": ORIGIN})
        assert answer.status_code == status
        assert answer.headers[ALLOW] == ORIGIN
        assert answer.headers["vary"] == "origin"
        assert "x-request-id" in answer.headers["access-control-expose-headers"]


def test_a_preflight_is_answered(live: Live) -> None:
    answer = preflight(live)
    assert answer["status"] == "204"
    assert answer[ALLOW] == ORIGIN
    assert "POST" in answer["access-control-allow-methods"]
    assert answer["access-control-allow-headers"] == "authorization, x-stainless-os"
    assert "access-control-allow-credentials" not in answer


def test_a_preflight_that_asks_for_no_headers(live: Live) -> None:
    assert "access-control-allow-headers" not in preflight(live, headers=None)


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "https://app.example:8443.evil.example", "HTTPS://APP.EXAMPLE:8443", "*", ""],
)
def test_any_other_origin_gets_nothing(live: Live, origin: str) -> None:
    answer = live.ask("GET", "/v1/models", headers={"origin": origin})
    assert answer.status_code == 200
    assert ALLOW not in answer.headers
    assert answer.headers["vary"] == "origin"
    refused = preflight(live, origin)
    assert refused["status"] == "405"
    assert ALLOW not in refused


def test_options_alone_is_no_preflight(live: Live) -> None:
    assert live.ask("OPTIONS", "/v1/models", headers={"origin": ORIGIN}).status_code == 405


def test_it_is_off_without_origins() -> None:
    with serving(create_app(ready_service())) as live:
        answer = live.ask("GET", "/v1/models", headers={"origin": ORIGIN})
        assert not {ALLOW, "vary"} & set(answer.headers)
        assert preflight(live)["status"] == "405"


def test_every_origin_can_be_listed() -> None:
    with serving(create_app(ready_service(cors_origins=("*",)))) as live:
        answer = live.ask("GET", "/v1/models", headers={"origin": "null"})
        assert answer.headers[ALLOW] == "*"
        assert "vary" not in answer.headers
        assert ALLOW not in live.ask("GET", "/v1/models").headers
