"""What is known of one request."""

from __future__ import annotations

import pytest

from kiln_server.edge.exchange import CLIENT_GONE, Exchange, begin_exchange
from kiln_server.errors import KINDS


def begin(method: str = "GET", **headers: bytes) -> Exchange:
    pairs = [(name.replace("_", "-").encode(), value) for name, value in headers.items()]
    return begin_exchange({"type": "http", "method": method, "headers": pairs}, "/v1/models")


@pytest.mark.parametrize("sent", [b"a", b"req_1:2.3-X", b"x" * 128])
def test_a_plain_request_id_is_taken(sent: bytes) -> None:
    exchange = begin(x_request_id=sent)
    assert exchange.request_id == sent.decode()
    assert (b"x-request-id", sent) in exchange.response_headers


@pytest.mark.parametrize("sent", [b"", b"x" * 129, b"a b", b"a\n", b'a"', b"\xe9", b"a,b", b"a\x1b[31m"])
def test_any_other_is_replaced(sent: bytes) -> None:
    exchange = begin(x_request_id=sent)
    assert exchange.request_id.startswith("req_")
    assert exchange.request_id != begin(x_request_id=sent).request_id


def test_a_method_is_one_of_a_closed_set() -> None:
    assert begin("PATCH").method == "PATCH"
    assert begin("M-SEARCH").method == "other"


def test_the_last_of_a_repeated_header_counts() -> None:
    scope = {"type": "http", "method": "GET", "headers": [(b"a", b"1"), (b"b", b""), (b"a", b"2")]}
    exchange = begin_exchange(scope, "/")
    assert exchange.headers[b"a"] == b"2"
    assert exchange.repeats == {b"a"}
    assert begin(a=b"1").repeats == frozenset()


def outcome(**fields: object) -> tuple[str, int]:
    exchange = begin()
    for name, value in fields.items():
        setattr(exchange, name, value)
    return exchange.outcome, exchange.final_status


def test_how_a_request_ended() -> None:
    assert outcome(status=200, complete=True) == ("ok", 200)
    assert outcome() == ("cancelled", CLIENT_GONE)
    assert outcome(status=200) == ("cancelled", 200)
    assert outcome(status=429, complete=True, error_code="queue_full") == ("rejected", 429)
    assert outcome(status=200, complete=True, error_code="stalled") == ("timeout", 200)
    assert outcome(status=500, complete=True, error_code="internal_error") == ("error", 500)


@pytest.mark.parametrize("code", KINDS)
def test_every_code_has_an_outcome(code: str) -> None:
    expected = "rejected"
    if code in ("request_timeout", "queue_timeout", "stalled"):
        expected = "timeout"
    elif KINDS[code].status == 500:
        expected = "error"
    assert outcome(status=KINDS[code].status, complete=True, error_code=code)[0] == expected
