"""Where readers of JSON disagree: one row each, with the verdict of every way to read a request.

The reference server's reader is asked as well, and so is the hardened standard reader. Where the server's differs from
the contract, the row says why.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

import kiln_contract as kc
from tests.fuzz.verdicts import conforms
from tests.oracles import serde

TEMPLATES: Final = {
    "integer": '{"messages": [], "max_tokens": %s}',
    "uint64": '{"messages": [], "seed": %s}',
    "number": '{"messages": [], "temperature": %s}',
    "boolean": '{"messages": [], "stream": %s}',
    "text": '{"messages": [], "model": %s}',
    "opaque": '{"messages": [], "tools": [%s]}',
    "ignored": '{"messages": [], "unknown": %s}',
    "object": '{"messages": [], "stream_options": %s}',
}
HUGE: Final = "9" * 4301
DEEP: Final = "deeper than serde_json follows: it stops at 127 containers"
EXACT: Final = "serde_json tells integers by their spelling, JSON Schema by their value"
SKIPPED: Final = "serde_json skips what no field takes and looks at its syntax alone"
WIDE: Final = "a usize is narrower than the contract's integer"
REPEATED: Final = "serde_json refuses a field given twice and nothing else given twice"


class Row(NamedTuple):
    """A literal in some kind of place. `strict` goes for validate_json and decode(strict=True), `lenient` for decode.

    `raw` is decode with opaque="raw", where that differs from `lenient`.
    """

    place: str
    literal: str
    strict: bool
    lenient: bool
    serde: bool | None = None
    because: str = ""
    raw: bool | None = None


def row(place: str, literal: str, verdict: bool, **others: bool | str | None) -> Row:
    """A row of one verdict, which serde_json shares where a tokenizer file can ask it, except as `others` say."""
    asked = place in (*serde.PLACES, "document")
    return Row(place, literal, verdict, verdict)._replace(**{"serde": verdict if asked else None, **others})  # type: ignore[arg-type]


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


ROWS: Final = [
    # Integers
    row("integer", "16", True),
    row("integer", "16.0", True, serde=False, because=EXACT),
    row("integer", "1.6e1", True, serde=False, because=EXACT),
    row("integer", "160E-1", True, serde=False, because=EXACT),
    row("integer", "16.5", False),
    row("integer", "-0", True, serde=False, because=EXACT),
    row("integer", "-0.0", True, serde=False, because=EXACT),
    row("integer", "-1", False),
    row("integer", "true", False),
    row("integer", '"1"', False),
    row("integer", "1.00000000000000000001", False),
    row("integer", "1e-400", False),
    row("integer", "0e-99999999999999999999", True, serde=False, because=EXACT),
    row("integer", "18446744073709551615", True),
    row("integer", "18446744073709551616", True, serde=False, because=WIDE),
    row("integer", "9" * 4300, True, serde=False, because=WIDE),
    row("integer", HUGE, False),
    row("integer", "1e400", False),
    row("uint64", "18446744073709551615", True),
    row("uint64", "18446744073709551615.0", True),
    row("uint64", "18446744073709551616", False),
    row("uint64", "1.8446744073709551616e19", False),
    row("uint64", "-1", False),
    # Numbers
    row("number", "1", True),
    row("number", "true", False),
    row("number", '"0.5"', False),
    row("number", "1e-400", True),
    row("number", "1e39", True),
    row("number", "1e400", False),
    row("number", "-1e400", False),
    row("number", "1" + "0" * 400, False),
    row("number", "NaN", False),
    row("number", "Infinity", False),
    row("number", "-Infinity", False),
    *(row("number", literal, False) for literal in ("01", "+1", ".5", "1.", "1e", "0x10", "1_000", "--1", "-")),
    # Booleans
    row("boolean", "true", True),
    *(row("boolean", literal, False) for literal in ("1", "0", '"true"', "True")),
    # Text
    row("text", '"\\u0000"', True),
    row("text", '"\\ud83d\\ude00"', True),
    row("text", '"\\ud800"', False),
    row("text", '"\\ude00\\ud83d"', False),
    row("text", '"a\x01"', False),
    row("text", '"a\nb"', False),
    row("text", '"\\x41"', False),
    row("text", "'a'", False),
    # Places that nothing looks at
    row("ignored", "1e400", True),
    row("ignored", HUGE, True),
    row("ignored", f"[1e{HUGE}, 0.{HUGE}, -{HUGE}]", True),
    row("ignored", f"[{HUGE}, NaN]", False),
    row("ignored", f"[{HUGE}, 01]", False),
    row("ignored", f"[{HUGE}, {HUGE}", False),
    row("ignored", f'[{HUGE}, "\\ud800"]', False, serde=True, because=SKIPPED),
    row("ignored", f'["{HUGE}\\"", {HUGE}]', True),
    row("ignored", "NaN", False),
    row("ignored", '"\\ud800"', False, serde=True, because=SKIPPED),
    row("ignored", '"a\x01"', False),
    row("ignored", '{"a": 1, "a": 2}', False, lenient=True, serde=True, because=REPEATED),
    row("ignored", '1, "unknown": 2', False, lenient=True, serde=True, because=REPEATED),
    row("ignored", nested(127), True),
    row("ignored", nested(128), False, lenient=True, serde=True, because=SKIPPED),
    row("ignored", nested(100_000), False, serde=True, because=SKIPPED),
    row("opaque", "1e400", False, raw=True),
    row("opaque", HUGE, False, raw=True),
    row("opaque", "NaN", False),
    row("opaque", '"\\ud800"', False),
    row("opaque", "-0", True),
    row("opaque", "18446744073709551616", True),
    row("opaque", '{"a": 1, "a": 2}', False, lenient=True, serde=True, because=REPEATED),
    row("opaque", nested(125), True),
    row("opaque", nested(126), True, serde=False, because=DEEP),
    row("opaque", nested(127), False, lenient=True),
    row("opaque", nested(100_000), False),
    # Objects
    row("object", '{"include_usage": true}', True, serde=None),
    row("object", '["include_usage"]', False),
    row("object", "[true]", False),
    row("object", '{"include_usage": true,}', False),
    row("object", '{"include_usage": 1, "include_usage": true}', False, lenient=True, serde=None),
    row("object", '{"include_usage": true, "include_usage": 1}', False, serde=None),
    row("object", '{"include_\\u0075sage": 1}', False),
]

DOCUMENTS: Final = [
    row("document", "{}", True),
    row("document", " \t\r\n{}\n", True),
    row("document", "\ufeff{}", False),
    row("document", "{}x", False),
    row("document", "{}{}", False),
    row("document", "{}\x00", False),
    row("document", "{},", False),
    row("document", "\x0c{}", False),
    row("document", "\xa0{}", False),
    row("document", "/* {} */ {}", False),
    row("document", "", False),
    row("document", " ", False),
]

BYTES: Final = {
    "UTF-16 with a mark": '{"messages": []}'.encode("utf-16"),
    "UTF-16 without": '{"messages": []}'.encode("utf-16-le"),
    "no UTF-8 in text": b'{"messages": [], "model": "\xff"}',
    "half of a surrogate pair in bytes": b'{"messages": [], "model": "\xed\xa0\x80"}',
    "an overlong slash": b'{"messages": [], "model": "\xc0\xaf"}',
    "no UTF-8 in an ignored member": b'{"messages": [], "unknown": "\xff"}',
    "no UTF-8 in an ignored key": b'{"messages": [], "\xff": 1}',
    "no UTF-8 in an opaque value": b'{"messages": [], "tools": ["\xff"]}',
    "a cut character": '{"messages": [], "model": "é"}'.encode()[:-3] + b'"}',
}


def text_of(case: Row) -> str:
    """The request that holds the literal."""
    if case.place == "document":
        return case.literal.replace("{}", '{"messages": []}')
    return TEMPLATES[case.place] % case.literal


def label(case: Row) -> str:
    return f"{case.place} {case.literal[:32]!r}"


def decodes(body: bytes, *, strict: bool = False, raw: bool = False) -> bool:
    try:
        kc.decode(kc.ChatCompletionRequest, body, strict=strict, opaque="raw" if raw else "value")
    except kc.ContractViolation:
        return False
    return True


@pytest.mark.parametrize("case", [*ROWS, *DOCUMENTS], ids=label)
def test_every_way_to_read_gives_its_verdict(case: Row) -> None:
    body = text_of(case).encode()
    assert (kc.validate_json("ChatCompletionRequest", body) == []) is case.strict
    assert (kc.validate_json("ChatCompletionRequest", body.decode()) == []) is case.strict
    assert decodes(body, strict=True) is case.strict
    assert decodes(body) is case.lenient
    assert decodes(body, raw=True) is (case.lenient if case.raw is None else case.raw)


@pytest.mark.parametrize("case", [*ROWS, *DOCUMENTS], ids=label)
def test_the_hardened_standard_reader_agrees(case: Row) -> None:
    body = text_of(case).encode()
    schema_holds = kc.validate_json("ChatCompletionRequest", body, semantics=False) == []
    assert conforms("ChatCompletionRequest", body) is schema_holds
    # An integer that no double holds is the one thing here that the schema alone lets pass.
    assert schema_holds is (case.strict or case.literal == "1" + "0" * 400)


@pytest.mark.parametrize("case", [case for case in [*ROWS, *DOCUMENTS] if case.serde is not None], ids=label)
def test_serde_json_reads_it_or_differs_for_a_reason(case: Row) -> None:
    assert serde.reads(case.place, case.literal) is case.serde
    assert (case.serde != case.strict) is (case.because != "")


@pytest.mark.parametrize("body", BYTES.values(), ids=BYTES)
def test_only_utf8_is_read(body: bytes) -> None:
    assert kc.validate_json("ChatCompletionRequest", body) != []
    assert not any(decodes(body, strict=strict, raw=raw) for strict in (False, True) for raw in (False, True))
    assert conforms("ChatCompletionRequest", body) is False


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        (b'{"tools": [1e400]}', []),
        (b'{"tools": ["\xff"]}', ["json.utf8"]),
        (b'{"tool_choice": [1e400, "%s"]}' % (b"x" * 2**20), ["template-invocation.size"]),
        (b'{"template_kwargs": {"a": [1e400, "%s"]}}' % (b"x" * 2**20), ["template-invocation.size"]),
    ],
)
def test_raw_json_that_has_no_canonical_form_is_measured_as_it_stands(body: bytes, rules: list[str]) -> None:
    if rules:
        with pytest.raises(kc.ContractViolation) as refused:
            kc.decode(kc.RolloutChatTemplateInvocationV1, body, opaque="raw")
        assert [found.rule for found in refused.value.violations] == rules
    else:
        kc.decode(kc.RolloutChatTemplateInvocationV1, body, opaque="raw")


@pytest.mark.parametrize(
    ("name", "document", "verdict"),
    [
        ("Sha256", "sha256:" + "0" * 64, True),
        ("Sha256", "sha256:" + "0" * 64 + "\n", False),
        ("PromptLogprobMap", {"1": {"logprob": -1, "rank": 1, "decoded_token": "a"}}, True),
        ("PromptLogprobMap", {"1\n": {"logprob": -1, "rank": 1, "decoded_token": "a"}}, False),
        ("RolloutChatTemplateInvocationV1", {"template_kwargs": {"\U0001f600" * 256: 1}}, True),
        ("RolloutChatTemplateInvocationV1", {"template_kwargs": {"\U0001f600" * 257: 1}}, False),
        ("RolloutIdentityText", "é" * 128, True),
        ("RolloutIdentityText", "é" * 129, False),
        ("TextCompletionRequest", {"prompt": "a", "prompt_logprobs": 1, "n": True}, False),
        ("TextCompletionRequest", {"prompt": "a", "prompt_logprobs": 1, "n": 1.0}, True),
        ("StreamOptions", {"unknown": 1}, True),
        ("Delta", {"unknown": 1}, False),
        ("ChunkChoice", {"index": 0, "delta": {"unknown": 1}}, False),
    ],
)
def test_text_and_members_are_measured_as_the_schema_means_it(name: str, document: object, verdict: bool) -> None:
    body = kc.encode(document)
    assert (kc.validate(name, document) == []) is verdict
    assert (kc.validate_json(name, body) == []) is verdict
    for strict in (False, True):
        try:
            kc.decode(name, body, strict=strict)
        except kc.ContractViolation:
            assert not verdict
        else:
            assert verdict
