"""A minute of the engine's soak: the script's own verdict."""

from __future__ import annotations

from tests.soak.engine import main


def test_a_minute_of_mixed_load_ends_well() -> None:
    assert main(["--minutes", "1"]) == 0
