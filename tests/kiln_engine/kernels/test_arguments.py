"""What the kernels cannot work with is refused in Python, before an address is handed over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from kiln_engine.errors import EngineError
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.drawing import Wish
from kiln_engine.kernels.facade import Heads, PagedKV, RotaryTable
from kiln_engine.weights import Linear, Part
from tests.kiln_engine.kernels.product import product
from tests.kiln_engine.kernels.scenes import Scene, Span, Story, lay_out

HEADS = Heads(4, 2, 8)
FOUR = (Part("o", 0, 4),)
ROPE = RotaryTable(torch.randn(64, 4), torch.randn(64, 4))


@pytest.fixture
def scene() -> Scene:
    return lay_out([Span(Story.create(20, HEADS, torch.float32, 1), 5, 20)], block_size=4)


@pytest.mark.parametrize(
    ("x", "weight", "words"),
    [
        (torch.zeros(2, 8, dtype=torch.float16), torch.zeros(1, 8, 16), "compute in float32 and bfloat16"),
        (torch.zeros(2, 8), torch.zeros(1, 8, 16, dtype=torch.bfloat16), "weight is contiguous torch.bfloat16"),
        (torch.zeros(2, 8), torch.zeros(1, 9, 16), r"weight .* \[1, 8, 16\] on cpu is needed"),
        (torch.zeros(2, 8), torch.zeros(4, 8), r"packed weight is contiguous torch.float32 \[4, 8\]"),
        (torch.zeros(8, 2).T, torch.zeros(1, 8, 16), "x is strided"),
        (torch.zeros(2, 8), torch.zeros(1, 16, 8).mT, "weight is strided"),
        (torch.zeros(2, 8, device="meta"), torch.zeros(1, 8, 16), "on meta"),
    ],
)
def test_linear(native: CpuKernels, x: torch.Tensor, weight: torch.Tensor, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        native.linear(x, Linear(weight, None, FOUR))


def test_a_bias_of_another_size(native: CpuKernels) -> None:
    with pytest.raises(ValueError, match="bias"):
        native.linear(torch.zeros(2, 8), product(native, torch.zeros(4, 8), torch.zeros(3)))


@pytest.mark.parametrize("token_id", [-1, 16, 2**31 - 1])
def test_a_token_without_a_row(native: CpuKernels, token_id: int) -> None:
    with pytest.raises(ValueError, match="outside its table"):
        native.embed(torch.tensor([3, token_id], dtype=torch.int32), native.pack(torch.zeros(10, 8)))


def test_token_ids_and_tables_of_another_kind(native: CpuKernels) -> None:
    with pytest.raises(ValueError, match=r"token_ids is contiguous torch\.int64"):
        native.embed(torch.tensor([1]), native.pack(torch.zeros(10, 8)))
    with pytest.raises(ValueError, match=r"the table .* \[1, 8, 16\] on cpu is needed"):
        native.embed(torch.tensor([1], dtype=torch.int32), torch.zeros(1, 8, 12))


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (torch.zeros(4, 8, dtype=torch.float64), "compute in float32 and bfloat16"),
        (torch.zeros(8, 4).T, "the matrix is strided"),
        (torch.zeros(4, 8, device="meta"), "on meta"),
    ],
)
def test_what_cannot_be_packed(native: CpuKernels, matrix: torch.Tensor, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        native.pack(matrix)


@pytest.mark.parametrize("outputs", [32, 33])
def test_a_packed_matrix_is_taken_over(native: CpuKernels, outputs: int) -> None:
    matrix = torch.randn(outputs, 8)
    memory = matrix.data_ptr()
    packed = native.pack(matrix)
    assert (packed.data_ptr() == memory) is (outputs == 32)  # whole panels need no memory of their own
    assert matrix.shape == (0,)


def wish(**values: int) -> Wish:
    return Wish(1.0, 0.0, 1.0, 0.5, values.get("kept", 8), False, values.get("first", 0), values.get("number", 0))


@pytest.mark.parametrize(
    ("logits", "wishes", "ids", "words"),
    [
        (torch.zeros(1, 8, dtype=torch.float64), [wish()], [], "the logits is contiguous torch.float64"),
        (torch.zeros(2, 8), [wish()], [], r"\[1, 8\] on cpu is needed"),
        (torch.zeros(1, 8), [wish(number=2)], [1], "extra tokens 0 to 2 of 1"),
        (torch.zeros(1, 8), [wish(first=-1, number=1)], [1], "extra tokens -1 to 0 of 1"),
        (torch.zeros(1, 8), [wish(number=1)], [8], "extra tokens 8 to 8 are used; there are 8"),
        (torch.zeros(1, 8), [wish(number=1)], [-1], "extra tokens -1 to -1 are used"),
        (torch.zeros(1, 8), [wish(kept=0)], [], "top-k leaves 0 tokens"),
    ],
)
def test_draws(native: CpuKernels, logits: torch.Tensor, wishes: list[Wish], ids: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        native.draw(logits, wishes, np.array(ids, dtype=np.int64), np.zeros(len(ids)))


def test_extra_tokens_of_another_kind(native: CpuKernels) -> None:
    for ids, values, words in (
        (np.zeros(1, dtype=np.int32), np.zeros(1), r"int32\(1,\) with float64"),
        (np.zeros(1, dtype=np.int64), np.zeros(2), r"with float64\(2,\) values"),
        (np.zeros(4, dtype=np.int64)[::2], np.zeros(2), "strided"),
    ):
        with pytest.raises(ValueError, match=words):
            native.draw(torch.zeros(1, 8), [wish()], ids, values)


def test_norms_and_activations(native: CpuKernels) -> None:
    x = torch.zeros(2, 8)
    with pytest.raises(ValueError, match="weight"):
        native.add_norm(x, None, torch.zeros(7), 1e-6)
    with pytest.raises(ValueError, match="residual"):
        native.add_norm(x, torch.zeros(3, 8), torch.zeros(8), 1e-6)
    with pytest.raises(ValueError, match="7 columns"):
        native.act_mul(torch.zeros(2, 7))


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        (Heads(4, 3, 8), "4 query heads cannot be shared among 3"),
        (Heads(4, 2, 7), "even size of at most 256"),
        (Heads(4, 2, 258), "even size of at most 256"),
        (Heads(2, 2, 8), "qkv"),
        (Heads(4, 2, 6), "qkv"),
    ],
)
def test_heads(native: CpuKernels, scene: Scene, heads: Heads, words: str) -> None:
    columns = (heads.num_heads + 2 * heads.num_kv_heads) * heads.head_dim if "qkv" not in words else 64
    with pytest.raises(ValueError, match=words):
        native.qk_norm_rope_write(torch.zeros(15, columns), heads, None, ROPE, scene.kv, scene.batch)


def test_caches(native: CpuKernels, scene: Scene) -> None:
    keys, values = scene.kv
    for kv in (PagedKV(keys, values[:-1]), PagedKV(keys, values.bfloat16()), PagedKV(keys.transpose(1, 2), values)):
        with pytest.raises(ValueError, match="the cache's"):
            native.paged_attention(scene.query, kv, scene.batch, scale=1.0)


def test_windows(native: CpuKernels, scene: Scene) -> None:
    with pytest.raises(ValueError, match="a window of 0"):
        native.paged_attention(scene.query, scene.kv, scene.batch, scale=1.0, window=0)


@pytest.mark.parametrize("name", ["positions", "slots", "row_offsets", "context_lens", "block_offsets", "block_ids"])
def test_tensors_of_a_batch(native: CpuKernels, scene: Scene, name: str) -> None:
    own = getattr(scene.batch, name)
    # How long the others must be follows from two of them.
    with pytest.raises(ValueError, match=f"the batch's {name}"):
        attend(native, scene, **{name: own.long()})
    if name not in ("block_ids", "context_lens"):
        with pytest.raises(ValueError, match=f"the batch's {name}"):
            attend(native, scene, **{name: own.repeat(2)})


def attend(native: CpuKernels, scene: Scene, **changes: torch.Tensor) -> torch.Tensor:
    batch = replace(scene.batch, **changes)  # type: ignore[arg-type]
    return native.paged_attention(scene.query, scene.kv, batch, scale=1.0)


def spoiled(indices: torch.Tensor, value: int) -> torch.Tensor:
    """The same indices with another one at the end."""
    return torch.cat([indices[:-1], torch.tensor([value], dtype=torch.int32)])


def test_indices_outside_the_cache(native: CpuKernels, scene: Scene) -> None:
    batch, most = scene.batch, scene.kv.keys.shape[0]
    for value in (-1, most):
        with pytest.raises(ValueError, match=r"blocks .* are used"):
            attend(native, scene, block_ids=spoiled(batch.block_ids, value))
    for value in (-1, most * 4):
        with pytest.raises(ValueError, match=r"slots .* are used"):
            attend(native, scene, slots=spoiled(batch.slots, value))


def test_positions_without_angles(native: CpuKernels, scene: Scene) -> None:
    short = RotaryTable(*(table[:19].contiguous() for table in ROPE))
    with pytest.raises(ValueError, match="position 19 has no angles; there are 19"):
        native.qk_norm_rope_write(torch.zeros(15, 64), HEADS, None, short, scene.kv, scene.batch)


def test_no_memory_is_said(native: CpuKernels) -> None:
    with pytest.raises(EngineError, match="no memory to work in"):
        native._check_code(1)


def test_no_rows_are_no_work(native: CpuKernels) -> None:
    assert native.linear(torch.zeros(0, 8), product(native, torch.zeros(4, 8))).shape == (0, 4)
    assert native.act_mul(torch.zeros(0, 8)).shape == (0, 4)
