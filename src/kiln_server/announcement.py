"""What the operator is told when the server starts: panels on a terminal, log lines elsewhere."""

from __future__ import annotations

from typing import Final

import structlog
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import kiln_contract
from kiln_server.listener import Listener
from kiln_server.settings import Settings

_ADVICE: Final = "set api_keys_file (--api-keys-file FILE), or listen on 127.0.0.1"

_log = structlog.get_logger(__name__)


def announce(settings: Settings, model: str, listener: Listener, console: Console) -> None:
    """Tell what is served where, and warn when strangers could use it. `model` says what will answer, in words."""
    facts = _facts(settings, model, listener.url("https" if settings.tls_certfile else "http"))
    exposed = not listener.is_local and settings.api_keys_file is None
    if console.is_terminal and settings.log_format != "json":
        console.print(_panel(facts))
        if exposed:
            console.print(_warning(settings))
    else:
        _log.info("listening", **facts)
        if exposed:
            _log.warning("open_to_everyone", host=settings.host, advice=_ADVICE)


def _facts(settings: Settings, model: str, url: str) -> dict[str, str]:
    limits = (
        f"{settings.max_running_requests:,} requests running",
        f"{settings.max_waiting_requests:,} waiting with {settings.max_waiting_tokens:,} tokens",
        f"{settings.max_body_bytes:,} bytes a body",
    )
    return {
        "model": f"{settings.served_model_id}: {model}" if settings.served_model_id else model,
        "address": url,
        "limits": ", ".join(limits),
        "docs": f"{url}/openapi.json; kiln-server --help; settings in force: kiln-server config",
    }


def _panel(facts: dict[str, str]) -> Panel:
    table = Table.grid(padding=(0, 2))
    for name, text in facts.items():
        table.add_row(name.capitalize(), Text(text))
    return Panel(table, title=f"kiln-server {kiln_contract.__version__}", title_align="left", expand=False)


def _warning(settings: Settings) -> Panel:
    text = (
        f"{settings.host} can be reached from other machines, and there are no API keys: whoever reaches it can use it."
        f"\nTo keep strangers out, {_ADVICE}."
    )
    return Panel(Text(text), title="Open to everyone", title_align="left", border_style="bold red", expand=False)
