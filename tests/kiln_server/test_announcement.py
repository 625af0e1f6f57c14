from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from io import StringIO

import pytest
import structlog
from rich.console import Console

from kiln_server.announcement import announce
from kiln_server.listener import Listener
from kiln_server.settings import Settings

MODEL = "tiny (in a folder)"
NETWORK = "0.0.0.0"  # noqa: S104 - it is what is warned of


@pytest.fixture(params=["127.0.0.1", NETWORK])
def listener(request: pytest.FixtureRequest) -> Iterator[Listener]:
    with closing(Listener(request.param, 0)) as found:
        yield found


def shown(settings: Settings, listener: Listener, *, terminal: bool) -> tuple[str, list[str]]:
    """What comes to the terminal, and the log's events."""
    console = Console(file=StringIO(), force_terminal=terminal, width=140, no_color=True)
    with structlog.testing.capture_logs() as logs:
        announce(settings, MODEL, listener, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue(), [entry["event"] for entry in logs]


def test_a_terminal_gets_a_panel(listener: Listener) -> None:
    text, events = shown(Settings(host=listener.host), listener, terminal=True)
    for part in ("Model", MODEL, f":{listener.port}", "64 requests running", "/openapi.json"):
        assert part in text
    assert events == []
    assert ("Open to everyone" in text) is (listener.host == NETWORK)


@pytest.mark.parametrize(("terminal", "form"), [(False, "auto"), (False, "text"), (True, "json")])
def test_anything_else_gets_log_lines(listener: Listener, terminal: bool, form: str) -> None:
    text, events = shown(Settings(host=listener.host, log_format=form), listener, terminal=terminal)  # type: ignore[arg-type]
    assert text == ""
    assert events == (["listening", "open_to_everyone"] if listener.host == NETWORK else ["listening"])


def test_with_keys_there_is_no_warning(listener: Listener) -> None:
    settings = Settings(host=listener.host, api_keys_file="keys")
    assert "Open to everyone" not in shown(settings, listener, terminal=True)[0]
    assert shown(settings, listener, terminal=False)[1] == ["listening"]


def test_markup_in_a_name_is_text(listener: Listener) -> None:
    assert f"[bold]m: {MODEL}" in shown(Settings(served_model_id="[bold]m"), listener, terminal=True)[0]


def test_tls_makes_the_address_https(listener: Listener) -> None:
    assert "https://" in shown(Settings(tls_certfile="c.pem"), listener, terminal=True)[0]
