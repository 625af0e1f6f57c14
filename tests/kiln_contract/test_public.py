"""The public surface: what the package exports, and what importing it costs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import kiln_contract as kc

FUNCTIONS = {
    "check",
    "convert",
    "decode",
    "encode",
    "schema",
    "validate",
    "validate_exchange",
    "validate_json",
    "validate_stream",
}
MODULES = {"provenance", "runtime", "sse", "strategies", "stream", "thinking"}
CONSTANTS = {"DEFAULTS", "DEFINITIONS", "ENTRYPOINTS", "RULES", "SCHEMA_SHA256", "THINKING_BUDGET_SCHEMA_SHA256"}
TYPES = {"ContractViolation", "Violation"}


def test_the_surface_is_pinned() -> None:
    definitions = {name.rpartition(".")[2] for name in kc.DEFINITIONS}
    generated = set(kc.__all__) - FUNCTIONS - MODULES - CONSTANTS - TYPES
    assert set(kc.__all__) >= FUNCTIONS | MODULES | CONSTANTS | TYPES
    assert len(generated) == len(kc.DEFINITIONS) == 64
    assert {name for name in definitions if name[0].isupper()} <= generated
    assert all(getattr(kc, name) is not None for name in kc.__all__)


def test_names_stay_what_they_are_after_lazy_imports() -> None:
    """A submodule of the same name must not replace a function; a module may take the place that is kept for it."""
    code = """
import importlib, pkgutil, types, kiln_contract as kc
from kiln_contract.lazy import LazyModule
before = {name: getattr(kc, name) for name in kc.__all__}
for module in pkgutil.walk_packages(kc.__path__, "kiln_contract."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for name, value in before.items():
    now = getattr(kc, name)
    assert isinstance(now, types.ModuleType) if isinstance(value, LazyModule) else now is value, name
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "use",
    [
        "with mock.patch.object(kc.provenance, 'verify', 1): assert kc.provenance.verify == 1",
        "kept = kc.provenance; kept.verify = 1; assert kc.provenance.verify == 1",
        "kept = kc.provenance; del kept.verify; assert not hasattr(kc.provenance, 'verify')",
        "assert 'verify' in dir(kc.provenance)",
        "assert copy.copy(kc.provenance).verify is kc.provenance.verify",
    ],
)
def test_a_part_that_is_not_loaded_yet_is_used_like_a_module(use: str) -> None:
    code = f"import copy; from unittest import mock; import kiln_contract as kc\n{use}\nassert kc.provenance"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("use", ["pass", "kc.decode(kc.Usage, b'{}')", "kc.validate('Usage', {})"])
def test_import_loads_nothing_heavy(use: str) -> None:
    code = f"""
import sys, json, kiln_contract as kc
try: {use}
except kc.ContractViolation: pass
print(json.dumps(sorted(m for m in sys.modules if "." not in m)))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    heavy = {"jsonschema", "hypothesis", "starlette", "torch", "pydantic", "orjson", "asyncio", "importlib_resources"}
    assert not heavy & set(json.loads(out))


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Chat'"):
        _ = kc.Chat  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute 'resolv'"):
        _ = kc.thinking.resolv  # type: ignore[attr-defined]


def test_rules_are_a_mapping_of_every_rule() -> None:
    assert kc.RULES["usage.total"].summary.startswith("total_tokens is")
    assert len(kc.RULES) == len(set(kc.RULES)) > 80
    assert "nope" not in kc.RULES
    assert all(rule.id == id_ and rule.summary.endswith((".", ")")) for id_, rule in kc.RULES.items())


def test_schema_gives_a_fresh_copy_and_suggests_names() -> None:
    kc.schema("Usage").clear()
    assert kc.schema("Usage")["required"] == ["prompt_tokens", "completion_tokens", "total_tokens"]
    assert kc.schema("thinking_budget.record")["unevaluatedProperties"] is False
    assert kc.schema()["title"] == "Kiln inference API contract v1"
    with pytest.raises(LookupError, match="did you mean 'Usage'"):
        kc.schema("Usgae")
