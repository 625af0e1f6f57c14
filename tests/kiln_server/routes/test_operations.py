"""Models, adapters, settings and recent requests, on a real socket."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from kiln_contract.identity import config_sha256
from kiln_server.app import create_app
from kiln_server.backend import Adapter, Choice
from kiln_server.backends.mock import MockBackend
from kiln_server.config_hash import effective_config_hash
from kiln_server.settings import Settings
from tests.kiln_server.live import serving
from tests.kiln_server.services import new_service, ready_service

CHAT = "/v1/chat/completions"


def test_the_model_is_listed_and_described() -> None:
    with serving(create_app(ready_service(served_model_id="org/model-1"))) as live:
        (model,) = live.ask("GET", "/v1/models").json()["data"]
        assert model["id"] == "org/model-1"
        assert abs(model["created"] - time.time()) < 60
        for path in ("/v1/models/org/model-1", "/v1/models/org%2Fmodel-1"):
            assert live.ask("GET", path).json() == model
        for path in ("/v1/models/model-1", "/v1/models/org", "/v1/models/ORG/model-1"):
            error = live.ask("GET", path).json()["error"]
            assert (error["code"], error["param"]) == ("not_found", "model")


def test_adapters_are_listed() -> None:
    adapter = Adapter("sql", "sha256:" + "a" * 64)
    with serving(create_app(ready_service(MockBackend(adapters=[adapter])))) as live:
        data = live.ask("GET", "/v1/adapters").json()["data"]
    assert data == [{"name": "sql", "object": "adapter", "content_sha256": adapter.content_sha256}]


def test_settings_are_shown_with_their_sources_and_without_secrets() -> None:
    service = ready_service(
        port=9000,
        backend_options={"api_key": "hunter2", "shards": "3"},
        sources={"port": "--port", "backend_options": "kiln.toml"},
    )
    with serving(create_app(service)) as live:
        answer = live.ask("GET", "/v1/config")
    shown = answer.json()["settings"]
    assert set(shown) == set(Settings.__struct_fields__) - {"sources"}
    assert shown["port"] == {"value": 9000, "source": "--port"}
    assert shown["host"] == {"value": "127.0.0.1", "source": "default"}
    assert shown["backend_options"]["value"] == {"api_key": "(redacted)", "shards": "3"}
    assert "hunter2" not in answer.text


def test_what_the_backend_chose_is_shown_once_it_has_loaded() -> None:
    backend = MockBackend()
    choice = Choice("kernels", "cpu-x86-64-v3", "the best that this machine runs")
    service = ready_service(backend)
    backend.capabilities = replace(backend.capabilities, choices=(choice,))
    with serving(create_app(service)) as live:
        shown = live.ask("GET", "/v1/config").json()["choices"]
    assert shown == {"kernels": {"value": "cpu-x86-64-v3", "reason": "the best that this machine runs"}}
    with serving(create_app(new_service())) as live:
        assert live.ask("GET", "/v1/config").json()["choices"] == {}


def test_the_hash_of_the_settings_follows_the_values_alone() -> None:
    one = Settings(port=1, backend_options={"token": "a", "x": "1"}, sources={"port": "--port"})
    same = Settings(port=1, backend_options={"x": "1"})
    assert effective_config_hash(one) == effective_config_hash(same)
    assert effective_config_hash(one) != effective_config_hash(Settings(port=2))
    values = {row.name: row.value for row in Settings().rows()}
    values["cors_origins"] = []
    assert effective_config_hash(Settings()) == config_sha256(values)


def test_recent_requests_are_listed() -> None:
    with serving(create_app(ready_service())) as live:
        live.ask("POST", CHAT, json={"messages": [{"role": "user", "content": "a secret"}], "max_tokens": 3})
        live.ask("POST", CHAT, body=b"{")
        answer = live.ask("GET", "/v1/stats/recent-requests")
    newest, oldest = answer.json()["data"]
    assert (newest["error_code"], newest["status"], newest["prompt_tokens"]) == ("invalid_json", 400, None)
    assert (oldest["error_code"], oldest["status"], oldest["completion_tokens"]) == (None, 200, 3)
    assert oldest["finish_reasons"] == ["length"]
    assert "secret" not in answer.text


@pytest.mark.parametrize("recorded", [False, True])
def test_bodies_are_listed_only_when_they_are_kept(recorded: bool) -> None:
    with serving(create_app(ready_service(record_bodies=recorded))) as live:
        live.ask("POST", CHAT, json={"messages": [{"role": "user", "content": "a secret"}], "max_tokens": 3})
        (entry,) = live.ask("GET", "/v1/stats/recent-requests").json()["data"]
    assert ("a secret" in str(entry)) == recorded
