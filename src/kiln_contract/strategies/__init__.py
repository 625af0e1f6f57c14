"""Hypothesis strategies for the contract: documents that conform, and documents with one seeded mistake.

    from hypothesis import given
    from kiln_contract import strategies

    @given(strategies.valid("ChatCompletionRequest"))
    def test_my_server_accepts(request): ...

Everything is derived from the schemas; only what JSON Schema cannot say is written by hand. Needs the `strategies`
extra, which nothing else in this package does.
"""

from __future__ import annotations

try:
    import hypothesis as _hypothesis  # noqa: F401 - asked for here, so that its absence is explained
except ModuleNotFoundError as error:
    if error.name != "hypothesis":
        raise
    message = "kiln_contract.strategies needs Hypothesis: pip install 'kiln-inference[strategies]'"
    raise ModuleNotFoundError(message, name="hypothesis") from error

from kiln_contract.strategies.document import valid
from kiln_contract.strategies.near_miss import NearMiss, near_miss, near_misses, near_misses_of

__all__ = ["NearMiss", "near_miss", "near_misses", "near_misses_of", "valid"]
