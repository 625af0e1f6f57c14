"""Every reader of the contract gives one verdict: on drawn documents, and not so when a rule is taken away."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import kiln_contract as kc
from kiln_contract import codec
from kiln_contract._generated import checks, collector
from tests.fuzz.differential import main, run
from tests.fuzz.verdicts import disagreements

DOCUMENTS = 2_048
SHARE = DOCUMENTS // len(kc.DEFINITIONS)


def is_caught(name: str) -> bool:
    """Whether a fault is found, with some seed: what is drawn also depends on the modules that are loaded."""
    return any(run(name, documents=400, seed_=seed).found for seed in range(5))


@pytest.mark.parametrize("name", kc.DEFINITIONS)
def test_all_readers_agree(name: str) -> None:
    report = run(name, documents=SHARE, seed_=0)
    assert report.documents >= SHARE
    assert report.found == []


def test_there_are_enough_documents() -> None:
    assert SHARE * len(kc.DEFINITIONS) >= 2_000


def planted(module: ModuleType, sound: str, broken: str) -> ModuleType:
    """A copy of a generated module with a fault in it."""
    source = Path(str(module.__file__)).read_text()
    assert sound in source, "the fault has no place left; plant it elsewhere"
    spec = importlib.util.spec_from_loader(f"{module.__name__}_broken", loader=None)
    assert spec is not None
    copy = importlib.util.module_from_spec(spec)
    exec(compile(source.replace(sound, broken), "broken", "exec"), copy.__dict__)  # noqa: S102 - our own code
    return copy


@pytest.mark.parametrize(
    ("name", "sound", "broken"),
    [
        ("NullableUint64", "i > 18446744073709551615", "i > 18446744073709551616"),
        ("Sha256", "{64}\\\\Z", "{64}$"),
        ("StreamOptions", 'v.get("include_usage", M)', 'v.get("include_usage") or M'),
        ("thinking_budget.outcome", '("trigger" not in v)', "False"),
        ("Usage", "semantics.usage_total", "(lambda _: ())"),
    ],
)
def test_a_fault_in_the_collecting_validator_is_caught(
    name: str, sound: str, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "VALIDATORS", planted(collector, sound, broken).VALIDATORS)
    assert is_caught(name)


@pytest.mark.parametrize(
    ("name", "sound", "broken"),
    [
        ("BatchCompletionRequest", "o.adapter.__class__ is str and", "False and"),
        ("RolloutThinkingBudgetV1", "not ((o.max_tokens is not UNSET)", "False and ((o.max_tokens is not UNSET)"),
        ("StreamingTokenTiming", "semantics.queue_delay(o)", "False"),
        ("ChatCompletionRequest", "or o.adapter is not UNSET", ""),
        ("ChatCompletionRequest", "or o.rollout_provenance is True", ""),
    ],
)
def test_a_fault_in_the_fast_checks_is_caught(
    name: str, sound: str, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty = planted(checks, sound, broken)
    monkeypatch.setattr(codec, "CHECKS", faulty.CHECKS)
    monkeypatch.setattr(codec, "READERS", faulty.READERS)
    monkeypatch.setattr(codec, "_readers", {"value": {}, "raw": {}})
    assert is_caught(name)


def test_a_reader_that_lets_duplicates_pass_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiln_contract.reader._duplicates", lambda *_: [])
    assert run("ChatMessageInput", documents=400, seed_=0).found


def test_a_crash_counts_as_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiln_contract.validate_json", lambda *_, **__: 1 // 0)
    assert "ZeroDivisionError" in disagreements("Usage", b"{}")[0]


def test_the_script_reports_and_exits_with_one_on_disagreement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--documents", "16", "--only", "Usage"]) == 0
    monkeypatch.setattr("kiln_contract.reader._duplicates", lambda *_: [])
    assert main(["--documents", "400", "--only", "ChatMessageInput", "--seed", "1"]) == 1
    assert "jsonschema" in capsys.readouterr().out
