"""The network, against transformers and against itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.export import read_network, read_tokenizer, write_checkpoint
from kiln_engine.tiny.network import Network, Shape

SMALL = Shape(width=48, num_layers=2, num_heads=4, num_kv_heads=2, head_size=16, inner_width=64)


def random_network(shape: Shape = SMALL, seed: int = 0) -> Network:
    """A network with large random weights and norms, so that every part of it shows in the logits."""
    torch.manual_seed(seed)
    network = Network(shape).eval()
    for parameter in network.parameters():
        parameter.data = torch.randn_like(parameter) * 0.2 + (parameter.ndim == 1)
    return network


@torch.no_grad()
@pytest.mark.parametrize("head_size", [16, 32])
def test_transformers_loads_the_folder_and_agrees(tmp_path: Path, head_size: int) -> None:
    transformers = pytest.importorskip("transformers")
    shape = Shape(width=48, num_layers=2, num_heads=4, num_kv_heads=2, head_size=head_size, inner_width=64)
    write_checkpoint(tmp_path, random_network(shape), read_tokenizer(CHECKPOINT), {})
    oracle = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
    network = read_network(tmp_path)
    ids = torch.randint(0, shape.vocab_size, (1, 50))
    expected = oracle(ids).logits
    assert expected.std() > 1
    torch.testing.assert_close(network.logits(network(ids)), expected, rtol=0, atol=2e-5 * float(expected.std()))


@torch.no_grad()
@given(st.integers(1, 12), st.integers(0, 9))
@settings(deadline=None, max_examples=20)
def test_padding_at_the_end_changes_nothing_before_it(length: int, padding: int) -> None:
    network = random_network()
    ids = torch.randint(1, SMALL.vocab_size, (1, length))
    padded = torch.cat((ids, torch.zeros(1, padding, dtype=torch.int64)), dim=1)
    torch.testing.assert_close(network(padded)[:, :length], network(ids))


@torch.no_grad()
@given(st.integers(1, 8), st.integers(1, 8))
@settings(deadline=None, max_examples=20)
def test_rows_in_two_parts_are_rows_at_once(first: int, second: int) -> None:
    network = random_network()
    ids = torch.randint(0, SMALL.vocab_size, (2, first + second))
    positions = torch.arange(first + second)[None]
    _, cache = network.extend(ids[:, :first], positions[:, :first], None, None)
    mask = torch.ones(first + second, first + second, dtype=torch.bool).tril()[first:]
    later, _ = network.extend(ids[:, first:], positions[:, first:], mask[None, None], cache)
    torch.testing.assert_close(later, network(ids)[:, first:], rtol=1e-4, atol=1e-5)
