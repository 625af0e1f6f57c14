"""Recorded work leaves the bits that it leaves step by step, whatever lies in its memory before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from msgspec.structs import replace as replace_config
from torch import Tensor

from kiln_engine.errors import EngineError
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.cpu.library import CallStruct
from kiln_engine.kernels.cpu.program import CpuRecorder, Program
from kiln_engine.kernels.facade import Heads, RotaryTable
from tests.gpu.graphs import graphs
from tests.gpu.ragged import Place
from tests.gpu.workload import SMALL, model_of
from tests.kiln_engine.kernels.product import product
from tests.kiln_engine.kernels.scenes import Scene, Span, Story, lay_out

BOTH = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
CPU = torch.device("cpu")
HEADS = Heads(4, 2, 8)
ROPE = RotaryTable(torch.randn(64, 4), torch.randn(64, 4))


def recorded(kernels: CpuKernels, work: Callable[[], Tensor]) -> tuple[Program, Tensor]:
    """A program, and the memory that its calls share."""
    recorder = CpuRecorder(kernels)
    return recorder.record(work), recorder._memory


@BOTH
@pytest.mark.parametrize("biases", [False, True])
def test_steps_of_a_model(native: CpuKernels, dtype: torch.dtype, biases: bool) -> None:
    model = model_of(Heads(4, 2, 16), 40, 72, num_layers=3)
    if biases:
        model = replace_config(model, qkv_bias=True, o_bias=True, mlp_bias=True, qk_norm=False)
    steps = ((9,), (300, 1, 40), (10,), (301, 2, 41, 7), (11,), (302, 3, 42))
    workload = replace(SMALL, model=model, steps=steps)
    findings = list(graphs(native, Place(CPU, dtype), workload, native.recorder()))
    assert [finding for finding in findings if not finding.holds] == []
    assert len(findings) == len(steps) * (1 + 2 * 3)


@BOTH
def test_nothing_is_read_before_it_is_written(native: CpuKernels, dtype: torch.dtype) -> None:
    x, norm = torch.randn(3, 40).to(dtype), torch.rand(40).to(dtype)
    up, down = (product(native, torch.randn(*shape).to(dtype)) for shape in ((96, 40), (40, 48)))

    def work() -> Tensor:
        y, total = native.add_norm(x, x, norm, 1e-6)
        y = native.linear(native.act_mul(native.linear(y, up)), down)
        return native.add_norm(y, total, norm, 1e-6)[1]

    program, memory = recorded(native, work)
    for values in (x, x * 2, x - 1):
        x.copy_(values)
        memory.fill_(0xFF)  # NaN, in either type
        assert torch.equal(program.replay(), work())


def test_memory_is_shared_by_programs_and_by_what_is_never_needed_together(native: CpuKernels) -> None:
    x, weight = torch.randn(4, 64), product(native, torch.randn(64, 64))

    def chain(length: int, rows: int) -> Tensor:
        y = x[:rows]
        for _ in range(length):
            y = native.linear(y, weight)
        return y

    recorder = CpuRecorder(native)
    programs = [recorder.record(lambda: chain(30, 4)), recorder.record(lambda: chain(7, 2))]
    assert recorder._memory.nbytes == 2 * 4 * 64 * 4
    assert {program._result.untyped_storage().data_ptr() for program in programs} == {recorder._memory.data_ptr()}
    assert torch.equal(programs[0].replay().clone(), chain(30, 4))
    assert torch.equal(programs[1].replay(), chain(7, 2))


def test_a_program_outlives_a_larger_one(native: CpuKernels) -> None:
    x, weight = torch.randn(8, 64), product(native, torch.randn(64, 64))
    recorder = CpuRecorder(native)
    small = recorder.record(lambda: native.linear(x[:1], weight))
    large = recorder.record(lambda: native.linear(x, weight))
    assert torch.equal(large.replay(), native.linear(x, weight))
    assert torch.equal(small.replay(), native.linear(x[:1], weight))


def test_an_output_that_is_taken_from_its_middle_on(native: CpuKernels) -> None:
    x, wide, weight = torch.randn(4, 32), product(native, torch.randn(64, 32)), product(native, torch.randn(8, 64))

    def work() -> Tensor:
        return native.linear(native.linear(x, wide)[1:3], weight)

    program, memory = recorded(native, work)
    memory.fill_(0xFF)
    assert torch.equal(program.replay(), work())


@pytest.mark.parametrize("result", [lambda x, _: x, lambda _, y: y + 1], ids=["an input", "torch's"])
def test_a_result_that_no_kernel_made(native: CpuKernels, result: Callable[[Tensor, Tensor], Tensor]) -> None:
    x, weight = torch.randn(4, 32), product(native, torch.randn(32, 32))
    with pytest.raises(ValueError, match="a result that no kernel made"):
        CpuRecorder(native).record(lambda: result(x, native.linear(x, weight)))


def test_a_part_of_an_output_is_no_result(native: CpuKernels) -> None:
    x, weight = torch.randn(4, 32), product(native, torch.randn(32, 32))
    with pytest.raises(ValueError, match="a result that no kernel made"):
        CpuRecorder(native).record(lambda: native.linear(x, weight)[:2])


@pytest.fixture
def scene() -> Scene:
    return lay_out([Span(Story.create(20, HEADS, torch.float32, 1), 5, 20)], block_size=4)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("slots", 10_000, "slot"), ("block_ids", -1, "block"), ("positions", 64, "position 64 has no angles")],
)
def test_indices_are_checked_each_time(native: CpuKernels, scene: Scene, name: str, value: int, words: str) -> None:
    qkv = torch.randn(15, 64)

    def work() -> Tensor:
        query = native.qk_norm_rope_write(qkv, HEADS, None, ROPE, scene.kv, scene.batch)
        return native.paged_attention(query, scene.kv, scene.batch, scale=0.3)

    program, _ = recorded(native, work)
    assert len(program._indices) == 1  # rotation and attention use one batch
    assert torch.equal(program.replay(), work())
    getattr(scene.batch, name)[0] = value
    with pytest.raises(ValueError, match=words):
        program.replay()


def test_a_token_without_a_row_is_refused_at_replay(native: CpuKernels) -> None:
    ids, table = torch.tensor([1, 2], dtype=torch.int32), native.pack(torch.randn(16, 8))
    program, _ = recorded(native, lambda: native.embed(ids, table))
    ids[1] = 16
    with pytest.raises(ValueError, match="outside its table"):
        program.replay()


def test_the_tape_ends_with_the_work(native: CpuKernels) -> None:
    def failing() -> Tensor:
        raise EngineError("no")

    with pytest.raises(EngineError, match="no"):
        CpuRecorder(native).record(failing)
    assert native._tape is None


def test_a_call_needs_all_its_arguments() -> None:
    with pytest.raises(TypeError, match="kiln_act_mul takes 6 arguments, not 2"):
        CallStruct.of("kiln_act_mul", [0, None])


def test_a_result_is_kept_to_the_end(native: CpuKernels) -> None:
    x, weight, other = torch.randn(4, 64), *(product(native, torch.randn(64, 64)) for _ in range(2))

    def work() -> Tensor:
        y = native.linear(x, weight)
        native.linear(native.linear(x, other), other)
        return y

    program, _ = recorded(native, work)
    assert torch.equal(program.replay(), work())


def test_every_batch_is_checked(native: CpuKernels) -> None:
    scenes = [lay_out([Span(Story.create(9, HEADS, torch.float32, seed), 8, 9)], block_size=4) for seed in (1, 2)]

    def work() -> Tensor:
        results = [native.paged_attention(own.query, own.kv, own.batch, scale=0.3) for own in scenes]
        return results[1]

    program, _ = recorded(native, work)
    for scene in scenes:
        kept = scene.batch.block_ids.clone()
        scene.batch.block_ids[0] = 10_000
        with pytest.raises(ValueError, match="block"):
            program.replay()
        scene.batch.block_ids.copy_(kept)
    assert torch.equal(program.replay(), work())
