"""The whole application on a real socket: routes, envelopes, and the order of the layers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from kiln_server.app import create_app
from kiln_server.openapi import OPERATIONS
from kiln_server.settings import SettingsError
from tests.kiln_server.live import Live, body_of, head_of, serving
from tests.kiln_server.services import ready_service, route
from tests.kiln_server.traffic import check_error

CHAT = "/v1/chat/completions"
SECRET = "the prompt is here"  # noqa: S105 - not a password


async def fail(_: Request) -> Response:
    raise RuntimeError(SECRET)


async def fail_late(_: Request) -> Response:
    async def pieces() -> Iterator[bytes]:  # type: ignore[misc]
        yield b"first"
        raise RuntimeError(SECRET)

    return StreamingResponse(pieces())


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving(create_app(ready_service())) as server:
        yield server


@pytest.fixture(scope="module")
def failing() -> Iterator[Live]:
    with serving(create_app(ready_service(), [route("/fail", fail), route("/late", fail_late)])) as server:
        yield server


def code_of(live: Live, method: str, path: str, **parts: object) -> str:
    answer = live.ask(method, path, **parts)  # type: ignore[arg-type]
    return str(answer.json()["error"]["code"])


def test_every_documented_operation_answers(live: Live) -> None:
    for operation in OPERATIONS:
        path = operation.path.replace("{model}", "mock")
        body = b"{" if operation.request else None
        answer = live.ask(operation.method.upper(), path, body=body)
        assert answer.status_code == (400 if operation.request else 200), path


def test_a_chat_completion_is_answered(live: Live) -> None:
    answer = live.ask("POST", CHAT, json={"messages": [{"role": "user", "content": "hi"}], "max_tokens": 4})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/chat/completions/", "/v1/models/", "/livez/", "//livez", "/v1/config%0A", "/%00", "/é"]
)
def test_a_path_that_nothing_serves_is_not_found(live: Live, path: str) -> None:
    assert code_of(live, "GET", path) == "not_found"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_a_wrong_method_names_the_right_one(live: Live, method: str) -> None:
    answer = live.ask(method, CHAT)
    assert answer.json()["error"]["code"] == "method_not_allowed"
    assert answer.headers["allow"] == "POST"


def test_allowed_methods_are_listed_in_one_order(live: Live) -> None:
    assert live.ask("POST", "/v1/models").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(("path", "status"), [("/livez", 200), ("/v1/models", 200), ("/nothing", 404), (CHAT, 405)])
def test_head_is_answered_like_get_but_without_a_body(live: Live, path: str, status: int) -> None:
    answer = live.ask("HEAD", path)
    assert answer.status_code == status
    assert int(answer.headers["content-length"]) > 0


def test_an_unforeseen_failure_tells_nothing_of_itself(failing: Live) -> None:
    answer = failing.ask("GET", "/fail")
    assert answer.json()["error"]["code"] == "internal_error"
    assert SECRET not in answer.text
    assert "RuntimeError" not in answer.text


def test_a_failure_after_the_answer_has_begun_cuts_the_connection(
    failing: Live, caplog: pytest.LogCaptureFixture
) -> None:
    answer = failing.raw(b"GET /late HTTP/1.1\r\nhost: x\r\n\r\n")
    assert head_of(answer)[0] == 200
    assert b"first" in answer
    assert not answer.endswith(b"0\r\n\r\n"), "a client must not take the answer for whole"
    assert SECRET.encode() not in answer
    assert "Exception in ASGI application" not in caplog.text


def test_the_connection_stays_open_after_an_error(live: Live) -> None:
    with live.connect() as connection:
        for _ in range(3):
            connection.sendall(b"GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n")
            answer = connection.recv(65536)
            assert head_of(answer)[0] == 404
            assert "connection" not in head_of(answer)[1]


def test_pipelined_requests_are_answered_in_order(live: Live) -> None:
    with live.connect() as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\nGET /nothing HTTP/1.1\r\nhost: x\r\n\r\n")
        received = b""
        while b"not_found" not in received:
            received += connection.recv(65536)
    assert received.index(b" 200 ") < received.index(b" 404 ")


def test_http_1_0_is_answered(live: Live) -> None:
    status, headers = head_of(answer := live.raw(b"GET /nothing HTTP/1.0\r\n\r\n"))
    assert (status, headers["connection"]) == (404, "close")
    check_error(status, headers, body_of(answer))


def test_a_web_socket_is_refused(live: Live) -> None:
    upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: eA==\r\n"
    request = f"GET /v1/chat HTTP/1.1\r\nhost: x\r\n{upgrade}\r\n"
    with live.connect() as connection:
        connection.sendall(request.encode())
        assert head_of(connection.recv(65536))[0] == 404


@pytest.mark.parametrize(
    "text",
    [
        r'{"messages":[{"role":"user","content":"cut \ud83d"}],"max_tokens":4}',
        r'{"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","x":"\ud83d"}]}',
        r'{"messages":[{"role":"user","content":"a"}],"stop":["\ud83d"]}',
        r'{"messages":[{"role":"user","content":"a"}],"adapter":"\udc00"}',
        r'{"messages":[{"role":"user","content":"a"}],"unknown":"\ud83d"}',
        r'{"messages":[{"role":"user","content":"a"}],"\ud83d":1}',
    ],
)
def test_half_a_surrogate_pair_is_the_clients_fault(live: Live, text: str) -> None:
    assert code_of(live, "POST", CHAT, body=text.encode()) == "invalid_json"


def test_a_whole_surrogate_pair_counts_as_its_character(live: Live) -> None:
    escaped = rb'{"messages":[{"role":"user","content":"cut \ud83d\ude00"}],"max_tokens":4}'
    literal = '{"messages":[{"role":"user","content":"cut 😀"}],"max_tokens":4}'.encode()
    tokens = [live.ask("POST", CHAT, body=body).json()["usage"]["prompt_tokens"] for body in (escaped, literal)]
    assert tokens[0] == tokens[1]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", '"NaN"'])
@pytest.mark.parametrize(
    "member",
    [
        '"temperature":{}',
        '"top_p":{}',
        '"min_p":{}',
        '"presence_penalty":{}',
        '"frequency_penalty":{}',
        '"repetition_penalty":{}',
        '"adapters":[{{"name":"a","scale":{}}}]',
    ],
)
def test_a_number_that_is_not_finite_never_gets_in(live: Live, member: str, number: str) -> None:
    text = '{"messages":[{"role":"user","content":"hi"}],"max_tokens":4,' + member.format(number) + "}"
    expected = "contract_violation" if number == '"NaN"' else "invalid_json"
    assert code_of(live, "POST", CHAT, body=text.encode()) == expected


def test_a_bad_request_leaves_its_neighbour_alone(live: Live) -> None:
    statuses = []

    def neighbour() -> None:
        for _ in range(20):
            body = {"messages": [{"role": "user", "content": "hello"}], "temperature": 0, "max_tokens": 8}
            statuses.append(live.ask("POST", CHAT, json=body).status_code)

    thread = threading.Thread(target=neighbour)
    thread.start()
    for _ in range(20):
        live.ask("POST", CHAT, body=b'{"messages":[],"temperature":NaN}')
    thread.join()
    assert statuses == [200] * 20


@pytest.mark.parametrize(
    "text",
    [
        b'{"messages":[{"role":"user","content":"hi"}],"max_tokens":1,"max_tokens":50}',
        b'{"messages":[{"role":"user","content":"a","content":"b"}],"stream":false,"stream":true}',
        b'{"messages":[{"role":"user","content":"a","content":"b"}]}',
        b'{"messages":[],"unknown":{"a":1,"a":2}}',
    ],
)
def test_a_repeated_key_is_refused_everywhere(live: Live, text: bytes) -> None:
    answer = live.ask("POST", CHAT, body=text)
    assert answer.json()["error"]["code"] == "invalid_json"
    assert {violation["rule"] for violation in answer.json()["error"]["violations"]} == {"json.duplicate-key"}


def test_without_a_key_even_unknown_paths_are_closed(tmp_path: object) -> None:
    file = str(tmp_path) + "/keys"
    with open(file, "w") as keys:
        keys.write("admin k1\n")
    with serving(create_app(ready_service(api_keys_file=file, cors_origins=("https://a.example",)))) as server:
        assert code_of(server, "GET", "/nothing") == "unauthorized"
        assert code_of(server, "PUT", CHAT) == "unauthorized"
        assert code_of(server, "GET", "/nothing", key="k1") == "not_found"
        assert server.ask("GET", "/livez").status_code == 200
        # A page may read the refusal, and its preflight needs no key.
        refused = server.ask("GET", "/v1/models", headers={"origin": "https://a.example"})
        assert refused.headers["access-control-allow-origin"] == "https://a.example"
        asked = {"origin": "https://a.example", "access-control-request-method": "POST"}
        assert server.ask("OPTIONS", CHAT, headers=asked).status_code == 204


def test_a_bad_key_file_stops_the_start(tmp_path: object) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        create_app(ready_service(api_keys_file=f"{tmp_path}/missing"))


def test_inference_routes_are_those_of_the_contract() -> None:
    paths = {route.path for route in create_app(ready_service()).routes if isinstance(route, Route)}
    assert {CHAT, "/v1/completions", "/v1/completions/batch"} < paths


def test_an_error_is_json_whatever_is_accepted(live: Live) -> None:
    answer = live.ask("GET", "/nothing", headers={"accept": "text/html"})
    assert json.loads(answer.content)["error"]["code"] == "not_found"
