"""ModelConfig from the metadata of a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kiln_engine.config import Family, ModelConfig, Rope
from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.fields import Fields
from kiln_engine.loading.gguf_file import GgufFile
from kiln_engine.loading.hf_config import checked
from kiln_engine.loading.hf_rope import DEFAULT_THETA, yarn_magnitude

ARCHITECTURES: Final[Mapping[str, Family]] = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}
EMBEDDING: Final = "token_embd.weight"
LM_HEAD: Final = "output.weight"
FREQUENCY_FACTORS: Final = "rope_freqs.weight"


def read_gguf_config(file: GgufFile) -> ModelConfig:
    """The config of a GGUF file. Raises LoadError for what is missing, wrong or not supported."""
    family = _family(file)
    fields = Fields(file.metadata, str(file.path), f"{file.metadata['general.architecture']}.")
    num_layers, num_heads = fields.count("block_count"), fields.count("attention.head_count")
    embedding = file.tensors.get(EMBEDDING)
    if embedding is None:
        raise LoadError(f"{file.path}: has no tensor {EMBEDDING}")
    return checked(
        ModelConfig(
            family=family,
            vocab_size=embedding.shape[0],
            hidden_size=fields.count("embedding_length"),
            intermediate_size=fields.count("feed_forward_length"),
            num_layers=num_layers,
            num_heads=num_heads,
            num_kv_heads=fields.count("attention.head_count_kv", num_heads),
            head_dim=_head_dim(fields, num_heads),
            rms_norm_eps=fields.number("attention.layer_norm_rms_epsilon"),
            rope=_rope(fields, file),
            context_length=fields.count("context_length"),
            tied=LM_HEAD not in file.tensors,
            qk_norm=family == "qwen3",
            qkv_bias=family == "qwen2" or "blk.0.attn_q.bias" in file.tensors,
            o_bias="blk.0.attn_output.bias" in file.tensors,
            mlp_bias="blk.0.ffn_gate.bias" in file.tensors,
            windows=(None,) * num_layers,
            layer_kinds=("attention",) * num_layers,
            dtype=_dtype(file),
            source=_described(file.metadata),
        ),
        str(file.path),
    )


def _family(file: GgufFile) -> Family:
    general = Fields(file.metadata, str(file.path))
    name = general.get("general.architecture")
    if name not in ARCHITECTURES:
        raise general.error("general.architecture", f"must be one that is supported: {', '.join(ARCHITECTURES)}")
    if general.get("split.count") not in (None, 0, 1):
        raise general.error("split.count", "must be 1: join the parts with llama.cpp's gguf-split --merge")
    for key in (f"{name}.expert_count", f"{name}.attention.sliding_window"):
        if general.get(key):
            raise general.error(key, "is not supported in GGUF files")
    return ARCHITECTURES[str(name)]


def _head_dim(fields: Fields, num_heads: int) -> int:
    size = fields.count("attention.key_length", fields.count("embedding_length") // num_heads)
    for key in ("attention.value_length", "rope.dimension_count"):
        if fields.count(key, size) != size:
            raise fields.error(key, f"must be the size of a key head, {size}")
    return size


def _rope(fields: Fields, file: GgufFile) -> Rope:
    rope = Rope(theta=fields.number("rope.freq_base", DEFAULT_THETA), frequency_factors=_frequency_factors(file))
    # Older files have the factor of linear scaling under a name of its own, and no type.
    kind = fields.get("rope.scaling.type") or ("linear" if fields.get("rope.scale_linear") is not None else "none")
    match kind:
        case "none":
            return rope
        case "linear":
            return _replaced(rope, kind="linear", factor=_linear_factor(fields))
        case "yarn":
            return _yarn(rope, fields)
        case _:
            raise fields.error("rope.scaling.type", "must be one that is supported: none, linear, yarn")


def _linear_factor(fields: Fields) -> float:
    return fields.number("rope.scaling.factor", fields.number("rope.scale_linear", 1.0))


def _yarn(rope: Rope, fields: Fields) -> Rope:
    factor = fields.number("rope.scaling.factor")
    return _replaced(
        rope,
        kind="yarn",
        factor=factor,
        original_max_position_embeddings=fields.count(
            "rope.scaling.original_context_length", fields.count("context_length")
        ),
        attention_factor=fields.number("rope.scaling.attn_factor", 1.0) * yarn_magnitude(factor),
        beta_fast=fields.number("rope.scaling.yarn_beta_fast", 32.0),
        beta_slow=fields.number("rope.scaling.yarn_beta_slow", 1.0),
    )


def _replaced(rope: Rope, **changes: Any) -> Rope:
    return Rope(theta=rope.theta, frequency_factors=rope.frequency_factors, **changes)


def _frequency_factors(file: GgufFile) -> tuple[float, ...]:
    if FREQUENCY_FACTORS not in file.tensors:
        return ()
    return tuple(float(value) for _, piece in file.pieces(FREQUENCY_FACTORS) for value in piece.flatten())


def _dtype(file: GgufFile) -> str:
    """The kind of number that most weights have."""
    elements: dict[str, int] = {}
    for stored in file.tensors.values():
        elements[stored.kind] = elements.get(stored.kind, 0) + stored.size
    kind = max(elements, key=elements.__getitem__)
    return {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}.get(kind, kind.lower())


def _described(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata that describes the model: vocabulary and template have identities of their own."""
    return {key: value for key, value in metadata.items() if not key.startswith("tokenizer.")}
