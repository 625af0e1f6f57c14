"""Requests for a live server: valid, nearly valid, mutated and damaged bodies, under headers of every kind."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kiln_contract import strategies
from tests.fuzz.mutation import damage, mutate, repeat_member
from tests.fuzz.spelling import spell
from tests.kiln_server.routes.scripted import BATCH, CHAT, HELLO, SCORE

ENDPOINTS: Final = {"ChatCompletionRequest": CHAT, "BatchCompletionRequest": BATCH, "TextCompletionRequest": SCORE}
PER_EXAMPLE: Final = 8
"""Requests that one drawn example brings."""
KNOWN_ADAPTER: Final = "adapter.v1"

_JSON: Final = "application/json"
_TYPES: Final = (_JSON, f"{_JSON}; charset=utf-8", "APPLICATION/JSON", "application/vnd.kiln.v1+json", f"{_JSON} ;a=b")
_OTHER_TYPES: Final = ("text/plain", "application/jsonl", f"text/html, {_JSON}", "json", "")
_NOISE: Final = (
    ("x-request-id", ("a-b", "x" * 4000, "a\tb", "", "{}")),
    ("authorization", ("Bearer no-key-is-asked-for", "Basic Og==", "")),
    ("accept", ("text/event-stream", "image/png", "*/*;q=0")),
    ("accept-encoding", ("br", "identity;q=0")),
    ("expect", ("100-continue",)),
    ("connection", ("close", "keep-alive, x")),
    ("origin", ("null", "http://evil.example")),
    ("range", ("bytes=0-1",)),
    ("if-none-match", ("*",)),
    ("traceparent", ("00-0-0-0", "00-" + "0" * 32 + "-" + "0" * 16 + "-00")),
    ("x-forwarded-for", ("127.0.0.1, ::1", "%00")),
)


class Sent(NamedTuple):
    """One request, how it came about, and whether its headers declare what its body is."""

    kind: str
    definition: str
    body: bytes
    headers: dict[str, str]
    declared: bool

    @property
    def path(self) -> str:
        return ENDPOINTS[self.definition]


@st.composite
def requests(draw: DrawFn, definition: str) -> list[Sent]:
    """A handful of requests to one endpoint, all made of one valid document."""
    drawn = draw(strategies.valid(definition))
    random = Random(draw(st.binary(min_size=8, max_size=8)) + json.dumps(drawn).encode())  # noqa: S311 - reproducible
    tame = tamed(drawn, random)
    spelled = spell(tame, random).encode()
    missed = _near_miss(definition, tame, random)
    bodies = [
        ("drawn", _plain(drawn)),
        ("tame", _plain(tame)),
        ("tame", spelled),
        ("near miss", _plain(missed)),
        ("near miss", spell(_near_miss(definition, drawn, random), random).encode()),
        ("mutated", spell(mutate(tame, random), random).encode()),
        ("damaged", damage(spelled if len(spelled) < 10_000 else _plain(tame), random)),
        ("repeated member", repeat_member(_plain(tame), random)),
    ]
    return [Sent(kind, definition, body, *_headers(random)) for kind, body in bodies]


def tamed(request: dict[str, Any], random: Random) -> dict[str, Any]:
    """A request that is likely to be served, and soon: few tokens, a saved adapter, no record of a rollout.

    It stays valid when it was.
    """
    tame = {key: value for key, value in request.items() if key not in ("adapter", "adapters", "rollout_provenance")}
    if "prompt" not in tame:
        tame["max_tokens"] = random.choice((None, 0, 1, 4, 9))
        tame["max_completion_tokens"] = random.choice((1, 6))
        if "messages" in tame:
            tame["messages"] = tame["messages"] or HELLO
            tame |= random.choice(({}, {"stream": True, "n": 1, "stream_options": {"include_usage": True}}))
        else:
            tame["prompts"] = [messages or HELLO for messages in tame["prompts"]]
        tame |= random.choice(({}, {"adapter": KNOWN_ADAPTER}, {"adapters": [{"name": KNOWN_ADAPTER, "scale": 0.5}]}))
    else:
        tame.pop("model", None)
        tame["prompt"] = random.choice(([1, 2, 3], "abc", [256, 300]))
    return tame


def _near_miss(definition: str, valid: Any, random: Random) -> Any:
    """A near miss of a valid document, the rules that it may break equally likely."""
    by_rule: dict[str, list[Any]] = {}
    for miss in strategies.near_misses_of(definition, valid):
        by_rule.setdefault(miss.rule, []).append(miss.document)
    return random.choice(by_rule[random.choice(list(by_rule))])


def _headers(random: Random) -> tuple[dict[str, str], bool]:
    """Headers, and whether they declare a body that this server reads."""
    headers = {name: random.choice(values) for name, values in random.sample(_NOISE, random.choice((0, 0, 1, 3)))}
    fault = random.random()
    headers["content-type"] = random.choice(_OTHER_TYPES if fault < 0.03 else _TYPES)
    if 0.03 < fault < 0.06:
        headers["content-encoding"] = random.choice(("gzip", "identity"))
    return headers, fault >= 0.06


def _plain(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
