"""The process as an operator meets it: real signals, sockets and exit codes."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from tests.kiln_server.running import PATIENCE_S, Running

TINY = "tests.kiln_server.tiny_server"


def tiny(*arguments: str) -> Running:
    return Running(TINY, "--port", "0", *arguments)


def connect(address: str) -> socket.socket:
    host, port = address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE_S)


def read_all(connection: socket.socket) -> bytes:
    pieces = []
    while piece := connection.recv(65_536):
        pieces.append(piece)
    return b"".join(pieces)


def state(address: str) -> str:
    return str(httpx2.get(f"{address}/state").json()["state"])


class TestServing:
    def test_answers_without_naming_its_software_and_ends_with_0(self) -> None:
        with tiny() as server:
            address = server.address()
            server.event("ready")
            reply = httpx2.get(f"{address}/state")
            assert reply.json()["state"] == "ready"
            assert "server" not in reply.headers
            assert "date" in reply.headers
            server.send(signal.SIGTERM)
            assert server.end() == 0
            assert server.lines[-2] == "closed"
            assert json.loads(server.lines[-1])["event"] == "stopped"

    def test_ends_with_0_after_an_interrupt_too(self) -> None:
        with tiny() as server:
            server.event("ready")
            server.send(signal.SIGINT)
            assert server.end() == 0

    def test_cuts_off_a_client_that_does_not_finish_its_head(self) -> None:
        with tiny("--header-timeout-s", "0.2") as server, connect(server.address()) as client:
            client.sendall(b"GET /state HTTP/1.1\r\nhost: x\r\n")
            assert read_all(client).startswith(b"HTTP/1.1 408 ")

    def test_cuts_off_a_client_that_does_not_finish_its_body(self) -> None:
        with tiny("--body-stall-timeout-s", "0.2") as server, connect(server.address()) as client:
            client.sendall(b"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc")
            assert read_all(client).startswith(b"HTTP/1.1 408 ")

    def test_an_idle_connection_stays_as_long_as_is_set(self) -> None:
        with tiny("--idle-timeout-s", "0.5") as server, connect(server.address()) as client:
            client.sendall(b"GET /state HTTP/1.1\r\nhost: x\r\n\r\n")
            assert client.recv(65_536).startswith(b"HTTP/1.1 200 ")
            began = time.monotonic()
            read_all(client)
            assert 0.4 < time.monotonic() - began < 4  # uvicorn's own limit is 5

    def test_the_collector_leaves_alone_what_is_loaded(self) -> None:
        with tiny("--backend-options", "load_s=1") as server:
            address = server.address()
            server.event("loading")
            assert httpx2.get(f"{address}/collector").json()["frozen"] == 0
            server.event("ready")
            assert httpx2.get(f"{address}/collector").json()["frozen"] > 10_000


class TestLoading:
    def test_answers_while_the_backend_loads(self) -> None:
        with tiny("--backend-options", "load_s=1") as server:
            address = server.address()
            assert server.event("loading")["phase"] == "reading weights"
            assert httpx2.get(f"{address}/state").json() == {"state": "loading", "phase": "reading weights"}
            refused = httpx2.get(f"{address}/stream")
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "loading")
            assert int(refused.headers["retry-after"]) > 0
            server.event("ready")
            assert state(address) == "ready"

    def test_a_signal_while_loading_ends_it(self) -> None:
        with tiny("--backend-options", "load_s=60") as server:
            server.event("loading")
            server.send(signal.SIGTERM)
            assert server.end() == 0
            assert "closed" in server.lines

    def test_a_thread_that_goes_on_loading_does_not_keep_the_process(self) -> None:
        with tiny("--backend-options", "thread_s=60") as server:
            server.event("loading")
            began = time.monotonic()
            server.send(signal.SIGTERM)
            assert server.end() == 0
            assert time.monotonic() - began < 20
            assert "ended without waiting" in server.lines[-1]

    def test_a_template_that_cannot_be_read_ends_it(self) -> None:
        """Or every request would find out, while probes say that all is well."""
        with tiny("--backend-options", "fail=template") as server:
            assert server.end() == 1
            assert "the model cannot be served: the chat template cannot be read: line 1: " in server.lines[-1]
            assert not any('"event":"ready"' in line for line in server.lines)

    def test_a_backend_that_cannot_load_ends_it_with_its_own_words(self) -> None:
        with tiny("--backend-options", "fail=known") as server:
            assert server.end() == 1
            message = (
                "kiln-server: the backend engine cannot start: the model directory is empty; download the model first"
            )
            assert server.lines[-1] == message

    def test_a_fault_of_the_backend_is_called_one(self) -> None:
        with tiny("--backend-options", "fail=bug") as server:
            assert server.end() == 1
            assert "fault of its own: ZeroDivisionError('layers')" in server.lines[-1]
            logged = next(json.loads(line) for line in server.lines if "backend_start_failed" in line)
            assert logged["exception"] == "ZeroDivisionError"


class TestDrain:
    @pytest.fixture
    def server(self) -> Iterator[Running]:
        with tiny("--drain-timeout-s", "20") as server:
            yield server

    def test_what_runs_finishes_and_new_work_is_refused_meanwhile(self, server: Running) -> None:
        address = server.address()
        server.event("ready")
        with httpx2.stream("GET", f"{address}/stream?seconds=2") as answer:
            pieces = answer.iter_bytes()
            next(pieces)
            server.send(signal.SIGTERM)
            assert server.event("draining")["in_flight"] == 1
            refused = httpx2.get(f"{address}/stream")
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "draining")
            assert state(address) == "draining"
            assert b"".join(pieces).endswith(b"done\n")
        assert server.end() == 0
        assert "closed" in server.lines

    def test_the_listener_is_gone_afterwards(self, server: Running) -> None:
        address = server.address()
        server.event("ready")
        server.send(signal.SIGTERM)
        assert server.end() == 0
        with pytest.raises(OSError, match="refused"):
            connect(address)

    def test_what_does_not_finish_in_time_is_cut_off(self) -> None:
        with tiny("--drain-timeout-s", "0.2") as server:
            address = server.address()
            server.event("ready")
            with httpx2.stream("GET", f"{address}/stream?seconds=60") as answer:
                pieces = answer.iter_bytes()
                next(pieces)
                server.send(signal.SIGTERM)
                assert server.event("requests_cut_off")["in_flight"] == 1
                with pytest.raises(httpx2.RemoteProtocolError):
                    list(pieces)
            assert server.end() == 0

    def test_a_second_signal_stops_at_once(self, server: Running) -> None:
        address = server.address()
        server.event("ready")
        with httpx2.stream("GET", f"{address}/stream?seconds=60") as answer:
            pieces = answer.iter_bytes()
            next(pieces)
            server.send(signal.SIGTERM)
            assert server.event("draining")["in_flight"] == 1
            server.send(signal.SIGTERM)
            assert server.end() == 128 + signal.SIGTERM
        assert server.lines[-1] == "kiln-server: stopped at once by a second signal"

    def test_a_second_signal_works_even_when_the_event_loop_hangs(self, server: Running) -> None:
        address = server.address()
        server.event("ready")
        with connect(address) as client:
            client.sendall(b"GET /block?seconds=20 HTTP/1.1\r\nhost: x\r\n\r\n")
            server.line("blocking")
            began = time.monotonic()
            server.send(signal.SIGTERM)
            server.send(signal.SIGINT)  # two pending signals of one kind would be one
            assert server.end() in {128 + signal.SIGTERM, 128 + signal.SIGINT}
            assert time.monotonic() - began < 10


class TestAddress:
    def test_a_port_in_use_is_told_with_what_to_do(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            with Running(TINY, "--port", port) as server:
                assert server.end() == 1
                assert f"127.0.0.1 port {port} is in use; stop what listens there" in server.lines[-1]

    def test_a_network_address_without_keys_is_warned_of(self) -> None:
        with tiny("--host", "0.0.0.0") as server:  # noqa: S104 - it is what is warned of
            warning = server.event("open_to_everyone")
            assert warning["level"] == "warning"
            assert "api_keys_file" in warning["advice"]


class TestTls:
    @pytest.fixture
    def authority(self) -> trustme.CA:
        return trustme.CA()

    def test_serves_https_with_the_certificate(self, authority: trustme.CA, tmp_path: Path) -> None:
        certificate = authority.issue_cert("localhost", "127.0.0.1")
        certificate.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both.pem")
        context = ssl.create_default_context()
        authority.configure_trust(context)
        with tiny("--tls-certfile", str(tmp_path / "both.pem")) as server:
            address = server.address()
            assert address.startswith("https://")
            server.event("ready")
            assert httpx2.get(f"{address}/state", verify=context).json()["state"] == "ready"
            server.send(signal.SIGTERM)
            assert server.end() == 0

    def test_files_that_do_not_belong_together_are_told(self, authority: trustme.CA, tmp_path: Path) -> None:
        one, other = authority.issue_cert("one"), authority.issue_cert("other")
        one.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
        other.private_key_pem.write_to_path(tmp_path / "key.pem")
        files = ("--tls-certfile", str(tmp_path / "cert.pem"), "--tls-keyfile", str(tmp_path / "key.pem"))
        with tiny(*files) as server:
            assert server.end() == 1
            assert len(server.lines) == 1
            assert "key.pem) is not that of the first certificate in" in server.lines[-1]

    def test_an_encrypted_key_is_refused_and_not_asked_about(self, authority: trustme.CA, tmp_path: Path) -> None:
        one = authority.issue_cert("one")
        key = load_pem_private_key(one.private_key_pem.bytes(), None)
        sealed = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
        (tmp_path / "both.pem").write_bytes(sealed + one.cert_chain_pems[0].bytes())
        with tiny("--tls-certfile", str(tmp_path / "both.pem")) as server:
            assert server.end() == 1
            assert len(server.lines) == 1
            assert "is encrypted; decrypt it" in server.lines[-1]
