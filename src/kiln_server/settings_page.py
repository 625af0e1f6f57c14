"""The reference page of all settings: `python -m kiln_server.settings_page > docs/reference/settings.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby

from kiln_server.config_report import literal
from kiln_server.setting import SETTINGS, Setting

HEAD = """\
# Settings of `kiln-server`

<!-- Generated from src/kiln_server/settings.py by `python -m kiln_server.settings_page`; do not edit. -->

A setting is taken from the first source that has it:

1. a flag, such as `--port 8080`; a switch is `--record-bodies` or `--no-record-bodies`;
2. an environment variable, such as `KILN_PORT=8080`; a switch is `true` or `false`;
3. a TOML file: the one of `--config FILE`, else of `KILN_CONFIG`, else `kiln.toml` in the working directory if there is
   one; its keys are the names below, all at the top level;
4. its default.

Lists and tables are taken whole, not merged. In a flag or variable their items are separated by commas, and a flag may
be repeated; options of a backend are `KEY=VALUE`, in the file a table `[backend_options]`. An empty text unsets what
may be unset, `KILN_CONFIG` too. File names are relative to the working directory, wherever they are set. An unknown
flag, key, or variable that begins with `KILN_` is an error. `kiln-server config` prints each value with its source.
"""


def page() -> str:
    """The page as Markdown."""
    return HEAD + "".join(_section(group, list(settings)) for group, settings in groupby(SETTINGS.values(), _group))


def _group(setting: Setting) -> str:
    return setting.doc.group


def _section(group: str, settings: list[Setting]) -> str:
    rows = "".join(f"{row}\n" for row in _rows(settings))
    return f"\n## {group}\n\n| setting | default | must be | meaning |\n|---|---|---|---|\n{rows}"


def _rows(settings: list[Setting]) -> Iterator[str]:
    for setting in settings:
        default = "unset" if setting.default is None else f"`{literal(setting.default)}`"
        yield f"| `{setting.name}` | {default} | {setting.expects} | {setting.doc.text} |"


if __name__ == "__main__":
    sys.stdout.write(page())
