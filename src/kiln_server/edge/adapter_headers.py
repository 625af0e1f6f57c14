"""Which adapter answered, for the headers of a success."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

from kiln_server.backend import Adapter, AdapterRef
from kiln_server.plan import BASE

_NAMES: Final = b"x-kiln-loaded-adapter"
_REVISIONS: Final = b"x-kiln-loaded-adapter-revision"
_OF_BASE: Final = ((_NAMES, BASE.encode()), (_REVISIONS, BASE.encode()))


def adapter_headers(used: Sequence[AdapterRef], saved: Iterable[Adapter]) -> tuple[tuple[bytes, bytes], ...]:
    """The headers that name the adapters of a request and the revisions of their content, in the request's order.

    Names are percent-encoded, for a header holds ASCII only; `saved` are the backend's adapters.
    """
    if not used:
        return _OF_BASE
    revisions = {adapter.name: adapter.content_sha256 for adapter in saved}
    names = ",".join(quote(ref.name, safe=" !$&'()*+:;=@") for ref in used)
    return (_NAMES, names.encode()), (_REVISIONS, ",".join(revisions[ref.name] for ref in used).encode())
