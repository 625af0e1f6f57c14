"""The models that engines are measured with: checkpoints of random weights, made once and kept in a folder."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import gguf
import torch
from gguf import GGMLQuantizationType as Kind
from safetensors import safe_open
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

from kiln_engine.config import ModelConfig
from kiln_engine.loading.hf_config import read_config
from kiln_engine.loading.layout import destinations
from kiln_engine.weights import Weights

BFLOAT16_BYTES: Final = 2

_CONTROL: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_TEMPLATE: Final = "{% for message in messages %}{{ message.content }}{% endfor %}"
"""No more than the text, so that a prompt is as long as it is said to be."""
_TOKENIZER_CONFIG: Final = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": _CONTROL[-1],
    "model_max_length": 32768,
}
_SPREAD: Final = 0.02
"""Standard deviation of every matrix, which is what models start their training from."""
_EXPORT: Final = """
import sys
from optimum.exporters.openvino import main_export
main_export(sys.argv[1], sys.argv[2], task="text-generation-with-past")
"""
_GGUF_KINDS: Final = {"bfloat16": Kind.BF16, "float16": Kind.F16}


@dataclass(frozen=True)
class Shape:
    """A Qwen3 of these sizes, embedding and output layer tied."""

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int

    @property
    def config(self) -> dict[str, Any]:
        """As config.json has it."""
        return {
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "vocab_size": self.vocab,
            "hidden_size": self.hidden,
            "intermediate_size": self.intermediate,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_dim,
            "hidden_act": "silu",
            "max_position_embeddings": 32768,
            "rms_norm_eps": 1e-6,
            "rope_theta": 1_000_000.0,
            "tie_word_embeddings": True,
            "torch_dtype": "bfloat16",
            "eos_token_id": self.vocab - 1,
        }

    @property
    def weight_bytes(self) -> int:
        """Of all weights in bfloat16: what one step reads."""
        return BFLOAT16_BYTES * sum(tensor.numel() for tensor in _tensors(self).values())

    @property
    def kv_bytes(self) -> int:
        """Of keys and values of one position, in bfloat16."""
        return BFLOAT16_BYTES * 2 * self.layers * self.kv_heads * self.head_dim


QWEN3: Final = Shape("qwen3-0.6b", 28, 1024, 16, 8, 128, 3072, 151_936)
SMALL: Final = Shape("26m", 6, 512, 8, 4, 64, 1536, 16_384)
TINY: Final = Shape("tiny", 2, 64, 4, 2, 32, 96, 320)
"""For the benchmark's own test."""


def folder_of(shape: Shape, models: Path) -> Path:
    """The model's Hugging Face folder in bfloat16, made if it is not there."""
    folder = models / shape.name
    if not (folder / "config.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _tokenizer(shape.vocab).save(str(folder / "tokenizer.json"))
        _write(folder / "tokenizer_config.json", _TOKENIZER_CONFIG)
        (folder / "chat_template.jinja").write_text(_TEMPLATE)
        save_file(dict(_weights(shape)), folder / "model.safetensors", metadata={"format": "pt"})
        _write(folder / "config.json", shape.config)  # last: it says that the folder is complete
    return folder


def gguf_of(shape: Shape, models: Path, dtype: str) -> Path:
    """The same weights as a GGUF file in bfloat16 or float16, for llama.cpp; made if it is not there."""
    path = models / f"{shape.name}-{dtype}.gguf"
    if not path.is_file():
        source, unfinished = folder_of(shape, models), path.with_suffix(".unfinished")
        _write_gguf(unfinished, shape, source / "model.safetensors", _GGUF_KINDS[dtype])
        unfinished.rename(path)
    return path


def openvino_of(shape: Shape, models: Path, python: str) -> Path:
    """The same weights as OpenVINO reads them; made, by an interpreter that has optimum-intel, if not there."""
    folder = models / f"{shape.name}-openvino"
    if not (folder / "openvino_tokenizer.xml").is_file():
        source = folder_of(shape, models)
        subprocess.run([python, "-c", _EXPORT, str(source), str(folder)], check=True, stdout=subprocess.DEVNULL)
    return folder


def _write(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1))


def _tokenizer(vocab_size: int) -> Tokenizer:
    """Every byte is a token. Words that no text is split into fill the vocabulary, so that each id means some text."""
    tokens = sorted(ByteLevel.alphabet())
    tokens += [f"Ġword{number}" for number in range(vocab_size - len(tokens) - len(_CONTROL))]
    tokenizer = Tokenizer(BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=[]))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in _CONTROL])
    return tokenizer


def _config_of(shape: Shape) -> ModelConfig:
    return read_config(shape.config, "config.json", stored="bfloat16")


def _tensors(shape: Shape) -> dict[str, torch.Tensor]:
    """Every tensor by its name in a checkpoint, without data."""
    return dict(destinations(Weights.empty(_config_of(shape), dtype=torch.bfloat16, device=torch.device("meta"))))


def _weights(shape: Shape) -> Iterator[tuple[str, torch.Tensor]]:
    random = torch.Generator().manual_seed(0)
    for name, tensor in _tensors(shape).items():
        if tensor.dim() == 1:
            yield name, torch.ones(tensor.shape, dtype=torch.bfloat16)
        else:
            yield name, torch.empty(tensor.shape, dtype=torch.bfloat16).normal_(0.0, _SPREAD, generator=random)


def _write_gguf(path: Path, shape: Shape, weights: Path, kind: Kind) -> None:
    # Imports transformers, which no other model here needs.
    from tests.kiln_engine.loading.checkpoints import add, described, gguf_name, qwen3

    arch = "qwen3"
    writer = gguf.GGUFWriter(path, arch)
    sizes = described(qwen3(**shape.config), arch) | {f"{arch}.attention.value_length": shape.head_dim}
    for key, value in sizes.items():
        add(writer, key, value)
    writer.add_tokenizer_model("none")  # all peers are given ids
    with safe_open(weights, "pt") as file:
        for name in file.keys():  # noqa: SIM118 - no mapping
            tensor = file.get_tensor(name)
            stored = Kind.F32 if tensor.dim() == 1 else kind
            writer.add_tensor(gguf_name(name), _raw(tensor, stored), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _raw(tensor: torch.Tensor, kind: Kind) -> Any:
    if kind is Kind.BF16:
        return tensor.view(torch.uint8).numpy()
    return (tensor.half() if kind is Kind.F16 else tensor.float()).numpy()
