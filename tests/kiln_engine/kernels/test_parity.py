"""Every operation against float64, over random shapes."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from kiln_engine.batch import Segment
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.facade import HeadNorms, Heads, RotaryTable
from kiln_engine.weights import Linear, Part
from tests.kiln_engine.kernels.closeness import assert_close
from tests.kiln_engine.kernels.product import product
from tests.kiln_engine.kernels.scenes import Scene, Span, Story, expected_attention, lay_out

DTYPES = st.sampled_from([torch.float32, torch.bfloat16])
SEEDS = st.integers(0, 2**31)
WIDTHS = st.integers(1, 400)


def normal(seed: int, *shape: int, dtype: torch.dtype) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@given(
    dtype=DTYPES, rows=st.integers(1, 70), inputs=WIDTHS, outputs=st.integers(1, 120), bias=st.booleans(), seed=SEEDS
)
@settings(max_examples=60, deadline=None)
def test_linear(
    kernels: CpuKernels, dtype: torch.dtype, rows: int, inputs: int, outputs: int, bias: bool, seed: int
) -> None:
    x, weight = normal(seed, rows, inputs, dtype=dtype), normal(seed + 1, outputs, inputs, dtype=dtype)
    offset = normal(seed + 2, outputs, dtype=dtype) if bias else None
    expected = functional.linear(x.double(), weight.double(), None if offset is None else offset.double())
    # Sums that cancel are as far off as their terms are large.
    terms = functional.linear(x.double().abs(), weight.double().abs())
    actual = kernels.linear(x, product(kernels, weight, offset))
    rounding = 2.0**-8 * expected.abs() if dtype == torch.bfloat16 else 0.0
    assert bool(((actual.double() - expected).abs() <= 1e-6 * terms + 1e-6 * expected.abs() + rounding).all())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("rows", "inputs", "outputs"), [(1100, 48, 20), (130, 1100, 50), (3, 4100, 7), (1, 9000, 40)])
def test_linear_beyond_what_is_held_at_once(
    kernels: CpuKernels, dtype: torch.dtype, rows: int, inputs: int, outputs: int
) -> None:
    x, weight = normal(1, rows, inputs, dtype=dtype), normal(2, outputs, inputs, dtype=dtype)
    assert_close(kernels.linear(x, product(kernels, weight)), functional.linear(x.double(), weight.double()))


@given(dtype=DTYPES, rows=st.integers(0, 20), inputs=WIDTHS, outputs=st.integers(1, 120), seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_rows_come_out_of_panels_as_they_went_in(
    kernels: CpuKernels, dtype: torch.dtype, rows: int, inputs: int, outputs: int, seed: int
) -> None:
    table = normal(seed, outputs, inputs, dtype=dtype)
    ids = torch.randint(0, outputs, (rows,), generator=torch.Generator().manual_seed(seed), dtype=torch.int32)
    assert torch.equal(kernels.embed(ids, kernels.pack(table.clone())), table[ids])


@given(dtype=DTYPES, rows=st.integers(1, 9), width=WIDTHS, residual=st.booleans(), seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_add_norm(kernels: CpuKernels, dtype: torch.dtype, rows: int, width: int, residual: bool, seed: int) -> None:
    x, weight = normal(seed, rows, width, dtype=dtype), normal(seed + 1, width, dtype=dtype)
    before = normal(seed + 2, rows, width, dtype=dtype) if residual else None
    y, total = kernels.add_norm(x, before, weight, 1e-5)
    assert torch.equal(total, x if before is None else x + before)
    assert_close(y, expected_norm(total, weight, 1e-5))


@given(dtype=DTYPES, rows=st.integers(1, 9), width=WIDTHS, scale=st.sampled_from([0.1, 1, 40]), seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_act_mul(kernels: CpuKernels, dtype: torch.dtype, rows: int, width: int, scale: float, seed: int) -> None:
    gate_up = normal(seed, rows, 2 * width, dtype=dtype) * scale
    gate, up = gate_up.double().chunk(2, dim=-1)
    assert_close(kernels.act_mul(gate_up), functional.silu(gate) * up)


def test_act_mul_of_what_no_number_is_left_of(kernels: CpuKernels) -> None:
    gates = torch.tensor([[float("-inf"), -1e30, -100.0, 100.0, 1e30, float("inf"), float("nan"), 0.0]])
    y = kernels.act_mul(torch.cat([gates, torch.ones_like(gates)], dim=1))
    expected = torch.tensor([[0.0, 0.0, 0.0, 100.0, 1e30, float("inf"), float("nan"), 0.0]])
    assert torch.allclose(y[:, 1:], expected[:, 1:], equal_nan=True)


@st.composite
def heads(draw: st.DrawFn) -> Heads:
    group, kv = draw(st.integers(1, 16)), draw(st.integers(1, 3))
    return Heads(group * kv, kv, draw(st.sampled_from([2, 6, 8, 16, 24, 64, 80, 96, 128])))


@st.composite
def spans(draw: st.DrawFn, own: Heads, dtype: torch.dtype, most: int) -> list[Span]:
    """1 to 64 sequences of mixed kinds: whole prompts, chunks of them, single rows after a long context."""
    count = draw(st.sampled_from([1, 2, 3, 5, 64]))
    longest = most if count < 10 else 40
    made = []
    for _ in range(count):
        stop = draw(st.integers(1, longest))
        start = draw(st.sampled_from([stop - 1, max(0, stop - 17), stop // 2 if stop < 100 else stop - 3]))
        made.append(Span(Story.create(stop, own, dtype, draw(SEEDS)), start, stop))
    return made


@given(data=st.data(), own=heads(), dtype=DTYPES, block_size=st.sampled_from([1, 4, 5, 16, 32]))
@settings(max_examples=40, deadline=None)
def test_paged_attention(
    kernels: CpuKernels, data: st.DataObject, own: Heads, dtype: torch.dtype, block_size: int
) -> None:
    story = data.draw(spans(own, dtype, most=600 if own.num_heads * own.head_dim < 1000 else 100))
    window = data.draw(st.sampled_from([None, None, 1, 7, 16, 50]))
    scene = lay_out(
        story, block_size=block_size, placement=data.draw(SEEDS), poison=data.draw(st.sampled_from([float("nan"), 1e4]))
    )
    scale = own.head_dim**-0.5
    actual = kernels.paged_attention(scene.query, scene.kv, scene.batch, scale=scale, window=window)
    assert_close(actual, expected_attention(story, scale, window))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("size", [256, 250])
def test_paged_attention_of_the_widest_heads(kernels: CpuKernels, dtype: torch.dtype, size: int) -> None:
    own = Heads(4, 2, size)
    story = [Span(Story.create(50, own, dtype, 3), 0, 50), Span(Story.create(40, own, dtype, 4), 39, 40)]
    scene = lay_out(story, block_size=16)
    actual = kernels.paged_attention(scene.query, scene.kv, scene.batch, scale=0.1)
    assert_close(actual, expected_attention(story, 0.1, None))


def test_scores_far_apart(kernels: CpuKernels) -> None:
    """A maximum that arrives late takes all the weight; what came before underflows to nothing."""
    own = Heads(2, 1, 16)
    story = Story.create(40, own, torch.float32, 5)
    story.keys.mul_(60)
    scene = lay_out([Span(story, 0, 40)], block_size=16)
    actual = kernels.paged_attention(scene.query, scene.kv, scene.batch, scale=1.0)
    assert torch.allclose(actual.double(), expected_attention([Span(story, 0, 40)], 1.0, None), atol=1e-3)


@given(data=st.data(), own=heads(), dtype=DTYPES, normed=st.booleans(), seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_qk_norm_rope_write(
    kernels: CpuKernels, data: st.DataObject, own: Heads, dtype: torch.dtype, normed: bool, seed: int
) -> None:
    scene = lay_out(data.draw(spans(own, dtype, most=40)), block_size=data.draw(st.sampled_from([1, 5, 16])))
    dim, positions = own.head_dim, scene.batch.positions.long()
    qkv = normal(seed, scene.batch.num_rows, (own.num_heads + 2 * own.num_kv_heads) * dim, dtype=dtype)
    norms = None
    if normed:
        norms = HeadNorms(normal(seed + 1, dim, dtype=dtype), normal(seed + 2, dim, dtype=dtype), 1e-6)
    rope = RotaryTable(*(normal(seed + 3 + i, 600, dim // 2, dtype=torch.float32) for i in range(2)))
    before = [cache.clone() for cache in scene.kv]

    query = kernels.qk_norm_rope_write(qkv, own, norms, rope, scene.kv, scene.batch)

    wide = qkv.double().view(len(positions), -1, dim)
    queries, keys, values = wide.tensor_split((own.num_heads, own.num_heads + own.num_kv_heads), dim=1)
    if norms is not None:
        queries, keys = expected_norm(queries, norms.query, 1e-6), expected_norm(keys, norms.key, 1e-6)
    assert_close(query, expected_rotation(queries, rope, positions))
    written = [_at_slots(cache, scene) for cache in scene.kv]
    assert_close(written[0], expected_rotation(keys, rope, positions))
    assert torch.equal(written[1].double(), values)
    for cache, old in zip(scene.kv, before, strict=True):
        assert torch.equal(_without(cache, scene), _without(old, scene)), "it wrote where it must not"


def expected_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = x.double()
    return wide * (wide.square().mean(-1, keepdim=True) + eps).rsqrt() * weight.double()


def expected_rotation(x: Tensor, rope: RotaryTable, positions: Tensor) -> Tensor:
    cos, sin = (table.double()[positions].unsqueeze(1) for table in rope)
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


def _at_slots(cache: Tensor, scene: Scene) -> Tensor:
    slots = scene.batch.slots.long()
    return cache[slots // scene.kv.block_size, :, slots % scene.kv.block_size]


def _without(cache: Tensor, scene: Scene) -> Tensor:
    """The bits of a cache with the batch's slots blanked out."""
    kept, slots = cache.clone(), scene.batch.slots.long()
    kept[slots // scene.kv.block_size, :, slots % scene.kv.block_size] = 0
    return kept.view(torch.int32 if kept.dtype == torch.float32 else torch.int16)


def test_adapters_change_the_rows_of_their_segments_and_the_outputs_of_their_part(native: CpuKernels) -> None:
    parts = (Part("q", 0, 8), Part("v", 8, 12))
    x, weight = torch.randn(5, 16), Linear(native.pack(torch.randn(12, 16)), None, parts)
    plain = native.linear(x, weight)
    weight.deltas[1, "v"] = lambda rows: rows.sum(-1, keepdim=True).expand(-1, 4)
    segments = (Segment(0, 2, 0), Segment(2, 4, 1), Segment(4, 5, 2))
    changed = plain.clone()
    changed[2:4, 8:] += x[2:4].sum(-1, keepdim=True)
    assert torch.equal(native.linear(x, weight, segments), changed)
