"""Each payload rule, at its border: the document, and where the violation points."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kiln_contract as kc
from kiln_contract import semantics
from kiln_contract.errors import MAX_MESSAGE, json_type
from tests.kiln_contract.samples import (
    batch_response,
    chat_request,
    entry,
    example,
    provenance,
    text_request,
)

Broken = list[tuple[str, str]]


def edited(document: dict[str, Any], *path: Any) -> dict[str, Any]:
    """Set the last of `path` at the place the others lead to."""
    *way, key, value = path
    target: Any = document
    for step in way:
        target = target[step]
    target[key] = value
    return document


def forced(close_ids: list[int] | None) -> dict[str, Any]:
    record = provenance(tokens=5)
    record["action_tokens"][1].update(source="forced", behavior_logprob=None)
    if close_ids is not None:
        record["sampling"]["thinking_budget"] = {"max_tokens": 1, "close_token_ids": close_ids}
    return record


def rollout(**members: Any) -> dict[str, Any]:
    return chat_request(rollout_provenance=True, **members)


def timing(delay: float) -> dict[str, Any]:
    return edited(example("StreamingTokenTiming"), "queue_delay_ms", delay)


def scored(*entries: Any) -> dict[str, Any]:
    return edited(example("TextCompletionResponse"), "choices", 0, "prompt_logprobs", list(entries))["choices"][0]


def record(**members: Any) -> dict[str, Any]:
    return {
        "configured": True,
        "max_tokens": 1,
        "tokens_source": "request",
        "time_source": "unlimited",
        "applied": True,
        "triggered": False,
        **members,
    }


CLOSED = {"closed": True, "thinking_tokens": 1, "thinking_time_ms": 1}

CASES: list[tuple[str, str, Any, Broken]] = [
    ("batch.outputs", "BatchCompletionRequest", {"prompts": [[]] * 32, "n": 2}, []),
    ("batch.outputs", "BatchCompletionRequest", {"prompts": [[]] * 33, "n": 2}, [("", "batch.outputs")]),
    ("batch.outputs", "BatchCompletionRequest", {"prompts": [[]] * 64, "n": None}, []),
    ("rollout.no-tools", "ChatCompletionRequest", rollout(tools=[], tool_choice=None), []),
    ("rollout.no-tools", "ChatCompletionRequest", rollout(tools=[{}]), [("/tools", "rollout.no-tools")]),
    ("rollout.no-tools", "ChatCompletionRequest", rollout(tool_choice="none"), [("/tool_choice", "rollout.no-tools")]),
    ("rollout.no-tools", "ChatCompletionRequest", chat_request(tools=[{}], tool_choice="auto"), []),
    ("rollout.capacity", "ChatCompletionRequest", rollout(max_completion_tokens=1), []),
    (
        "rollout.capacity",
        "ChatCompletionRequest",
        rollout(max_completion_tokens=0),
        [("/max_completion_tokens", "rollout.capacity")],
    ),
    ("rollout.capacity", "ChatCompletionRequest", rollout(max_tokens=1, max_completion_tokens=0), []),
    (
        "rollout.capacity",
        "ChatCompletionRequest",
        rollout(max_tokens=0, max_completion_tokens=0),
        [("", "chat.rollout-max-tokens")],
    ),
    ("rollout.sampling", "ChatCompletionRequest", rollout(temperature=0, top_p=1, min_p=0, presence_penalty=-2), []),
    ("rollout.sampling", "ChatCompletionRequest", rollout(temperature=-0.1), [("/temperature", "rollout.sampling")]),
    (
        "rollout.sampling",
        "ChatCompletionRequest",
        rollout(top_p=1.5, min_p=-1),
        [("/top_p", "rollout.sampling"), ("/min_p", "rollout.sampling")],
    ),
    (
        "rollout.sampling",
        "ChatCompletionRequest",
        rollout(repetition_penalty=0),
        [("/repetition_penalty", "rollout.sampling")],
    ),
    ("rollout.sampling", "ChatCompletionRequest", rollout(stop=["a"] * 256 + [""]), []),
    ("rollout.sampling", "ChatCompletionRequest", rollout(stop=["a"] * 257), [("/stop", "rollout.sampling")]),
    ("rollout.sampling", "ChatCompletionRequest", rollout(stop="é" * 8192), []),
    ("rollout.sampling", "ChatCompletionRequest", rollout(stop="é" * 8192 + "a"), [("/stop", "rollout.sampling")]),
    ("rollout.sampling", "ChatCompletionRequest", chat_request(temperature=-1, stop=["a"] * 300), []),
    ("scoring.candidates", "TextCompletionRequest", text_request(prompt=[0] * 257, prompt_logprobs=255), []),
    (
        "scoring.candidates",
        "TextCompletionRequest",
        text_request(prompt=[0] * 258, prompt_logprobs=255),
        [("", "scoring.candidates")],
    ),
    ("scoring.candidates", "TextCompletionRequest", text_request(prompt="x" * 5000, prompt_logprobs=256), []),
    *[("adapter.name", "AdapterRef", {"name": name, "scale": 1}, []) for name in ("a", "a.b", "é", "a b\xa0c")],
    *[
        ("adapter.name", "AdapterRef", {"name": name, "scale": 1}, [("/name", "adapter.name")])
        for name in (".", "..", "a/b", "/a", "a\\b", "a..b", "a\x00", "a\x7f", "a\x85", "a\x9f", "\n")
    ],
    ("adapter.name", "ChatCompletionRequest", chat_request(adapter="../x"), [("/adapter", "adapter.name")]),
    ("adapter.name", "ChatCompletionRequest", chat_request(adapter=""), []),
    ("adapter.name", "BatchCompletionRequest", {"prompts": [[]], "adapter": "a/b"}, [("/adapter", "adapter.name")]),
    ("usage.total", "Usage", {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}, []),
    (
        "usage.total",
        "Usage",
        {"prompt_tokens": 2.0, "completion_tokens": 3, "total_tokens": 6},
        [("/total_tokens", "usage.total")],
    ),
    ("usage.sum", "BatchCompletionResponse", batch_response((0, 0), (1, 0)), []),
    (
        "usage.sum",
        "BatchCompletionResponse",
        edited(batch_response((0, 0)), "usage", {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}),
        [("/usage", "usage.sum")],
    ),
    ("index.order", "BatchCompletionResponse", batch_response((0, 0), (0, 1), (1, 0), (1, 1)), []),
    (
        "index.order",
        "BatchCompletionResponse",
        batch_response((0, 1), (0, 0)),
        [("/completions/0/completion_index", "index.order")],
    ),
    (
        "index.order",
        "BatchCompletionResponse",
        batch_response((0, 0), (0, 0)),
        [("/completions/1/completion_index", "index.order")],
    ),
    (
        "index.order",
        "BatchCompletionResponse",
        batch_response((0, 0), (2, 0)),
        [("/completions/1/prompt_index", "index.order")],
    ),
    (
        "index.order",
        "BatchCompletionResponse",
        batch_response((0, 0), (0, 1), (1, 0)),
        [("/completions", "index.order")],
    ),
    (
        "index.order",
        "ChatCompletionResponse",
        edited(example("ChatCompletionResponse"), "choices", 0, "index", 1),
        [("/choices/0/index", "index.order")],
    ),
    (
        "index.order",
        "TextCompletionResponse",
        edited(example("TextCompletionResponse"), "choices", 0, "index", 1),
        [("/choices/0/index", "index.order")],
    ),
    ("budget.outcome-applied", "thinking_budget.record", record(**CLOSED), []),
    ("budget.outcome-applied", "thinking_budget.record", record(applied=False), []),
    (
        "budget.outcome-applied",
        "thinking_budget.record",
        record(applied=False, **CLOSED),
        [("/applied", "budget.outcome-applied")],
    ),
    ("timing.queue-delay", "StreamingTokenTiming", timing(0.302), []),
    ("timing.queue-delay", "StreamingTokenTiming", timing(0.298), []),
    ("timing.queue-delay", "StreamingTokenTiming", timing(0.3021), [("/queue_delay_ms", "timing.queue-delay")]),
    ("timing.queue-delay", "StreamingTokenTiming", timing(0.2979), [("/queue_delay_ms", "timing.queue-delay")]),
    ("logprobs.entries", "TextCompletionChoice", scored(None, {"1": entry(-1, 1), "2": entry(-1, 2)}), []),
    ("logprobs.entries", "TextCompletionChoice", scored(), []),
    (
        "logprobs.entries",
        "TextCompletionChoice",
        scored({"1": entry(-1, 1)}),
        [("/prompt_logprobs/0", "logprobs.entries")],
    ),
    (
        "logprobs.entries",
        "TextCompletionChoice",
        scored(None, None, {}),
        [("/prompt_logprobs/1", "logprobs.entries"), ("/prompt_logprobs/2", "logprobs.entries")],
    ),
    (
        "logprobs.entries",
        "TextCompletionChoice",
        scored(None, {"1": entry(-1, 1), "2": entry(-2, 1)}),
        [("/prompt_logprobs/1", "logprobs.entries")],
    ),
    (
        "logprobs.entries",
        "TextCompletionChoice",
        scored(None, {"1": entry(-2, 1), "2": entry(-1, 9)}),
        [("/prompt_logprobs/1", "logprobs.entries")],
    ),
    ("template-invocation.size", "RolloutChatTemplateInvocationV1", {"tools": ["x" * (1048576 - 14)]}, []),
    (
        "template-invocation.size",
        "RolloutChatTemplateInvocationV1",
        {"tools": ["x" * (1048576 - 13)]},
        [("", "template-invocation.size")],
    ),
    (
        "sampling.stop-bytes",
        "RolloutSamplingConfigV1",
        edited(provenance(), "sampling", "stop", ["é" * 8192])["sampling"],
        [],
    ),
    (
        "sampling.stop-bytes",
        "RolloutSamplingConfigV1",
        edited(provenance(), "sampling", "stop", ["é" * 8192, "a"])["sampling"],
        [("/stop", "sampling.stop-bytes")],
    ),
    ("identity-text", "RolloutIdentityText", "é" * 128, []),
    ("identity-text", "RolloutIdentityText", "é" * 128 + "a", [("", "identity-text")]),
    ("identity-text", "RolloutIdentityText", " a", [("", "identity-text")]),
    *[("identity-text", "RolloutIdentityText", f"a{char}b", [("", "identity-text")]) for char in "\x80\x85\x9f"],
    ("identity-text", "RolloutIdentityText", "a\xa0b", []),
    ("identity-text", "RolloutIdentityText", "", [("", "schema.minLength")]),
    (
        "identity-text",
        "RolloutProvenanceV1",
        edited(provenance(), "generation_backend", "é" * 33),
        [("/generation_backend", "identity-text")],
    ),
    ("provenance.prompt-count", "RolloutProvenanceV1", provenance(), []),
    (
        "provenance.prompt-count",
        "RolloutProvenanceV1",
        provenance() | {"prompt_token_count": 4},
        [(f"/action_tokens/{position}/sequence_index", "provenance.action-order") for position in (0, 1)],
    ),
    (
        "provenance.action-order",
        "RolloutProvenanceV1",
        edited(
            provenance(),
            "action_tokens",
            0,
            {"sequence_index": 1, "token_id": 101, "source": "sampled", "behavior_logprob": 0},
        ),
        [("/action_tokens/0/sequence_index", "provenance.action-order")],
    ),
    (
        "provenance.action-order",
        "RolloutProvenanceV1",
        edited(provenance(), "action_tokens", 1, "sequence_index", 4),
        [("/action_tokens/1/sequence_index", "provenance.action-order")],
    ),
    (
        "provenance.action-token",
        "RolloutProvenanceV1",
        edited(provenance(), "action_tokens", 1, "token_id", 7),
        [("/action_tokens/1/token_id", "provenance.action-token")],
    ),
    ("provenance.forced", "RolloutProvenanceV1", forced([103]), []),
    ("provenance.forced", "RolloutProvenanceV1", forced([104]), [("/action_tokens/1/token_id", "provenance.forced")]),
    ("provenance.forced", "RolloutProvenanceV1", forced(None), [("/action_tokens/1/token_id", "provenance.forced")]),
]


@pytest.mark.parametrize(
    ("rule", "name", "document", "broken"), CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)]
)
def test_rule(rule: str, name: str, document: Any, broken: Broken) -> None:
    assert rule in kc.RULES
    assert [(v.pointer, v.rule) for v in kc.validate(name, document)] == broken
    body = kc.encode(document)
    assert [(v.pointer, v.rule) for v in kc.validate_json(name, body)] == broken
    assert decoded(name, body, "value") == broken
    assert decoded(name, body, "raw") == broken


def decoded(name: str, body: bytes, opaque: Literal["value", "raw"]) -> Broken:
    """What `decode` reports; nothing when it decodes."""
    try:
        kc.decode(name, body, opaque=opaque)
    except kc.ContractViolation as error:
        return [(v.pointer, v.rule) for v in error.violations]
    return []


def test_semantics_can_be_left_out() -> None:
    broken = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 1}
    assert kc.validate("Usage", broken, semantics=False) == []
    assert kc.validate("RolloutIdentityText", " x", semantics=False) == []


def test_a_record_of_forced_tokens_alone_is_no_rollout() -> None:
    record = forced([102, 103, 104])
    for token in record["action_tokens"]:
        token.update(source="forced", behavior_logprob=None)
    (violation,) = kc.validate("RolloutProvenanceV1", record)
    assert (violation.rule, violation.pointer, violation.got) == ("provenance.sampled", "/action_tokens", "array")
    assert violation.expected == "at least one item with source sampled"


def test_a_prompt_longer_than_the_input() -> None:
    record = provenance() | {"prompt_token_count": 5}
    (violation,) = kc.validate("RolloutProvenanceV1", record)
    assert (violation.rule, violation.pointer) == ("provenance.prompt-count", "/prompt_token_count")
    assert (violation.expected, violation.got) == ("<= 4", "integer")


def test_a_rule_waits_for_the_members_it_reads() -> None:
    found = kc.validate("Usage", {"prompt_tokens": "1", "completion_tokens": 1, "total_tokens": 3})
    assert [v.rule for v in found] == ["schema.type"]
    both = kc.validate("ChatCompletionRequest", rollout(tools=[{}], top_k=-1))
    assert [v.rule for v in both] == ["schema.minimum", "rollout.no-tools"]


def test_what_a_violation_says() -> None:
    for _, name, document, broken in CASES:
        for violation, (pointer, _) in zip(kc.validate(name, document), broken, strict=True):
            told = json_type(member_at(document, pointer))
            # Where the schema asks for a number, a Struct holds a whole one as a float too.
            assert violation.got == told or (violation.got, told) == ("number", "integer"), violation
            assert 0 < len(violation.message) <= MAX_MESSAGE, violation
            assert violation.expected, violation


def member_at(document: Any, pointer: str) -> Any:
    for key in pointer.split("/")[1:]:
        document = document[int(key) if isinstance(document, list) else key]
    return document


EXPECTED = {
    "batch.outputs": {"prompts * n <= 64"},
    "rollout.no-tools": {"no tools", "null or absent"},
    "rollout.capacity": {"integer >= 1"},
    "rollout.sampling": {"at least 0", "from 0 to 1", "above 0", "at most 256", "<= 16384 UTF-8 bytes"},
    "scoring.candidates": {"positions * (prompt_logprobs + 1) <= 65536"},
    "adapter.name": {"a plain adapter name"},
    "usage.total": {"prompt_tokens + completion_tokens"},
    "usage.sum": {"the sum of completions[].usage"},
    "index.order": {"0", "1", "a multiple of 2 items"},
    "budget.outcome-applied": {"true"},
    "timing.queue-delay": {"response_delivery_ms + handler_queue_ms"},
    "logprobs.entries": {"null", "object with at least one candidate", "unique ranks, ordered by logprob"},
    "template-invocation.size": {"<= 1048576 bytes"},
    "sampling.stop-bytes": {"<= 16384 UTF-8 bytes"},
    "identity-text": {"trimmed text", "no control characters", "<= 64 UTF-8 bytes", "<= 256 UTF-8 bytes"},
    "provenance.action-order": {"> 1 and < 4", "> 2 and < 4", "> 3 and < 4"},
    "provenance.action-token": {"input_token_ids[sequence_index]"},
    "provenance.forced": {"a member of close_token_ids"},
}


def test_what_each_rule_expects() -> None:
    said: dict[str, set[str]] = {}
    for _, name, document, _ in CASES:
        for violation in kc.validate(name, document):
            said.setdefault(violation.rule, set()).add(violation.expected)
    assert {rule: texts for rule, texts in said.items() if rule in EXPECTED} == EXPECTED


def test_actions_after_a_broken_one_are_held_against_the_last_good_place() -> None:
    record = provenance(tokens=8)
    for position, index in enumerate((2, 9, 4, 6, 5, 7)):
        record["action_tokens"][position] |= {"sequence_index": index, "token_id": 100 + index}
    order = [(v.pointer, v.expected) for v in kc.validate("RolloutProvenanceV1", record)]
    place = "/action_tokens/{}/sequence_index".format
    assert order == [(place(1), "> 2 and < 8"), *[(place(at), "> 7 and < 8") for at in (2, 3, 4, 5)]]


def test_raw_json_without_a_canonical_form_is_measured_by_its_least_size() -> None:
    texts = len("tools" + "template_kwargs" + "k") + len("é".encode())
    room = semantics.MAX_TEMPLATE_INVOCATION_BYTES - texts - 9  # one byte for each of the nine keys and values
    assert refused_invocation(room) == []
    assert refused_invocation(room + 1) == [("", "template-invocation.size")]


def refused_invocation(num_letters: int) -> Broken:
    body = '{"tools": [1e400, "é"], "template_kwargs": {"k": "%s"}}' % ("x" * num_letters)
    return decoded("RolloutChatTemplateInvocationV1", body.encode(), "raw")


def action(index: int, *, is_forced: bool) -> dict[str, Any]:
    source, logprob = ("forced", None) if is_forced else ("sampled", -1.0)
    return {"sequence_index": index, "token_id": 100 + index, "source": source, "behavior_logprob": logprob}


FLAWS = {
    "sequence_index": st.integers(0, 6),
    "token_id": st.integers(100, 106),
    "source": st.sampled_from(["sampled", "forced"]),
    "behavior_logprob": st.sampled_from([None, -1.0]),
}


@st.composite
def nearly_sound_records(draw: st.DrawFn) -> dict[str, Any]:
    """A record that holds, but for at most two members; records drawn freely would hardly ever hold."""
    prompt = draw(st.integers(1, 5))
    places = draw(st.lists(st.integers(prompt, 5), min_size=1, unique=True).map(sorted))
    actions = [action(place, is_forced=draw(st.booleans())) for place in places]
    close = {item["token_id"] for item in actions if item["source"] == "forced"} | draw(st.sets(st.just(105)))
    for name in draw(st.lists(st.sampled_from(sorted(FLAWS)), max_size=2)):
        draw(st.sampled_from(actions))[name] = draw(FLAWS[name])
    record = provenance(tokens=6, prompt=2) | {"action_tokens": actions}
    record["prompt_token_count"] = draw(st.just(prompt) | st.integers(1, 7))
    if close and draw(st.integers(0, 9)):
        record["sampling"]["thinking_budget"] = {"max_tokens": 1, "close_token_ids": sorted(close)}
    return record


@given(nearly_sound_records())
def test_the_one_pass_form_agrees_with_the_rules(record: dict[str, Any]) -> None:
    typed = msgspec.convert(record, kc.RolloutProvenanceV1)
    paired = all((item["source"] == "forced") == (item["behavior_logprob"] is None) for item in record["action_tokens"])
    rules = (
        semantics.prompt_count,
        semantics.action_order,
        semantics.action_token,
        semantics.some_sampled,
        semantics.forced_tokens,
    )
    one_by_one = paired and not any(list(rule(typed)) for rule in rules)
    assert semantics.provenance_actions_hold(typed) == one_by_one
