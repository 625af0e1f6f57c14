"""Budget resolution, records and the checks on requests. The controller has a file of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import UNSET

from kiln_contract import thinking
from kiln_contract.errors import Violation
from kiln_contract.thinking import Effective, Outcome

CONTRACTS = Path(__file__).parents[2] / "contracts"
SCHEMA = json.loads((CONTRACTS / "thinking-budget-v1.schema.json").read_text())
RESOLUTION = json.loads((CONTRACTS / "vectors" / "thinking_budget.resolution.json").read_text())["vectors"]
TRACES = json.loads((CONTRACTS / "vectors" / "thinking_budget.traces.json").read_text())["traces"]


def conforms(definition: str, value: object) -> bool:
    return Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{definition}"}).is_valid(value)


# Resolution


@pytest.mark.parametrize("vector", RESOLUTION, ids=lambda v: v["name"])
def test_resolution_vectors(vector: dict[str, Any]) -> None:
    effective = thinking.resolve(vector["defaults"], vector["request"], vector["scope"])
    assert msgspec.to_builtins(effective) == vector["effective"]
    assert conforms("effective", vector["effective"])
    assert conforms("request", vector["request"])


def test_resolution_vectors_cover_every_source_a_resolution_can_name() -> None:
    named = {v["effective"][source] for v in RESOLUTION for source in ("tokens_source", "time_source")}
    assert named == set(SCHEMA["$defs"]["source"]["enum"]) - {"unknown"}


@given(
    st.fixed_dictionaries(
        {}, optional={f"default_thinking_budget_{d}": st.none() | st.integers(0) for d in ("tokens", "ms")}
    ),
    st.fixed_dictionaries({}, optional={f"thinking_budget_{d}": st.none() | st.integers(0) for d in ("tokens", "ms")}),
    st.sampled_from(["request", "suite", "run_override", "example"]),
)
def test_every_resolution_conforms_and_the_dimensions_never_mix(defaults: Any, request: Any, scope: Any) -> None:
    effective = thinking.resolve(defaults, request, scope)
    assert conforms("effective", msgspec.to_builtins(effective))
    only_tokens = thinking.resolve(
        {k: v for k, v in defaults.items() if k.endswith("tokens")},
        {k: v for k, v in request.items() if k.endswith("tokens")},
        scope,
    )
    assert (effective.max_tokens, effective.tokens_source) == (only_tokens.max_tokens, only_tokens.tokens_source)
    assert only_tokens.time_source == "unlimited"


def test_structs_with_unset_fields_resolve_like_mappings() -> None:
    class Request(msgspec.Struct):
        thinking_budget_tokens: int | msgspec.UnsetType | None = UNSET
        thinking_budget_ms: int | msgspec.UnsetType | None = UNSET

    class Defaults(msgspec.Struct):
        default_thinking_budget_tokens: int | None = None
        default_thinking_budget_ms: int | msgspec.UnsetType | None = UNSET

    effective = thinking.resolve(Defaults(5), Request(thinking_budget_ms=None))
    assert msgspec.to_builtins(effective) == {
        "configured": True,
        "max_tokens": 5,
        "tokens_source": "server_default",
        "time_source": "request_unlimited",
    }


def test_an_object_without_the_fields_is_an_error_not_an_unlimited_budget() -> None:
    with pytest.raises(AttributeError, match="thinking_budget_tokens"):
        thinking.resolve({}, object())


@pytest.mark.parametrize("limit", [-1, 1.5, True, "3", float("inf"), float("nan"), [1]])
@pytest.mark.parametrize("holder", ["defaults", "request"])
def test_a_limit_that_is_no_count_is_refused_by_name(limit: object, holder: str) -> None:
    name = "thinking_budget_ms" if holder == "request" else "default_thinking_budget_ms"
    arguments: Any = {"defaults": {}, "request": {}} | {holder: {name: limit}}
    with pytest.raises(ValueError, match=f"^{name} must be null or an integer"):
        thinking.resolve(**arguments)


def test_an_integral_float_is_the_integer_it_is_in_json_schema() -> None:
    effective = thinking.resolve({}, {"thinking_budget_tokens": 16.0})
    assert (effective.max_tokens, type(effective.max_tokens)) == (16, int)


def test_an_unknown_scope_is_refused() -> None:
    scope: Any = "everything"
    with pytest.raises(ValueError, match="scope must be one of request, suite, run_override, example"):
        thinking.resolve({}, {}, scope)


@pytest.mark.parametrize(
    ("request_", "inside", "limit", "expected"),
    [
        ({"thinking_budget_tokens": 0}, True, 1, True),
        ({"thinking_budget_ms": 0}, True, 1, True),
        ({"thinking_budget_tokens": None}, True, 1, False),
        ({"thinking_budget_tokens": 4}, False, 1, False),
        ({"thinking_budget_tokens": 4}, True, 0, False),
    ],
)
def test_a_budget_applies_when_finite_inside_the_block_and_with_room(
    request_: Any, inside: bool, limit: int, expected: bool
) -> None:
    effective = thinking.resolve({}, request_)
    assert thinking.applies(effective, prompt_inside_block=inside, token_limit=limit) is expected


# Records

EFFECTIVE = thinking.resolve({"default_thinking_budget_tokens": 8}, {"thinking_budget_ms": None})
UNLIMITED = thinking.resolve({}, {})
OUTCOME = Outcome(triggered=True, trigger="tokens", closed=True, thinking_tokens=8, thinking_time_ms=3)


@pytest.mark.parametrize(
    ("effective", "applied", "outcome"),
    [(EFFECTIVE, True, OUTCOME), (EFFECTIVE, True, None), (EFFECTIVE, False, None), (UNLIMITED, False, None)],
)
def test_a_record_holds_limits_and_outcome_flat(effective: Effective, applied: bool, outcome: Outcome | None) -> None:
    made = msgspec.to_builtins(thinking.record(effective, applied=applied, outcome=outcome))
    expected = {**msgspec.to_builtins(effective), "applied": applied, "triggered": False}
    assert made == {**expected, **(msgspec.to_builtins(outcome) if outcome else {})}
    assert conforms("record", made)


@pytest.mark.parametrize("trace", TRACES, ids=lambda t: t["name"])
def test_outcome_and_record_of_every_trace_conform(trace: dict[str, Any]) -> None:
    assert conforms("outcome", trace["outcome"])
    outcome = msgspec.convert(trace["outcome"], Outcome)
    assert conforms("record", msgspec.to_builtins(thinking.record(EFFECTIVE, applied=True, outcome=outcome)))


def test_records_that_the_contract_rules_out_are_refused() -> None:
    with pytest.raises(ValueError, match="without a finite limit"):
        thinking.record(UNLIMITED, applied=True)
    with pytest.raises(ValueError, match="an outcome needs"):
        thinking.record(EFFECTIVE, applied=False, outcome=OUTCOME)


# Checks on requests


@pytest.mark.parametrize(
    ("stop", "pointers"),
    [
        (None, []),
        ([], []),
        ("", []),
        ("\n\n", []),
        ("think", ["/stop"]),
        ("</think>", ["/stop"]),
        ("a</think>b", ["/stop"]),
        ("done<", ["/stop"]),
        ("done</thin", ["/stop"]),
        (">\n", ["/stop"]),
        ("hink>!", ["/stop"]),
        ("think!", []),
        ("x/think", []),
        ("<think", []),
        (["ok", "<", "", "</tool_call>", "/"], ["/stop/1", "/stop/4"]),
    ],
)
def test_stops_that_meet_the_close_text(stop: Any, pointers: list[str]) -> None:
    found = thinking.stop_overlap(stop)
    assert [v.pointer for v in found] == pointers
    assert {v.rule for v in found} <= {"budget.stop-overlap"}


@given(st.text("</think>x", max_size=12))
def test_an_overlap_is_any_way_to_lay_the_two_texts_over_each_other(stop: str) -> None:
    close = thinking.CLOSE_TEXT
    shifts = range(1 - len(stop), len(close))
    laid = any(
        all(stop[i - shift] == close[i] for i in range(max(0, shift), min(len(close), shift + len(stop))))
        for shift in shifts
    )
    assert bool(thinking.stop_overlap(stop)) == (bool(stop) and laid)


def test_a_stop_is_never_shown_and_the_list_is_bounded() -> None:
    found = thinking.stop_overlap(["secret</think>"] * 10_000, max_errors=7)
    assert len(found) == 7
    assert "secret" not in repr(found)
    assert all(len(v.message) <= 300 for v in found)
    assert len(thinking.stop_overlap(["<"] * 1000)) == 100


def test_what_a_violation_of_each_check_says() -> None:
    common: Any = {"keyword": "", "schema_ref": ""}
    assert thinking.stop_overlap(["<"]) == [
        Violation(
            pointer="/stop/0",
            rule="budget.stop-overlap",
            message="a stop string contains, is part of or overlaps </think>: change it, or drop the thinking budget",
            expected="text that shares no part with </think>",
            got="string",
            **common,
        )
    ]
    assert thinking.close_encoding([3], "think") == [
        Violation(
            pointer="",
            rule="budget.close-encoding",
            message="the tokenizer cannot encode and decode </think> exactly: "
            "no thinking budget can be enforced with it",
            expected="ids that decode to </think>",
            got="string",
            **common,
        )
    ]


@pytest.mark.parametrize(
    ("ids", "decoded", "fine"), [([5, 6], "</think>", True), ([5, 6], " </think>", False), ([], "</think>", False)]
)
def test_the_tokenizer_must_carry_the_close_text(ids: list[int], decoded: str, fine: bool) -> None:
    found = thinking.close_encoding(ids, decoded)
    assert [v.rule for v in found] == ([] if fine else ["budget.close-encoding"])


def test_another_close_text_can_be_checked() -> None:
    assert thinking.stop_overlap("</think>", close_text="[END]") == []
    assert thinking.close_encoding([1], "[END]", close_text="[END]") == []


def test_rules_are_those_the_checks_use() -> None:
    used = {thinking.stop_overlap("<")[0].rule, thinking.close_encoding([], "")[0].rule}
    assert set(thinking.RULES) == used
