"""Labels for paths."""

from __future__ import annotations

import pytest

from kiln_server.app import create_app
from kiln_server.edge.route_labels import UNMATCHED, RouteLabels
from tests.kiln_server.services import ready_service, route

LABELS = RouteLabels([route("/a"), route("/b/{name}"), route("/c/{rest:path}")])


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/a", "/a"),
        ("/b/x", "/b/{name}"),
        ("/c/x/y", "/c/{rest}"),
        ("/a/", UNMATCHED),
        ("/b/x/y", UNMATCHED),
        ("/b/{name}", "/b/{name}"),
        ("", UNMATCHED),
    ],
)
def test_a_path_has_the_label_of_its_route(path: str, label: str) -> None:
    assert LABELS.of(path) == label


def test_the_labels_of_the_application_agree_with_its_router() -> None:
    labels = RouteLabels(create_app(ready_service()).routes)  # type: ignore[arg-type]
    assert labels.of("/v1/models/a/b") == "/v1/models/{model}"
    assert labels.of("/v1/models\n") == UNMATCHED
