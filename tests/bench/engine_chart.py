"""Our speed as a multiple of each peer's, as a bar chart: SVG by hand, so that drawing needs no dependency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from tests.bench.engine_peers import KILN_TORCH, LLAMA_CPP, OPENVINO, TRANSFORMERS, VLLM
from tests.bench.engine_result import Result, peer_of

_COLOURS: Final = {
    LLAMA_CPP: "#4c78a8",
    TRANSFORMERS: "#f58518",
    OPENVINO: "#54a24b",
    VLLM: "#b279a2",
    KILN_TORCH: "#bbbbbb",
}
_HEADING: Final = "Kiln's speed as a multiple of each peer's (right of 1: Kiln is faster)"
_MOST: Final = 8.0
_LABELS, _PLOT, _MARGIN, _TOP, _BAR, _GAP, _TITLE = 250, 520, 70, 48, 15, 3, 26


def svg(results: Iterable[Result]) -> str:
    """Each peer in its fastest number format, under the title of each piece of work."""
    parts, y = [], _TOP
    for result in results:
        parts.append(f'<text x="10" y="{y + _BAR - 4}" font-weight="bold">{escape(result.title)}</text>')
        y += _TITLE - _GAP
        for name, times in _ratios(result):
            parts += _bar(y, name, times)
            y += _BAR + _GAP
        y += _GAP
    width, height = _LABELS + _PLOT + _MARGIN, y + 12
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="sans-serif" font-size="11">'
    )
    back = f'<rect width="{width}" height="{height}" fill="#fff"/><text x="10" y="18" font-size="14">{_HEADING}</text>'
    return "\n".join([head, back, *_axis(y), *parts, "</svg>"]) + "\n"


def _ratios(result: Result) -> Iterator[tuple[str, float]]:
    ours = result.ours()
    own = result.best(KILN_TORCH)
    for name in [*result.peers(), *([own] if own else [])]:
        if ours is not None and (ratio := result.ratio(name, ours)) is not None:
            yield name, ratio.times


def _axis(bottom: int) -> Iterator[str]:
    for tick in range(int(_MOST) + 1):
        x, colour = _x(tick), "#333" if tick == 1 else "#ddd"
        yield f'<line x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{bottom}" stroke="{colour}"/>'
        yield f'<text x="{x}" y="{_TOP - 12}" text-anchor="middle" fill="#555">{tick}x</text>'


def _bar(y: int, name: str, times: float) -> Iterator[str]:
    base, end = y + _BAR - 4, _x(times)
    yield f'<text x="{_LABELS - 8}" y="{base}" text-anchor="end">{escape(name)}</text>'
    yield f'<rect x="{_LABELS}" y="{y}" width="{end - _LABELS}" height="{_BAR}" fill="{_COLOURS[peer_of(name)]}"/>'
    yield f'<text x="{end + 5}" y="{base}">{times:.2f}x</text>'


def _x(times: float) -> float:
    return round(_LABELS + min(times, _MOST) / _MOST * _PLOT, 1)
