"""The picture of the loss."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from kiln_engine.tiny.loss_plot import NoPlot, write_loss_plot


@pytest.mark.skipif(find_spec("matplotlib") is not None, reason="matplotlib is here")
def test_what_to_install_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoPlot, match="pip install matplotlib"):
        write_loss_plot(tmp_path / "loss.png", [1.0])


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not here")
def test_a_png_is_written(tmp_path: Path) -> None:
    write_loss_plot(tmp_path / "new" / "loss.png", [3.0, 2.0, 1.5])
    assert (tmp_path / "new" / "loss.png").read_bytes().startswith(b"\x89PNG")
