"""Keys at the door, on a real socket."""

from __future__ import annotations

import hmac
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kiln_server.app import create_app
from tests.kiln_server.live import Live, body_of, head_of, read_all, serving
from tests.kiln_server.services import ready_service
from tests.kiln_server.traffic import check_error

KEY = "test-key-1"
CHAT = "/v1/chat/completions"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text(f"{KEY}\nuse other-key\nadmin root-key\n")
    file.chmod(0o600)
    with serving(create_app(ready_service(api_keys_file=str(file)))) as server:
        yield server


def status_of(live: Live, *values: bytes) -> int:
    """The status of a request with these Authorization headers, byte for byte."""
    lines = b"".join(b"authorization: " + value + b"\r\n" for value in values)
    answer = live.raw(b"GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n" + lines + b"\r\n")
    status, headers = head_of(answer)
    if status != 200:
        check_error(status, headers, body_of(answer))
        assert KEY.encode() not in answer
        assert not any(value.split()[-1] in answer for value in values if len(value) > 8)
    return status


@pytest.mark.parametrize(
    "value", [b"Bearer test-key-1", b"bearer test-key-1", b"BEARER  test-key-1", b"Bearer root-key"]
)
def test_a_key_lets_in_whatever_the_case_of_the_scheme(live: Live, value: bytes) -> None:
    assert status_of(live, value) == 200


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer test-key-",
        b"Bearer test-key-12",
        b"Bearer test-key-1x other-key",
        b"Bearer Test-Key-1",
        b"Basic dGVzdA==",
        b"test-key-1",
        b"Basic test-key-1",
        b"Bearer t\xebst-key-1",
        b"Bearer \xff\xfe",
        "Bearer tëst-key-1".encode(),
        b"Bearer " + b"x" * 30_000,
    ],
)
def test_anything_else_is_unauthorized(live: Live, value: bytes) -> None:
    assert status_of(live, value) == 401


def test_no_header_is_unauthorized(live: Live) -> None:
    assert status_of(live) == 401


@pytest.mark.parametrize("second", [b"Bearer test-key-1", b"Bearer wrong"])
def test_a_repeated_header_is_refused(live: Live, second: bytes) -> None:
    assert status_of(live, b"Bearer test-key-1", second) == 400


def test_a_repeated_header_is_refused_without_keys_too() -> None:
    with serving(create_app(ready_service())) as server:
        assert status_of(server, b"Bearer a", b"Bearer b") == 400
        assert status_of(server, b"Bearer anything") == 200


def test_keys_are_compared_in_constant_time(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def spy(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return real(left, right)

    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", spy)
    for credential, status in ((b"Bearer test-key-1", 200), (b"Bearer x", 401)):
        compared.clear()
        assert status_of(live, credential) == status
        assert len(compared) == 3, "no key may end the search"
        assert all(len(left) == len(right) == 32 for left, right in compared)


@pytest.mark.parametrize("head", [b"content-length: 10000000", b"transfer-encoding: chunked"])
def test_a_wrong_key_is_refused_before_the_body_is_sent(live: Live, head: bytes) -> None:
    request = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    with live.connect() as connection:
        connection.sendall(request + head + b"\r\nauthorization: Bearer wrong\r\n\r\n")
        began = time.monotonic()
        answer = connection.recv(65536)
        assert time.monotonic() - began < 4
    status, headers = head_of(answer)
    assert (status, headers["connection"]) == (401, "close")


def test_a_client_that_sends_it_all_first_can_still_read_the_refusal(live: Live) -> None:
    body = b"x" * 10_000_000
    head = f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\nauthorization: Bearer wrong\r\n\r\n"
    with live.connect() as connection:
        connection.sendall(head.encode() + body)
        answer = read_all(connection)
    assert head_of(answer)[0] == 401


def test_a_client_that_asks_first_is_not_told_to_go_on(live: Live) -> None:
    head = f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\nexpect: 100-continue\r\n\r\n"
    assert head_of(live.raw(head.encode()))[0] == 401


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/startupz"])
def test_probes_need_no_key(live: Live, path: str) -> None:
    assert live.ask("GET", path).status_code == 200
    assert live.ask("GET", path, key="wrong").status_code == 200


@pytest.mark.parametrize("path", ["/health", "/metrics", "/openapi.json", "/v1/models", "/v1/adapters"])
def test_everything_else_needs_one(live: Live, path: str) -> None:
    assert live.ask("GET", path).status_code == 401
    assert live.ask("GET", path, key="other-key").status_code == 200


@pytest.mark.parametrize("path", ["/v1/config", "/v1/stats/recent-requests"])
def test_administration_needs_an_admin_key(live: Live, path: str) -> None:
    assert live.ask("GET", path).status_code == 401
    assert live.ask("GET", path, key=KEY).status_code == 403
    assert live.ask("GET", path, key="root-key").status_code == 200


@pytest.mark.parametrize("path", ["/v1/config%0A", "/v1/config/", "/v1//config", "/v1/stats/recent-requests%0a"])
def test_no_spelling_of_a_path_goes_round_the_scope(live: Live, path: str) -> None:
    answer = live.ask("GET", path, key=KEY)
    assert answer.status_code in (403, 404)


@pytest.mark.parametrize("path", ["/livez%0A", "/livez/../v1/models", "/LIVEZ"])
def test_no_spelling_of_a_path_goes_round_the_key(live: Live, path: str) -> None:
    answer = live.raw(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
    assert head_of(answer)[0] == 401


def test_keys_do_not_reach_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "keys"
    file.write_text(KEY)
    with serving(create_app(ready_service(api_keys_file=str(file)))) as server:
        status_of(server, b"Bearer secret-wrong-key")
        status_of(server, b"Bearer test-key-1")
    printed = "".join(capsys.readouterr())
    assert "unauthorized" in printed
    assert KEY not in printed
    assert "secret-wrong-key" not in printed
