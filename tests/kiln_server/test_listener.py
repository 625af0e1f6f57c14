from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from kiln_server import listener
from kiln_server.listener import Listener, ListenError


@pytest.fixture
def free() -> Iterator[Listener]:
    with closing(Listener("127.0.0.1", 0)) as found:
        yield found


def test_takes_connections_at_once(free: Listener) -> None:
    assert free.port > 0
    with socket.create_connection(("127.0.0.1", free.port)):
        pass


def test_names_its_url(free: Listener) -> None:
    assert free.url("https") == f"https://127.0.0.1:{free.port}"


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_writes_an_ipv6_address_in_brackets() -> None:
    with closing(Listener("::1", 0)) as found:
        assert found.url("http") == f"http://[::1]:{found.port}"


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.0.0.2", True), ("localhost", True), ("0.0.0.0", False)],  # noqa: S104
)
def test_knows_who_can_connect(host: str, local: bool) -> None:
    with closing(Listener(host, 0)) as found:
        assert found.is_local is local


def test_a_port_in_use_is_told(free: Listener) -> None:
    with pytest.raises(ListenError, match=rf"127\.0\.0\.1 port {free.port} is in use; .*--port"):
        Listener("127.0.0.1", free.port)


@pytest.mark.parametrize("host", ["no such host", "203.0.113.7"])
def test_an_address_of_no_interface_is_told(host: str) -> None:
    with pytest.raises(ListenError, match=rf"{host} is no address of this machine; .*--host"):
        Listener(host, 0)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EACCES, "h port 80 is not allowed to this user; choose a port from 1024 with --port"),
        (errno.EMFILE, "cannot listen on h port 80: Too many open files"),
    ],
)
def test_other_errors_are_told(number: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str, __: int) -> socket.socket:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(listener, "_listen", fail)
    with pytest.raises(ListenError) as caught:
        Listener("h", 80)
    assert str(caught.value) == message
