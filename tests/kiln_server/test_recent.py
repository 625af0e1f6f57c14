"""The ring of recent requests."""

from __future__ import annotations

from kiln_server.edge.exchange import Exchange, begin_exchange
from kiln_server.recent import MAX_BODY, MAX_KEPT, MAX_NAME, RecentRequests


def exchange(request_id: str) -> Exchange:
    scope = {"type": "http", "method": "POST", "headers": [(b"x-request-id", request_id.encode())]}
    return begin_exchange(scope, "/v1/completions")


def test_the_newest_come_first_and_the_oldest_go() -> None:
    ring = RecentRequests()
    for number in range(MAX_KEPT + 5):
        ring.keep(exchange(str(number)), 0.5)
    kept = ring.newest_first()
    assert len(kept) == MAX_KEPT
    assert [entry.request_id for entry in kept[:2]] == ["104", "103"]
    assert kept[-1].request_id == "5"
    assert kept[0].duration_ms == 500


def test_what_a_client_chose_is_cut() -> None:
    ring = RecentRequests()
    long = exchange("a")
    long.model = "m" * 10_000
    long.request_body = "é".encode() * MAX_BODY
    ring.keep(long, 0)
    (entry,) = ring.newest_first()
    assert entry.model is not None
    assert len(entry.model) == MAX_NAME
    assert entry.request_body == "é" * (MAX_BODY // 2) + "…"


def test_a_body_that_is_no_text_is_kept_readable() -> None:
    ring = RecentRequests()
    odd = exchange("a")
    odd.request_body = b"\xff{"
    ring.keep(odd, 0)
    assert ring.newest_first()[0].request_body == "\ufffd{"
