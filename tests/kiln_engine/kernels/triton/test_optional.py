"""Triton is an extra: nothing imports it before its kernels are asked for."""

from __future__ import annotations

import subprocess
import sys


def test_choosing_kernels_does_not_import_triton() -> None:
    code = "import sys, kiln_engine.kernels.choice; sys.exit('kiln_engine.kernels.triton' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
