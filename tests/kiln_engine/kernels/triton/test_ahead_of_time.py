"""Every kernel compiles for every GPU generation that we name, and fits into its shared memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[4]
KERNELS = {
    *("_product", "_partial_product", "_sum_splits", "_add_norm", "_rope_write"),
    *("_act_mul", "_prefill", "_decode_split", "_merge_splits"),
}
MULTIPLYING = {"_product", "_partial_product", "_prefill", "_decode_split"}


SHARED_KIB = {80: 163, 90: 227, 100: 227}
FEW = [(80, "bfloat16", 128), (90, "bfloat16", 128), (100, "bfloat16", 128), (80, "float32", 128)]
MANY = [case for case in product(SHARED_KIB, ("bfloat16", "float32"), (64, 128, 256)) if case not in FEW]


@pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed: the extra `gpu` has it")
@pytest.mark.parametrize(
    ("capability", "dtype", "head_dim"), [*FEW, *(pytest.param(*case, marks=pytest.mark.full) for case in MANY)]
)
def test_kernels_compile_and_fit(capability: int, dtype: str, head_dim: int, tmp_path: Path) -> None:
    compiled = _compiled(tmp_path, str(capability), dtype, str(head_dim))
    assert {line["kernel"] for line in compiled} == KERNELS
    assert [line for line in compiled if line["shared"] > SHARED_KIB[capability] * 1024] == []
    on_tensor_cores = {line["kernel"] for line in compiled if line["tensor_cores"]}
    assert on_tensor_cores == (MULTIPLYING if dtype == "bfloat16" else set())
    # Where the compiler fuses a product with a sum is its own affair, and bits would follow it. Only a matrix product
    # of float32 asks for it.
    assert {line["kernel"] for line in compiled if line["fused"]} <= (set() if dtype == "bfloat16" else MULTIPLYING)


def _compiled(cache: Path, *case: str) -> list[dict[str, Any]]:
    settings = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    settings |= {"TRITON_CACHE_DIR": str(cache), "OMP_NUM_THREADS": "1"}
    settings["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    command = [sys.executable, str(Path(__file__).with_name("ahead_of_time.py")), *case]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
