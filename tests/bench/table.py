"""Rows of text as an aligned table: for a terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from statistics import median

from tests.bench.goals import Verdict
from tests.bench.timing import Series

Rows = Sequence[Sequence[str]]


def aligned(rows: Rows) -> str:
    """Columns padded to their widest cell, the first one to the left. The first row is the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(_padded(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown(rows: Rows) -> str:
    """The same rows as a Markdown table."""
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]


def verdict_rows(verdicts: Sequence[Verdict]) -> Rows:
    """A row for each target. What no target has is no column."""
    head = ("target", "against", "wanted", "measured", "", "strict", "msgspec")
    body = [_verdict_row(verdict) for verdict in verdicts]
    used = [any(column) for column in zip(*body, strict=True)] or [True] * len(head)
    return [tuple(compress(row, used)) for row in (head, *body)]


def _verdict_row(verdict: Verdict) -> tuple[str, ...]:
    sign = ">=" if verdict.at_least else "<="
    return (
        verdict.subject,
        verdict.against,
        f"{sign} {verdict.target:g}{_unit(verdict)}",
        *(_figure(verdict, verdict.measured), "met" if verdict.met else "MISSED"),
        *(_figure(verdict, figure) for figure in (verdict.strict, verdict.floor)),
    )


def _figure(verdict: Verdict, number: float | None) -> str:
    return "" if number is None else f"{_digits(number)}{_unit(verdict)}"


def series_rows(title: str, measured: dict[str, Series], base: str) -> Rows:
    """A row for each contender: its times, and how many times longer it takes than `base`."""
    head = (title, "median µs", "lower quartile", "upper quartile", "least", "samples x calls", f"/ {base}")
    return [head, *(_series_row(name, series, measured[base]) for name, series in measured.items())]


def _series_row(name: str, series: Series, base: Series) -> tuple[str, ...]:
    times = (series.median, *series.quartiles, series.minimum)
    count = f"{len(series.seconds)} x {series.calls_per_sample}"
    return (name, *(_micro(seconds) for seconds in times), count, f"{_digits(series.median / base.median)}x")


def memory_rows(title: str, grown: dict[str, list[int]]) -> Rows:
    """A row for each reader: how much memory the decoded document holds."""
    head = (f"{title}, memory held", "median MB", "least", "most")
    return [head, *((name, *_megabytes(sizes)) for name, sizes in grown.items())]


def _megabytes(sizes: Sequence[int]) -> list[str]:
    return [f"{size / 1e6:.1f}" for size in (median(sizes), min(sizes), max(sizes))]


def _unit(verdict: Verdict) -> str:
    return verdict.unit if verdict.unit == "x" else f" {verdict.unit}"


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:,.2f}" if seconds < 1e-4 else f"{seconds * 1e6:,.0f}"


def _digits(number: float) -> str:
    """Three digits that count, so that near misses show."""
    return f"{number:.{3 if number < 1 else 2 if number < 10 else 1}f}"
