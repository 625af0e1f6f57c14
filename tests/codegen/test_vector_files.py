from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.entries import Repeat, RepeatText, pointer
from codegen.model import SchemaError, load
from codegen.vector_files import WIDTH, pretty, store, vector_files
from kiln_contract.vectors import expand
from tests.codegen.oracle import CONTRACTS

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
keys = st.text(alphabet="ab/~01\u00e9", max_size=3)
plain = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4))
repeats = st.builds(Repeat, scalars, st.integers(0, 5)) | st.builds(RepeatText, st.text(max_size=2), st.integers(0, 5))
with_repeats = st.recursive(
    scalars | repeats, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
)


def spelled_out(value: Any) -> Any:
    match value:
        case Repeat():
            return [value.item] * value.count
        case RepeatText():
            return value.text * value.count
        case dict():
            return {key: spelled_out(inner) for key, inner in value.items()}
        case list():
            return [spelled_out(inner) for inner in value]
    return value


@given(plain)
def test_pretty_text_reads_back(value: Any) -> None:
    assert json.loads(pretty(value)) == value


def test_pretty_breaks_only_what_does_not_fit() -> None:
    fits = ["x" * (WIDTH - 5)]
    assert pretty(fits) == json.dumps(fits)
    assert pretty([*fits, {}]) == f'[\n  "{fits[0]}",\n  {{}}\n]'


@given(with_repeats)
def test_a_stored_document_expands_to_itself(document: Any) -> None:
    stored = json.loads(json.dumps(store(document)))
    again = expand(stored["recipe"]) if "recipe" in stored else stored["document"]
    assert again == spelled_out(document)


def test_a_long_document_must_be_a_recipe() -> None:
    with pytest.raises(SchemaError, match="build it with Repeat or RepeatText"):
        store(["x" * 65_536])


def test_pointers_escape_and_cut_keys() -> None:
    assert pointer(("a/b", 0, "~", "k" * 65)) == "/a~1b/0/~0/" + "k" * 63 + "\u2026"


def test_files_are_reproducible_and_committed() -> None:
    contract = load(CONTRACTS)
    folder = CONTRACTS / "vectors"
    files = vector_files(contract, folder)
    assert files == vector_files(contract, folder)
    assert {path: path.read_bytes() for path in files} == files
    assert all(content.endswith(b"]\n") and content.isascii() for content in files.values())
    assert {path.parent.name for path in files} == {*contract.definitions, "root"}


def test_paths_follow_the_folder() -> None:
    assert Path("elsewhere/Usage/schema.json") in vector_files(load(CONTRACTS), Path("elsewhere"))
