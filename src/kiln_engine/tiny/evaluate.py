"""`python -m kiln_engine.tiny.evaluate`: measure kiln-tiny and write the tables of its card."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Final

import torch

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.examination import KINDS, ONE_DIGIT, TWO_TOOLS, Examination, Result, Way
from kiln_engine.tiny.export import read_network, read_tokenizer, weights_sha256

BEGIN: Final = "<!-- measured: begin -->"
END: Final = "<!-- measured: end -->"
_WAYS: Final[tuple[Way, ...]] = ("greedy", "defaults", "direct", "cut")
_HEADINGS: Final = ("greedy", "server defaults", "greedy, thinking off", "greedy, reasoning cut after 3 tokens")


class Tables:
    """The tables of the card, made from an examination; every number is per cent right with an interval of 95 %."""

    def __init__(self, examination: Examination) -> None:
        self._examination = examination

    def text(self, weights: str) -> str:
        """All tables as Markdown; `weights` is the hash of the weights that were asked."""
        results = {kind: self._results(kind) for kind in KINDS}
        lines = [f"Weights: SHA-256 `{weights}`.", "", *_heading("kind", _HEADINGS)]
        lines += [_row("**one digit, all three**", *(_one_digit(results, way) for way in _WAYS))]
        lines += [_row(kind, *(results[kind][way].right for way in _WAYS)) for kind in KINDS]
        lines += ["", *_heading("of these", _HEADINGS[:2])]
        lines += [_row("fitting one of two tools called", *(results[TWO_TOOLS][way].fitting for way in _WAYS[:2]))]
        thought = [reduce(add, (results[kind][way].thought for kind in KINDS)) for way in _WAYS[:2]]
        lines += [_row("reasoning came first and was closed", *thought)]
        lines += ["", *_heading("operand pairs never asked for in training", _HEADINGS[:2])]
        lines += [_row(kind, *self._unseen_pairs(kind)) for kind in (*ONE_DIGIT, "two_digit")]
        return "\n".join(lines)

    def _results(self, kind: str) -> dict[Way, Result]:
        sys.stderr.write(f"{kind} ...\n")
        return {way: self._examination.result(kind, way) for way in _WAYS}

    def _unseen_pairs(self, kind: str) -> list[object]:
        return [self._examination.result(kind, way, "unseen").right for way in _WAYS[:2]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the checkpoint, and print the tables or put them into the card. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kiln_engine.tiny.evaluate", description="Measure kiln-tiny.")
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT, help="folder to measure (%(default)s)")
    parser.add_argument("--questions", type=int, default=500, help="questions of each kind (%(default)s)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="CPU threads (%(default)s)")
    parser.add_argument("--card", type=Path, help="Markdown file whose measured part is replaced")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    network, tokenizer = read_network(options.checkpoint), read_tokenizer(options.checkpoint)
    examination = Examination(network, tokenizer, num_questions=options.questions)
    text = Tables(examination).text(weights_sha256(options.checkpoint))
    if options.card is None:
        sys.stdout.write(f"{text}\n")
    else:
        options.card.write_text(replaced(options.card.read_text(encoding="utf-8"), text), encoding="utf-8")
    return 0


def replaced(card: str, text: str) -> str:
    """A card with its measured part replaced. Raises ValueError when the marks of that part are missing."""
    before, begin, rest = card.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the card needs the lines {BEGIN} and {END}: the tables go between them")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def _one_digit(results: dict[str, dict[Way, Result]], way: Way) -> object:
    return reduce(add, (results[kind][way].right for kind in ONE_DIGIT))


def _heading(first: str, others: Sequence[str]) -> list[str]:
    return [_row(first, *others), "|" + " --- |" * (1 + len(others))]


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    sys.exit(main())
