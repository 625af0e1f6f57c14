"""Serve a peer as Kiln is served: `python -m tests.bench.peers NAME PORT SCRIPT.json`."""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from tests.bench.peers import fastapi_peer, starlette_peer

APPLICATIONS = {"fastapi": fastapi_peer.create_app, "starlette": starlette_peer.create_app}


def main() -> None:
    name, port, script = sys.argv[1:]
    uvicorn.run(
        APPLICATIONS[name](Path(script)),
        port=int(port),
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )


if __name__ == "__main__":
    main()
