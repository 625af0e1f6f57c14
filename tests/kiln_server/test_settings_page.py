from __future__ import annotations

from pathlib import Path

from kiln_server.setting import SETTINGS
from kiln_server.settings_page import page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def test_has_a_row_for_every_setting() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(SETTINGS)
    assert all(row.count("|") == 5 for row in rows)


def test_is_up_to_date() -> None:
    command = "python -m kiln_server.settings_page > docs/reference/settings.md"
    assert PAGE.read_text(encoding="utf-8") == page(), f"run {command}"
