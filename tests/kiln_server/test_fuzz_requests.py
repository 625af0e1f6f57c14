"""Generated and mutated requests on a real socket: `tests.fuzz.server` sends as many as anybody has time for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from kiln_server.app import create_app
from kiln_server.errors import ApiError
from tests.fuzz.requests import ENDPOINTS, PER_EXAMPLE
from tests.fuzz.server import run, target
from tests.kiln_server.live import Live, serving
from tests.kiln_server.routes.scripted import CHAT
from tests.kiln_server.services import ready_service, route

SHARE = {"ChatCompletionRequest": 280, "BatchCompletionRequest": 120, "TextCompletionRequest": 100}


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with target() as running:
        yield running


@pytest.mark.parametrize("definition", ENDPOINTS)
def test_every_answer_is_what_the_contract_says(live: Live, definition: str) -> None:
    report = run(live, definition, count=SHARE[definition], seed_=3)
    assert not report.found, report.complaint()
    assert report.requests >= SHARE[definition]
    answered = {answer for _, answer in report.answered}
    assert {"200", "400 invalid_json", "415 unsupported_media_type", "422 contract_violation"} <= answered


async def failing(_: Request) -> Response:
    raise ApiError("generation_error", "it always fails")


@pytest.mark.parametrize(
    ("answer", "complaint"), [(failing, "the server failed: 500 generation_error"), (b"ok", "content-type")]
)
def test_a_server_that_answers_wrongly_is_found_out(answer: Any, complaint: str) -> None:
    with serving(create_app(ready_service(), [route(CHAT, answer)])) as live:
        report = run(live, "ChatCompletionRequest", count=PER_EXAMPLE, seed_=3)
    assert len(report.found) == report.requests
    assert complaint in report.complaint()
