"""The hash that stands for everything that was set."""

from __future__ import annotations

from typing import Any

import msgspec

from kiln_contract.identity import config_sha256
from kiln_server.settings import REDACTED, Settings


def effective_config_hash(settings: Settings) -> str:
    """`sha256:` and the hash of the resolved settings' canonical JSON, sources and secrets left out."""
    return config_sha256({row.name: _without_secrets(msgspec.to_builtins(row.value)) for row in settings.rows()})


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if item != REDACTED}
    return value
