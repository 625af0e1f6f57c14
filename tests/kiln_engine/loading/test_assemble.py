"""Tests of how much memory loading takes. What is loaded is tested with each format."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from gguf import GGMLQuantizationType as Kind

from tests.kiln_engine.loading.checkpoints import llama, random_model, write_gguf

MEASURE = """
import json, pathlib, sys, torch
from kiln_engine.loading import load, open_source

def resident(field):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))

torch.set_num_threads(1)
kept = []  # what an earlier load gave back would be used again without a trace in the next one's peak
for path, dtype in json.loads(sys.argv[1]):
    source = open_source(pathlib.Path(path))
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from what is in memory now
    before = resident("VmRSS")
    weights = load(source, dtype=getattr(torch, dtype), device=torch.device("cpu"))
    print(json.dumps([resident("VmHWM") - before, weights.num_bytes]))
    kept.append(weights)
"""
LARGE = llama(vocab_size=32_000, hidden_size=480, intermediate_size=1280, num_hidden_layers=4, tie_word_embeddings=True)
"""25 million parameters, three of five in the embedding: the largest tensor is what could be held twice."""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="measured as Linux reports it")
def test_peak_memory_stays_near_the_weights(tmp_path: Path) -> None:
    model = random_model(LARGE)
    write_gguf(tmp_path / "m.gguf", model, kind=Kind.Q8_0)
    model.to(torch.bfloat16).save_pretrained(tmp_path)
    loads = [[str(tmp_path), "float32"], [str(tmp_path), "bfloat16"], [str(tmp_path / "m.gguf"), "float32"]]
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, json.dumps(loads)], capture_output=True, text=True, check=True
    )
    for line, (path, dtype) in zip(measured.stdout.splitlines(), loads, strict=True):
        peak, weights = json.loads(line)
        assert weights > 45e6
        assert peak <= 1.3 * weights, (path, dtype, peak, weights)
        assert peak > 0.9 * weights  # it is the peak of this load that was measured
