"""The headers that say which adapter answered."""

from __future__ import annotations

import pytest

from kiln_server.backend import Adapter, AdapterRef
from kiln_server.edge.adapter_headers import adapter_headers

SAVED = [Adapter("a", "sha256:aa"), Adapter("b c", "sha256:bb"), Adapter("é,\t", "sha256:cc")]


@pytest.mark.parametrize(
    ("used", "name", "revision"),
    [
        ([], "base", "base"),
        (["a"], "a", "sha256:aa"),
        (["b c", "a"], "b c,a", "sha256:bb,sha256:aa"),
        (["é,\t"], "%C3%A9%2C%09", "sha256:cc"),
    ],
)
def test_adapters_in_order(used: list[str], name: str, revision: str) -> None:
    headers = adapter_headers([AdapterRef(adapter) for adapter in used], SAVED)
    assert headers == (
        (b"x-kiln-loaded-adapter", name.encode()),
        (b"x-kiln-loaded-adapter-revision", revision.encode()),
    )
