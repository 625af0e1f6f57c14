"""Names are found, suggested and derived from the schema, never listed by hand."""

from __future__ import annotations

import pytest

import kiln_contract as kc
from kiln_contract.cli.names import STREAM, UsageError, choose, definition, detect, request_of


def test_the_stream_is_the_one_definition_of_an_event_stream() -> None:
    schemas = kc.schema()["$defs"]
    assert [name for name in schemas if schemas[name].get("contentMediaType") == "text/event-stream"] == [STREAM]


def test_a_known_name_is_taken_as_it_is() -> None:
    assert definition("Usage") == "Usage"
    assert definition("thinking_budget.record") == "thinking_budget.record"


@pytest.mark.parametrize("typo", ["usage", "USAGE", "Usgae"])
def test_a_typo_gets_a_suggestion(typo: str) -> None:
    with pytest.raises(UsageError, match="did you mean 'Usage'"):
        definition(typo)


def test_a_name_like_no_other_gets_the_listing() -> None:
    with pytest.raises(UsageError, match="no rule 'xyz'; list them with `kiln-contract explain`"):
        choose("rule", "xyz", ["usage.total"], "kiln-contract explain")


def test_every_response_answers_a_request_and_nothing_else_does() -> None:
    answers = {name: request_of(name) for name in kc.schema()["$defs"] if request_of(name)}
    requests = {name for name in kc.ENTRYPOINTS if name.endswith("Request")}
    assert set(answers) == set(kc.ENTRYPOINTS) - requests
    assert set(answers.values()) == requests
    assert answers[STREAM] == "ChatCompletionRequest"
    assert answers["TextCompletionResponse"] == "TextCompletionRequest"


def test_documents_say_what_they_are_by_their_object_member() -> None:
    members = {name: body.get("properties", {}).get("object", {}) for name, body in kc.schema()["$defs"].items()}
    constants = {name: member["const"] for name, member in members.items() if "const" in member}
    assert constants["ChatCompletionResponse"] == "chat.completion"
    assert {name: detect({"object": constant}) for name, constant in constants.items()} == {n: n for n in constants}


@pytest.mark.parametrize("value", [None, [], "chat.completion", {}, {"object": "chat"}, {"object": ["x"]}], ids=repr)
def test_other_values_say_nothing(value: object) -> None:
    assert detect(value) is None
