"""Generated and mutated requests on a real socket: `tests.fuzz.server` sends as many as anybody has time for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.requests import ENDPOINTS
from tests.fuzz.server import run, target
from tests.kiln_server.live import Live

SHARE = {"ChatCompletionRequest": 280, "BatchCompletionRequest": 120, "TextCompletionRequest": 100}


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with target() as running:
        yield running


@pytest.mark.parametrize("definition", ENDPOINTS)
def test_every_answer_is_what_the_contract_says(live: Live, definition: str) -> None:
    report = run(live, definition, count=SHARE[definition], seed_=3)
    assert report.found == []
    assert report.requests >= SHARE[definition]
    answered = {answer for _, answer in report.answered}
    assert {"200", "400 invalid_json", "415 unsupported_media_type", "422 contract_violation"} <= answered
