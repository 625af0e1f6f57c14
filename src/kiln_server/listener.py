"""The listening socket: bound before anything slow happens, so that a wrong address is told at once."""

from __future__ import annotations

import errno
import ipaddress
import socket
from typing import Final

BACKLOG: Final = 2048


class ListenError(Exception):
    """Why the address cannot be listened on, and what to do."""


class Listener:
    """A bound, listening TCP socket. `close` it, or hand `socket` to who does."""

    def __init__(self, host: str, port: int) -> None:
        """Bind and listen; port 0 takes a free one. Raises ListenError."""
        self.host = host
        try:
            self.socket = _listen(host, port)
        except OSError as error:
            raise ListenError(_explain(error, host, port)) from error
        self.port: int = self.socket.getsockname()[1]

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can connect."""
        return ipaddress.ip_address(self.socket.getsockname()[0]).is_loopback

    def url(self, scheme: str) -> str:
        """Where clients find the server, as far as this machine knows."""
        return f"{scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def close(self) -> None:
        self.socket.close()


def _listen(host: str, port: int) -> socket.socket:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    both = host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server(address[:2], family=family, backlog=BACKLOG, dualstack_ipv6=both)


def _explain(error: OSError, host: str, port: int) -> str:
    where = f"{host} port {port}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use; stop what listens there, or choose another with --port (0 takes a free one)"
    if error.errno == errno.EACCES:
        return f"{where} is not allowed to this user; choose a port from 1024 with --port"
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"{host} is no address of this machine; choose one with --host, such as 127.0.0.1 or 0.0.0.0"
    return f"cannot listen on {where}: {error.strerror or error}"
