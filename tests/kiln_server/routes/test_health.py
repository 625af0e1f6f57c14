"""Probes and health over a server's whole life, on a real socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kiln_server.app import create_app
from kiln_server.backend import Progress
from kiln_server.service import Service
from tests.kiln_server.live import Live, serving
from tests.kiln_server.services import new_service

PROBES = ("/livez", "/readyz", "/startupz", "/health")


@pytest.fixture
def service() -> Service:
    return new_service()


@pytest.fixture
def live(service: Service) -> Iterator[Live]:
    with serving(create_app(service)) as server:
        yield server


def statuses(live: Live) -> tuple[int, ...]:
    return tuple(live.ask("GET", path).status_code for path in PROBES)


def load(service: Service, live: Live) -> None:
    live.run(lambda: service.backend.start(lambda _: None))
    service.lifecycle.loaded()


def test_probes_answer_while_the_model_loads(service: Service, live: Live) -> None:
    assert statuses(live) == (200, 503, 503, 503)
    service.lifecycle.report(Progress("reading weights", 0.25))
    for path in ("/startupz", "/readyz", "/livez"):
        report = live.ask("GET", path).json()
        assert (report["status"], report["phase"], report["progress"]) == ("loading", "reading weights", 0.25)
    assert live.ask("GET", "/readyz").json()["error"]["code"] == "loading"
    assert live.ask("GET", "/health").json()["model"] is None


def test_a_loaded_server_is_ready(service: Service, live: Live) -> None:
    load(service, live)
    assert statuses(live) == (200, 200, 200, 200)
    report = live.ask("GET", "/health").json()
    assert (report["status"], report["model"]) == ("ok", "mock")
    assert all(check["ok"] for check in report["checks"])


def test_a_draining_server_is_started_and_not_ready(service: Service, live: Live) -> None:
    load(service, live)
    service.lifecycle.begin_drain()
    assert statuses(live) == (200, 503, 200, 503)
    assert live.ask("GET", "/readyz").json()["error"]["code"] == "draining"


def test_a_drain_before_the_end_of_loading(service: Service, live: Live) -> None:
    service.lifecycle.begin_drain()
    assert statuses(live) == (200, 503, 503, 503)


def test_a_failed_server_still_tells(service: Service, live: Live) -> None:
    service.lifecycle.fail()
    assert statuses(live) == (200, 503, 503, 503)
    assert live.ask("GET", "/startupz").json()["status"] == "failed"


def test_a_full_waiting_room_is_no_health() -> None:
    service = new_service(max_running_requests=1, max_waiting_requests=0)
    with serving(create_app(service)) as live:
        load(service, live)
        live.run(service.admission.admit(1).__aenter__)
        answer = live.ask("GET", "/health")
        assert answer.json()["error"]["code"] == "queue_full"
        assert {check["name"]: check["ok"] for check in answer.json()["checks"]} == {
            "lifecycle": True,
            "admission": False,
        }
        assert live.ask("GET", "/readyz").status_code == 200


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/mock", "/v1/adapters"])
def test_what_depends_on_the_model_waits_for_it(service: Service, live: Live, path: str) -> None:
    answer = live.ask("GET", path)
    assert answer.json()["error"]["code"] == "loading"
    load(service, live)
    assert live.ask("GET", path).status_code == 200


@pytest.mark.parametrize("path", ["/metrics", "/v1/config", "/openapi.json", "/v1/stats/recent-requests"])
def test_the_rest_answers_all_the_time(service: Service, live: Live, path: str) -> None:
    assert live.ask("GET", path).status_code == 200
    load(service, live)
    assert live.ask("GET", path).status_code == 200


def test_probes_are_not_cached(live: Live) -> None:
    for path in PROBES:
        assert live.ask("GET", path).headers["cache-control"] == "no-store"
