"""ModelConfig from a Hugging Face config.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from kiln_engine.config import MAX_HEAD_DIM, Family, ModelConfig, Rope
from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.fields import Fields
from kiln_engine.loading.hf_rope import read_rope


class Kind(NamedTuple):
    """What one architecture of transformers does differently from the others."""

    family: Family
    qk_norm: bool = False
    qkv_bias: bool = False
    """Always there; otherwise `attention_bias` says so, for o too."""
    biases: bool = False
    """Whether `attention_bias` counts."""
    mlp_bias: bool = False
    """Whether `mlp_bias` counts."""
    head_dim: int | None = None
    """What an absent `head_dim` means; None for the hidden size divided over the heads."""
    windows: Literal["none", "all", "late"] = "none"
    """Layers with a sliding window: none, all, or those that `layer_types` or `max_window_layers` name."""


KINDS: Final[Mapping[str, Kind]] = {
    "Qwen3ForCausalLM": Kind("qwen3", qk_norm=True, biases=True, head_dim=128, windows="late"),
    "Qwen2ForCausalLM": Kind("qwen2", qkv_bias=True, windows="late"),
    "LlamaForCausalLM": Kind("llama", biases=True, mlp_bias=True),
    "MistralForCausalLM": Kind("llama", windows="all"),
}

DEFAULT_WINDOW: Final = 4096
DEFAULT_FIRST_WINDOW: Final = 28
_QUANTISED: Final = ("quantization_config", "compression_config")


def read_config(values: Mapping[str, Any], where: str, *, stored: str) -> ModelConfig:
    """The config of a checkpoint whose tensors are `stored` as this dtype, unless config.json says otherwise.

    `where` names the file in errors. Raises LoadError for what is missing, wrong or not supported.
    """
    fields = Fields(values, where)
    kind = _kind(fields)
    for key in _QUANTISED:
        if fields.get(key) is not None:
            raise fields.error(key, "is not supported; float32, float16 and bfloat16 weights, and GGUF files, are")
    if fields.get("hidden_act") not in ("silu", None):
        raise fields.error("hidden_act", "must be `silu`")
    num_layers, rope = fields.count("num_hidden_layers"), read_rope(fields)
    bias = kind.biases and fields.flag("attention_bias")
    return checked(
        ModelConfig(
            family=kind.family,
            vocab_size=fields.count("vocab_size"),
            hidden_size=fields.count("hidden_size"),
            intermediate_size=fields.count("intermediate_size"),
            num_layers=num_layers,
            num_heads=fields.count("num_attention_heads"),
            num_kv_heads=fields.count("num_key_value_heads", fields.count("num_attention_heads")),
            head_dim=_head_dim(fields, kind),
            rms_norm_eps=fields.number("rms_norm_eps", 1e-6),
            rope=rope,
            context_length=_context_length(fields, rope),
            tied=fields.flag("tie_word_embeddings"),
            qk_norm=kind.qk_norm,
            qkv_bias=kind.qkv_bias or bias,
            o_bias=bias,
            mlp_bias=kind.mlp_bias and fields.flag("mlp_bias"),
            windows=_windows(fields, kind, num_layers),
            layer_kinds=("attention",) * num_layers,
            dtype=str(fields.get("dtype") or fields.get("torch_dtype") or stored),
            source=values,
        ),
        where,
    )


def checked(config: ModelConfig, where: str) -> ModelConfig:
    """The config itself. Raises LoadError where its sizes do not go together."""
    if config.num_heads % config.num_kv_heads:
        raise LoadError(f"{where}: {config.num_heads} heads are no multiple of {config.num_kv_heads} key-value heads")
    if config.head_dim % 2 or config.head_dim > MAX_HEAD_DIM:
        raise LoadError(
            f"{where}: heads of {config.head_dim} elements are not supported; even sizes up to {MAX_HEAD_DIM} are"
        )
    return config


def _kind(fields: Fields) -> Kind:
    names = fields.get("architectures")
    name = names[0] if isinstance(names, list) and names else None
    if not isinstance(name, str) or name not in KINDS:
        raise fields.error("architectures", f"must name one that is supported: {', '.join(KINDS)}")
    return KINDS[name]


def _head_dim(fields: Fields, kind: Kind) -> int:
    if fields.get("head_dim") is not None or kind.head_dim is not None:
        return fields.count("head_dim", kind.head_dim)
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads")
    if hidden % heads:
        raise fields.error("hidden_size", f"must be a multiple of the {heads} heads where `head_dim` is not given")
    return hidden // heads


def _context_length(fields: Fields, rope: Rope) -> int:
    """YaRN reaches as far as it stretches, even where `max_position_embeddings` still is the trained context."""
    context = fields.count("max_position_embeddings")
    return context if rope.kind != "yarn" else max(context, int(rope.original_max_position_embeddings * rope.factor))


def _windows(fields: Fields, kind: Kind, num_layers: int) -> tuple[int | None, ...]:
    size = _window(fields) if kind.windows == "all" or fields.flag("use_sliding_window") else None
    match kind.windows:
        case "none":
            return (None,) * num_layers
        case "all":
            return (size,) * num_layers
        case "late":
            return tuple(size if slides else None for slides in _sliding(fields, size, num_layers))


def _window(fields: Fields) -> int | None:
    """The size that `sliding_window` gives: null is none, and only an absent one has a default."""
    given = fields.values.get("sliding_window", DEFAULT_WINDOW)
    return None if given is None else fields.count("sliding_window", DEFAULT_WINDOW)


def _sliding(fields: Fields, size: int | None, num_layers: int) -> tuple[bool, ...]:
    """For each layer, whether it has a sliding window."""
    types = fields.get("layer_types")
    if types is None:
        first = fields.count("max_window_layers", DEFAULT_FIRST_WINDOW, least=0)
        return tuple(index >= first for index in range(num_layers))
    if not isinstance(types, list) or len(types) != num_layers:
        raise fields.error("layer_types", f"must be a list with a type for each of the {num_layers} layers")
    for name in types:
        if name not in ("full_attention", "sliding_attention"):
            raise LoadError(
                f"{fields.where}: layers of type {name!r} are not supported; full_attention and sliding_attention are"
            )
    if size is None and "sliding_attention" in types:
        raise fields.error("layer_types", "has sliding layers, but `use_sliding_window` and `sliding_window` give none")
    return tuple(name == "sliding_attention" for name in types)
