"""Which adapter answered, for the headers of a success."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from kiln_server.backend import Adapter, AdapterRef
from kiln_server.plan import BASE


def adapter_headers(used: Sequence[AdapterRef], saved: Iterable[Adapter]) -> dict[str, str]:
    """The headers that name the adapters of a request and the revisions of their content, in the request's order.

    Names are percent-encoded, for a header holds ASCII only; `saved` are the backend's adapters.
    """
    revisions = {adapter.name: adapter.content_sha256 for adapter in saved} if used else {}
    names = [quote(ref.name, safe=" !$&'()*+:;=@") for ref in used]
    return {
        "x-kiln-loaded-adapter": ",".join(names) or BASE,
        "x-kiln-loaded-adapter-revision": ",".join(revisions[ref.name] for ref in used) or BASE,
    }
