"""The generator as a whole: reproducible, up to date, and it refuses what it cannot render."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codegen import emit_tables
from codegen.__main__ import ROOT, main
from codegen.emit_collector import render_collector
from codegen.emit_tables import check_bindings, render_rules
from codegen.generate import generate
from codegen.model import INFERENCE, Contract, SchemaError, Source, load, parse
from codegen.rules import RULES, Rule

SOURCE = ROOT / "src" / "kiln_contract"


def edited(edit: Callable[[dict[str, Any]], None], file: str = INFERENCE) -> Contract:
    """The contract with one schema changed in memory."""
    sources = []
    for source in load(ROOT / "contracts").sources:
        document = copy.deepcopy(source.document)
        if source.file == file:
            edit(document)
        sources.append(Source(source.file, json.dumps(document).encode(), document))
    return parse(tuple(sources))


def test_committed_files_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().out


def test_generation_is_reproducible_in_another_process() -> None:
    code = (
        "import hashlib, codegen.generate as g, codegen.__main__ as m\n"
        "for path, content in sorted(g.generate(m.ROOT).items()):\n"
        "    print(path.name, hashlib.sha256(content).hexdigest())\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_every_generated_module_names_both_schemas() -> None:
    contract = load(ROOT / "contracts")
    for path, content in generate(ROOT).items():
        if path.suffix == ".py":
            text = content.decode()
            assert "Do not edit" in text, path
            assert all(source.sha256 in text for source in contract.sources), path


def test_check_reports_stale_and_left_over_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = generate(ROOT)
    stale = next(path for path in files if path.name == "bounds.py")
    gone = next(path for path in files if path.name == "tables.py")
    planted = {path: content for path, content in files.items() if path != gone} | {stale: b"# other\n"}
    monkeypatch.setattr("codegen.__main__.generate", lambda _: planted)
    assert main(["--check"]) == 1
    out = capsys.readouterr().out
    assert "stale: src/kiln_contract/_generated/bounds.py" in out
    assert "left over: src/kiln_contract/_generated/tables.py" in out


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda s: s["$defs"]["Usage"].update(minProperties=1), "minProperties"),
        (lambda s: s["$defs"]["Usage"].update(dependentRequired={}), "dependentRequired"),
        (lambda s: s["$defs"]["Sha256"].update(pattern=r"^\d+$"), "another meaning in Python"),
        (lambda s: s["$defs"]["Sha256"].update(pattern="^a.b$"), "'.' excludes"),
        (lambda s: s["$defs"]["Choice"]["properties"]["index"].update({"$ref": "#/$defs/Nope"}), "unknown definition"),
        (lambda s: s["$defs"]["Choice"]["properties"]["index"].update({"$ref": "other.json#/x"}), "does not point to"),
    ],
)
def test_what_cannot_be_rendered_is_refused(edit: Callable[[dict[str, Any]], None], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        render_everything(edited(edit))


def render_everything(contract: Contract) -> None:
    from codegen.emit_structs import render_structs

    render_structs(contract)
    render_collector(contract)


def test_a_schema_that_breaks_its_meta_schema_is_refused() -> None:
    with pytest.raises(Exception, match="is not valid under any of the given schemas"):
        edited(lambda s: s["$defs"]["Usage"].update(type="thing"))


def test_a_conditional_rule_without_words_is_refused() -> None:
    def add(schema: dict[str, Any]) -> None:
        schema["$defs"]["StreamOptions"]["allOf"] = [{"not": {"required": ["x"]}}]

    with pytest.raises(SchemaError, match=r"no words for the conditional rule at #/\$defs/StreamOptions/allOf/0/not"):
        render_collector(edited(add))


def test_words_for_a_rule_that_the_schema_lacks_are_refused() -> None:
    def drop(schema: dict[str, Any]) -> None:
        del schema["$defs"]["BatchCompletionRequest"]["allOf"]

    with pytest.raises(SchemaError, match="BatchCompletionRequest/allOf/0/not"):
        render_collector(edited(drop))


def test_an_annotation_without_a_rule_is_refused() -> None:
    def add(schema: dict[str, Any]) -> None:
        schema["$defs"]["Usage"]["x-kiln-semantic-constraints"].append("tokens are green")

    with pytest.raises(SchemaError, match="annotation without a rule: Usage: 'tokens are green'"):
        render_rules(edited(add), SOURCE)


def test_a_rule_whose_annotation_is_gone_is_refused() -> None:
    def drop(schema: dict[str, Any]) -> None:
        del schema["$defs"]["Usage"]["x-kiln-semantic-constraints"]

    with pytest.raises(SchemaError, match="rule bound to an annotation the schema lacks: Usage"):
        render_rules(edited(drop), SOURCE)


def test_a_rule_needs_an_annotation_or_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit_tables, "RULES", (*RULES, Rule(id="stray", summary="x")))
    with pytest.raises(SchemaError, match="rule stray has neither annotation nor note"):
        check_bindings(load(ROOT / "contracts"), SOURCE)


def test_named_code_must_exist(tmp_path: Path) -> None:
    (tmp_path / "semantics.py").write_text("def usage_total(usage): ...\n")
    (tmp_path / "runtime.py").write_text("")
    with pytest.raises(SchemaError) as caught:
        check_bindings(load(ROOT / "contracts"), tmp_path)
    assert "rule usage.sum: kiln_contract.semantics has no usage_sum" in str(caught.value)
    assert "kiln_contract.runtime has no close_fits" in str(caught.value)
    assert "usage_total" not in str(caught.value)
