"""The ratios as a bar chart, written as SVG by hand so that drawing needs no dependency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import log10
from typing import Final

from tests.bench import contenders as c
from tests.bench.goals import ratio
from tests.bench.timing import Series

PEERS: Final = {
    c.ORJSON: "#4c78a8",
    c.JSON: "#9ecae9",
    c.RUST: "#f58518",
    c.OPENAI: "#b279a2",
    c.GENERATED: "#54a24b",
    c.COLLAPSED: "#7cbf75",
    c.TYPES_ALONE: "#b5deb1",
}
"""Peers that get a bar, with its colour."""

_HEADING: Final = "Time of each peer as a multiple of kc.decode (right of 1: kc.decode is faster)"

_LEAST, _MOST = 0.5, 100.0
_LABELS, _PLOT, _MARGIN = 250, 520, 70
_BAR, _GAP, _TITLE = 15, 3, 26
_TOP: Final = 48


@dataclass(frozen=True)
class _Row:
    """A heading (no ratio) or a bar, at a height."""

    y: int
    text: str
    ratio: float | None = None


def svg(decoding: Mapping[str, Mapping[str, Series]]) -> str:
    """A chart of how many times longer each peer takes than `kc.decode`, on a logarithmic axis."""
    rows = list(_rows(decoding))
    bottom = rows[-1].y + _BAR + _GAP if rows else _TOP
    width, height = _LABELS + _PLOT + _MARGIN, bottom + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="10" y="18" font-size="14">{_HEADING}</text>',
        *_axis(bottom),
        *(part for row in rows for part in _drawn(row)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rows(decoding: Mapping[str, Mapping[str, Series]]) -> Iterator[_Row]:
    y = _TOP
    for title, measured in decoding.items():
        yield _Row(y, title)
        y += _TITLE - _GAP
        for peer in PEERS:
            if peer in measured:
                yield _Row(y, peer, ratio(dict(measured), c.DECODE, peer))
                y += _BAR + _GAP
        y += _GAP


def _axis(bottom: int) -> Iterator[str]:
    for tick in (0.5, 1, 2, 5, 10, 20, 50, 100):
        x = _x(tick)
        colour = "#333" if tick == 1 else "#ddd"
        yield f'<line x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{bottom}" stroke="{colour}"/>'
        yield f'<text x="{x}" y="{_TOP - 12}" text-anchor="middle" fill="#555">{tick:g}x</text>'


def _drawn(row: _Row) -> Iterator[str]:
    base = row.y + _BAR - 4
    if row.ratio is None:
        yield f'<text x="10" y="{base}" font-weight="bold">{escape(row.text)}</text>'
        return
    start, end = sorted((_x(1), _x(row.ratio)))
    yield f'<text x="{_LABELS - 8}" y="{base}" text-anchor="end">{escape(row.text)}</text>'
    yield (
        f'<rect x="{start}" y="{row.y}" width="{max(1.0, round(end - start, 1))}" height="{_BAR}"'
        f' fill="{PEERS[row.text]}"/>'
    )
    yield f'<text x="{end + 5}" y="{base}">{row.ratio:.2f}x</text>'


def _x(value: float) -> float:
    share = log10(min(max(value, _LEAST), _MOST) / _LEAST) / log10(_MOST / _LEAST)
    return round(_LABELS + share * _PLOT, 1)
