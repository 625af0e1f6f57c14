"""Settings from flags, environment, file and defaults: the first of them that sets a value decides.

A value is taken whole from one source; lists and tables of several sources are not merged. Every problem is reported
at once, and says which source to mend.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from kiln_server.setting import PREFIX, SETTINGS, Setting, suggestion
from kiln_server.settings import ENGINE_SETTINGS, Settings, SettingsError

CONFIG_VARIABLE: Final = "KILN_CONFIG"
DEFAULT_FILE: Final = Path("kiln.toml")
"""Read from the working directory when it is there and no other file is named."""


class Given(NamedTuple):
    """One raw value, and where a person finds it: `source` names the place, `place` begins a sentence about it."""

    raw: Any
    source: str
    place: str
    is_text: bool = True

    def read(self, setting: Setting) -> Any:
        """The value. Raises SettingsError in words of the place."""
        try:
            return setting.from_text(self.raw) if self.is_text else setting.from_toml(self.raw)
        except ValueError:  # msgspec's errors are ValueErrors too
            got = f", not {str(self.raw)[:80]!r}" if setting.shows_value else ""
            raise SettingsError(f"{self.place} must be {setting.expects}{got}") from None


def resolve(flags: Mapping[str, str], environ: Mapping[str, str] = os.environ, config: str | None = None) -> Settings:
    """The settings in force.

    `flags` holds the text of each flag by the setting's name, `config` is the file that the command line names.
    Raises SettingsError with every problem: unknown names, values out of range, files that are missing, and settings
    that do not go together.
    """
    problems: list[str] = []
    layers = [
        {name: Given(text, SETTINGS[name].flag, SETTINGS[name].flag) for name, text in flags.items()},
        _collect(_from_environment(environ), problems),
        _collect(_from_file(config, environ), problems),
    ]
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, setting in SETTINGS.items():
        given = next((layer[name] for layer in layers if name in layer), None)
        if given is None:
            continue
        sources[name] = given.source
        try:
            values[name] = given.read(setting)
        except SettingsError as error:
            problems += error.problems
    settings = Settings(**values, sources=sources)
    # A wrong value has its default here, which would only start false alarms.
    problems = problems or [*_missing_files(settings), *_conflicts(settings)]
    if problems:
        raise SettingsError(*problems)
    return settings


def _collect(found: Iterator[tuple[str, Given] | str], problems: list[str]) -> dict[str, Given]:
    layer: dict[str, Given] = {}
    for item in found:
        if isinstance(item, str):
            problems.append(item)
        else:
            layer[item[0]] = item[1]
    return layer


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, Given] | str]:
    """What variables set; a sentence for each unknown one."""
    by_variable = {setting.variable: setting.name for setting in SETTINGS.values()}
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or variable == CONFIG_VARIABLE:
            continue
        if variable in by_variable:
            yield by_variable[variable], Given(text, variable, variable)
        else:
            hint = suggestion(variable, [*by_variable, CONFIG_VARIABLE])
            yield f"{variable} is no setting of this server{hint or '; unset it'}"


def _from_file(config: str | None, environ: Mapping[str, str]) -> Iterator[tuple[str, Given] | str]:
    """What the file sets; a sentence for each unknown key, or for a file that cannot be read."""
    path = _path(config, environ)
    if path is None:
        return
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        yield f"cannot read the configuration file {path}: {error.strerror or error}"
        return
    except ValueError as error:
        yield f"{path} is not TOML: {error}"
        return
    for key, value in document.items():
        if key in SETTINGS:
            yield key, Given(value, str(path), f"{key} in {path}", is_text=False)
        else:
            hint = suggestion(key, list(SETTINGS))
            yield f"{key} in {path} is no setting of this server{hint or '; remove it'}"


def _path(config: str | None, environ: Mapping[str, str]) -> Path | None:
    named = config if config is not None else environ.get(CONFIG_VARIABLE)
    if named:  # an empty text unsets it, as it does any other
        return Path(named)
    return DEFAULT_FILE if DEFAULT_FILE.is_file() else None


def _missing_files(settings: Settings) -> Iterator[str]:
    for name, setting in SETTINGS.items():
        path = getattr(settings, name)
        if setting.doc.file and path is not None and (Path(path).is_dir() or not os.access(path, os.R_OK)):
            yield f"{name} (set by {settings.source(name)}) names {path}, which is no file that can be read"


def _conflicts(settings: Settings) -> Iterator[str]:
    """Settings that are each in range but do not go together."""

    def named(name: str) -> str:
        return f"{name} (set by {settings.source(name)})"

    if settings.mock_script is not None and settings.backend != "mock":
        yield f"{named('mock_script')} needs the backend mock, but {named('backend')} is {settings.backend}"
    if settings.tls_keyfile is not None and settings.tls_certfile is None:
        yield f"{named('tls_keyfile')} needs a certificate; set tls_certfile too"
    if "*" in settings.cors_origins and len(settings.cors_origins) > 1:
        yield f"{named('cors_origins')} lists * and single origins; keep one or the other"
    for option, name in {"script": "mock_script", **{name: name for name in ("model", *ENGINE_SETTINGS)}}.items():
        if option in settings.backend_options and getattr(settings, name) is not None:
            yield f"{named('backend_options')} holds {option}, and so says {named(name)}; keep the latter"
