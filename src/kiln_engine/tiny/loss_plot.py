"""The loss of a training run as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_WINDOW: Final = 25


class NoPlot(RuntimeError):  # noqa: N818 - named for what happened
    """The picture cannot be drawn here; the message says what to install."""


def write_loss_plot(path: Path, losses: Sequence[float]) -> None:
    """Draw the loss of each step, and its mean over the last steps, into a PNG. Raises NoPlot without matplotlib."""
    if find_spec("matplotlib") is None:
        raise NoPlot(f"{path} was not drawn: install matplotlib (pip install matplotlib) and run again with --resume")
    from matplotlib.figure import Figure  # type: ignore[import-not-found, unused-ignore]

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(1, len(losses) + 1), losses, color="0.8", linewidth=0.8, label="one step")
    means = [sum(losses[max(0, end - _WINDOW) : end]) / min(end, _WINDOW) for end in range(1, len(losses) + 1)]
    axes.plot(range(1, len(losses) + 1), means, label=f"mean of {_WINDOW} steps")
    axes.set(xlabel="step", ylabel="loss (nats per learned token)", yscale="log", title="kiln-tiny")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
