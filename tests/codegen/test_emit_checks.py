"""The generated checks: where a Struct is asked for its optional members before its check is called."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from codegen.__main__ import ROOT
from codegen.emit_checks import opening, render_checks
from codegen.model import Source, load, parse

REQUEST = "ChatCompletionRequest"


def readers(changed: dict[str, Any]) -> list[str]:
    """Names of the readers that are written when members of the chat request's definition are changed."""
    sources = []
    for source in load(ROOT / "contracts").sources:
        document = copy.deepcopy(source.document)
        if REQUEST in document["$defs"]:
            document["$defs"][REQUEST].update(changed)
        sources.append(Source(source.file, json.dumps(document).encode(), document))
    lines = render_checks(parse(tuple(sources))).splitlines()
    return [line.removeprefix("def read_").partition("(")[0] for line in lines if line.startswith("def read_")]


def test_only_a_check_of_optional_members_gets_a_reader() -> None:
    assert readers({}) == [REQUEST]
    assert readers({"required": ["messages", "seed"]}) == []


@pytest.mark.parametrize(
    ("test", "first"),
    [
        ("o.a is not UNSET", "o.a is not UNSET"),
        ("o.a is True and (o.b or o.c)", "o.a is True"),
        ("(o.a is True or o.b is True) and o.c", "o.a is True or o.b is True"),
        ("o.a is True or o.b is True", "o.a is True or o.b is True"),
        ("not (o.a is True)", "not o.a is True"),
    ],
)
def test_the_opening_of_a_test(test: str, first: str) -> None:
    assert opening(test) == first
