"""Rotary positions as a config.json describes them: `rope_parameters`, or the older `rope_scaling` and `rope_theta`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from kiln_engine.config import Rope
from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.fields import Fields

SUPPORTED: Final = ("default", "linear", "llama3", "yarn")
DEFAULT_THETA: Final = 10_000.0


def read_rope(config: Fields) -> Rope:
    """The rope of a config.json. Raises LoadError for a kind that is not supported, or one that lacks a parameter."""
    fields = _rope_fields(config)
    theta = fields.number("rope_theta", config.number("rope_theta", DEFAULT_THETA))
    kind = fields.get("rope_type") or fields.get("type") or "default"
    match kind:
        case "default":
            return Rope(theta=theta)
        case "linear":
            return Rope(theta=theta, kind=kind, factor=fields.number("factor"))
        case "llama3":
            return _llama3(fields, theta, _trained_context(config, fields))
        case "yarn":
            return _yarn(fields, theta, config)
        case _:
            supported = ", ".join(SUPPORTED)
            raise LoadError(f"{config.where}: a rope of type {kind!r} is not supported; {supported} are")


def _rope_fields(config: Fields) -> Fields:
    name = "rope_scaling" if config.get("rope_scaling") else "rope_parameters"
    values = config.get(name) or {}
    if not isinstance(values, Mapping):
        raise config.error(name, "must be an object")
    if any(isinstance(value, Mapping) for value in values.values()):
        raise config.error(name, "differs by layer type, which is not supported; one rope for all layers is")
    fields = Fields({f"{name}.{key}": value for key, value in values.items()}, config.where, f"{name}.")
    for each in (config, fields):
        if each.get("partial_rotary_factor") not in (None, 1):
            raise each.error("partial_rotary_factor", "must be 1: heads are rotated whole")
    return fields


def _trained_context(config: Fields, fields: Fields) -> int:
    """The context that a model was trained with: beside the rope, in it, or its whole context."""
    own = config.get("original_max_position_embeddings")
    key = "original_max_position_embeddings"
    return config.count(key) if own is not None else fields.count(key, config.count("max_position_embeddings"))


def _llama3(fields: Fields, theta: float, trained: int) -> Rope:
    low, high = fields.number("low_freq_factor"), fields.number("high_freq_factor")
    if low >= high:
        raise fields.error("low_freq_factor", "must be below `high_freq_factor`")
    return Rope(
        theta=theta,
        kind="llama3",
        factor=fields.number("factor"),
        original_max_position_embeddings=trained,
        low_freq_factor=low,
        high_freq_factor=high,
    )


def _yarn(fields: Fields, theta: float, config: Fields) -> Rope:
    trained = _trained_context(config, fields)
    factor = fields.number("factor", config.count("max_position_embeddings") / trained)
    return Rope(
        theta=theta,
        kind="yarn",
        factor=factor,
        original_max_position_embeddings=trained,
        attention_factor=_attention_factor(fields, factor),
        # Zero means unset, as null does.
        beta_fast=fields.number("beta_fast", 32.0) if fields.get("beta_fast") else 32.0,
        beta_slow=fields.number("beta_slow", 1.0) if fields.get("beta_slow") else 1.0,
        truncate=fields.flag("truncate", default=True),
    )


def _attention_factor(fields: Fields, factor: float) -> float:
    if fields.get("attention_factor") is not None:
        return fields.number("attention_factor")
    scale, scale_all = fields.get("mscale"), fields.get("mscale_all_dim")
    if scale and scale_all:
        return yarn_magnitude(factor, scale) / yarn_magnitude(factor, scale_all)
    return yarn_magnitude(factor)


def yarn_magnitude(factor: float, scale: float = 1.0) -> float:
    """By how much YaRN enlarges cosine and sine for a context that is `factor` times the trained one."""
    return 1.0 if factor <= 1 else 0.1 * scale * math.log(factor) + 1.0
