"""What is tested in Triton's interpreter: `test_interpreted.py` runs this file in a process set to interpret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.batch import Segment
from kiln_engine.kernels.facade import Heads, Kernels, PagedKV
from kiln_engine.kernels.reference import ReferenceKernels
from kiln_engine.kernels.triton import linear as product
from kiln_engine.kernels.triton.kernels import TritonKernels
from kiln_engine.kernels.triton.launch import INTERPRETED
from kiln_engine.weights import Linear, Part
from tests.gpu.again import AgainRecorder
from tests.gpu.exactness import exactness
from tests.gpu.finding import Finding, near, same
from tests.gpu.graphs import graphs
from tests.gpu.ordered_dot import ordered_dot
from tests.gpu.parity import parity
from tests.gpu.ragged import Contexts, Draw, Place, Span, fill, poisoned_cache, queries_of, ragged_batch
from tests.gpu.workload import SMALL

FLOAT32 = Place(torch.device("cpu"), torch.float32)
BFLOAT16 = Place(torch.device("cpu"), torch.bfloat16)
PLACES = pytest.mark.parametrize("place", [FLOAT32, BFLOAT16], ids=["float32", "bfloat16"])


@pytest.fixture(autouse=True, scope="module")
def _interpreted() -> Iterator[None]:
    assert INTERPRETED, "run test_interpreted.py: kernels are compiled here, and there may be no GPU"
    torch.set_num_threads(1)
    with ordered_dot():
        yield


def _broken(findings: Iterator[Finding]) -> list[Finding]:
    taken = list(findings)
    assert taken
    return [finding for finding in taken if not finding.holds]


@PLACES
def test_every_operation_is_near_float64(place: Place) -> None:
    assert _broken(parity(TritonKernels(), place, SMALL)) == []


@PLACES
def test_the_oracle_and_the_reference_kernels_agree(place: Place) -> None:
    assert _broken(parity(ReferenceKernels(), place, SMALL)) == []


@PLACES
def test_no_row_depends_on_its_neighbours(place: Place) -> None:
    assert _broken(exactness(TritonKernels(), place, SMALL)) == []


@PLACES
def test_decode_steps_as_graphs_change_no_bit(place: Place) -> None:
    assert _broken(graphs(TritonKernels(), place, SMALL, AgainRecorder())) == []


def test_the_check_of_exactness_sees_kernels_that_are_not_exact() -> None:
    assert _broken(exactness(ReferenceKernels(), FLOAT32, replace(SMALL, widths=())))


@st.composite
def _spans(draw: st.DrawFn) -> list[Span]:
    rows = draw(st.lists(st.sampled_from([1, 1, 2, 17]), min_size=1, max_size=3))
    return [Span(n, n + draw(st.integers(0, 300))) for n in rows]


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    _spans(),
    st.sampled_from([Heads(2, 2, 16), Heads(7, 1, 24), Heads(6, 3, 40)]),
    st.sampled_from([1, 3, 16, 64]),
    st.sampled_from([None, 1, 20, 257]),
    st.sampled_from([FLOAT32, BFLOAT16]),
)
def test_random_ragged_attention_is_that_of_the_reference(
    spans: list[Span], heads: Heads, block_size: int, window: int | None, place: Place
) -> None:
    contexts = Contexts.random(heads, [span.context_len for span in spans], place)
    batch, num_blocks = ragged_batch(spans, block_size, place.device)
    kv = poisoned_cache(num_blocks, block_size, heads, place)
    fill(kv, batch, contexts, range(len(spans)))
    query = queries_of(spans, contexts, range(len(spans)))

    result = TritonKernels().paged_attention(query, kv, batch, scale=0.3, window=window)

    wanted = ReferenceKernels().paged_attention(query, kv, batch, scale=0.3, window=window)
    assert near("paged_attention", "random", result, wanted, place.dtype).holds


def test_queries_and_a_cache_of_two_formats_meet_in_float32() -> None:
    heads, spans = Heads(2, 1, 16), [Span(1, 270), Span(3, 9)]
    contexts = Contexts.random(heads, [270, 9], BFLOAT16)
    batch, num_blocks = ragged_batch(spans, 8, FLOAT32.device)
    caches = [poisoned_cache(num_blocks, 8, heads, place) for place in (FLOAT32, BFLOAT16)]
    for kv in caches:
        fill(kv, batch, contexts, range(2))
    query = queries_of(spans, contexts, range(2)).float()

    results = [TritonKernels().paged_attention(query, kv, batch, scale=0.25) for kv in caches]

    assert same("paged_attention", "formats", *results).holds


@pytest.mark.parametrize("num_rows", [1, 65])
def test_splits_side_by_side_and_in_turn_give_the_same_bits(num_rows: int) -> None:
    draw = Draw(3, BFLOAT16)
    x, weight = draw(num_rows, 2100), Linear(draw(40, 2100), draw(40), ())

    side_by_side = TritonKernels().linear(x, weight)
    with mock.patch.object(product, "_ENOUGH_PROGRAMS", 0):
        in_turn = TritonKernels().linear(x, weight)

    assert same("linear", "splits", side_by_side, in_turn).holds


def test_adapters_add_to_the_rows_and_parts_that_are_theirs() -> None:
    draw = Draw(4, FLOAT32)
    parts = (Part("q", 0, 4), Part("k", 4, 6), Part("v", 6, 8))
    deltas = {(2, "k"): lambda rows: rows[:, :2] * 10}
    x, weight = draw(5, 16), Linear(draw(8, 16), None, parts, deltas)
    segments = [Segment(0, 2, 0), Segment(2, 4, 2), Segment(4, 5, 1)]

    result = TritonKernels().linear(x, weight, segments)

    wanted = ReferenceKernels().linear(x, weight, segments)
    assert near("linear", "adapters", result, wanted, torch.float32).holds


def test_a_negative_slot_is_not_written() -> None:
    heads, draw = Heads(2, 1, 16), Draw(5, FLOAT32)
    batch, num_blocks = ragged_batch([Span(3, 3)], 4, FLOAT32.device)
    kept = batch.slots.clone()
    batch.slots[1] = -1
    kv = poisoned_cache(num_blocks, 4, heads, FLOAT32)

    TritonKernels().qk_norm_rope_write(draw(3, 64), heads, None, draw.rotary(8, 16), kv, batch)

    finite = kv.keys.isfinite().all(-1)[:, 0].flatten().nonzero().flatten().tolist()
    assert finite == sorted(kept[[0, 2]].tolist())


def test_a_row_without_a_context_is_zero_and_disturbs_nobody() -> None:
    heads = Heads(2, 1, 16)
    contexts = Contexts.random(heads, [300, 5], FLOAT32)
    for spans in ([Span(1, 300), Span(1, 5)], [Span(1, 40), Span(1, 5)]):
        batch, num_blocks = ragged_batch(spans, 8, FLOAT32.device)
        kv = poisoned_cache(num_blocks, 8, heads, FLOAT32)
        fill(kv, batch, contexts, range(2))
        query = queries_of(spans, contexts, range(2))
        wanted = TritonKernels().paged_attention(query, kv, batch, scale=0.25)

        batch.context_lens[1] = 0
        result = TritonKernels().paged_attention(query, kv, batch, scale=0.25)

        assert same("paged_attention", "beside", result[0], wanted[0]).holds
        assert result[1].eq(0).all()


def _attend(query: torch.Tensor, kv: PagedKV, **changes: Any) -> torch.Tensor:
    batch, _ = ragged_batch([Span(2, 5)], 4, FLOAT32.device)
    kernels: Kernels = TritonKernels()
    return kernels.paged_attention(query, kv, replace(batch, **changes), scale=1.0)


def test_arguments_that_do_not_fit_are_refused() -> None:
    heads, draw = Heads(4, 2, 16), Draw(6, FLOAT32)
    kv, query = poisoned_cache(5, 4, heads, FLOAT32), draw(2, 4, 16)
    with pytest.raises(ValueError, match=r"query is \[3, 4, 16\]; give it as \[2, any, any\]"):
        _attend(draw(3, 4, 16), kv)
    with pytest.raises(ValueError, match=r"3 query heads .* over 2 key-value heads"):
        _attend(draw(2, 3, 16), kv)
    with pytest.raises(ValueError, match="query has strides"):
        _attend(draw(2, 16, 4).transpose(1, 2), kv)
    with pytest.raises(ValueError, match=r"query is of torch.int32"):
        _attend(query.int(), kv)
    with pytest.raises(ValueError, match=r"kv.values is of torch.bfloat16"):
        _attend(query, PagedKV(kv.keys, kv.values.bfloat16()))
    with pytest.raises(ValueError, match=r"batch.block_ids is of torch.int64"):
        _attend(query, kv, block_ids=torch.zeros(2, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"x is \[2, 7\]; give it as \[any, 8\]"):
        TritonKernels().linear(draw(2, 7), Linear(draw(3, 8), None, ()))
    with pytest.raises(ValueError, match="gate_up has 7 columns"):
        TritonKernels().act_mul(draw(2, 7))
    with pytest.raises(ValueError, match="residual is"):
        TritonKernels().add_norm(draw(2, 8), draw(3, 8), draw(8), 1e-5)
