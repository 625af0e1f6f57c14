"""Fill the fused weights from a checkpoint, tensor by tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec
import torch
from torch import Tensor

from kiln_engine.config import ModelConfig
from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.layout import EMBEDDING, LM_HEAD, destinations
from kiln_engine.loading.source import TensorSource
from kiln_engine.weights import Weights

ReportLoading = Callable[[float, str], None]
"""Takes the fraction of all elements that is loaded, from 0 to 1, and the name of the tensor that was loaded last."""

_NAMED_AT_MOST: Final = 8
_IGNORED: Final = "rotary_emb.inv_freq"
"""How the names of tensors end that older checkpoints carry and that follow from the configuration."""


def load(
    source: TensorSource, *, dtype: torch.dtype, device: torch.device, progress: ReportLoading | None = None
) -> Weights:
    """Weights of one dtype on one device, allocated once; beside them, only a piece of a tensor is in memory.

    A model that ties its output layer but carries one with other values keeps both, as transformers does; see
    `Weights.tied`. Raises LoadError, naming all of them, when tensors are missing, unknown or of a wrong shape.
    """
    config = _effective(source)
    _check(source, config)
    weights = Weights.empty(config, dtype=dtype, device=device)
    targets = destinations(weights)
    total, done = sum(target.numel() for target in targets.values()), 0
    for name, target in targets.items():
        _copy(source, name, target)
        done += target.numel()
        if progress is not None:
            progress(done / total, source.spelled(name))
    return weights


def _copy(source: TensorSource, name: str, target: Tensor) -> None:
    for first, piece in source.pieces(name):
        target[first : first + len(piece)].copy_(piece)


def _effective(source: TensorSource) -> ModelConfig:
    """The source's config, not tied where the checkpoint brings an output layer that differs from the embedding."""
    config, shapes = source.config, source.shapes
    if not config.tied or LM_HEAD not in shapes or shapes.get(EMBEDDING) != shapes[LM_HEAD]:
        return config
    pairs = zip(source.pieces(EMBEDDING), source.pieces(LM_HEAD), strict=True)
    same = all(torch.equal(embedded, head) for (_, embedded), (_, head) in pairs)
    return config if same else msgspec.structs.replace(config, tied=False)


def _check(source: TensorSource, config: ModelConfig) -> None:
    expected = _shapes(config)
    found = {name: shape for name, shape in source.shapes.items() if not name.endswith(_IGNORED)}
    if config.tied and found.get(LM_HEAD) == expected[EMBEDDING]:
        del found[LM_HEAD]
    wrong = [name for name in expected.keys() & found.keys() if expected[name] != found[name]]
    problems = [
        _named("missing", map(source.spelled, expected.keys() - found.keys())),
        _named("not part of such a model", map(source.spelled, found.keys() - expected.keys())),
        _named(
            "of a wrong shape",
            (f"{source.spelled(name)} {list(found[name])} instead of {list(expected[name])}" for name in wrong),
        ),
    ]
    if any(problems):
        raise LoadError(f"{source.path}: the tensors do not fit the configuration. {' '.join(filter(None, problems))}")


def _shapes(config: ModelConfig) -> Mapping[str, tuple[int, ...]]:
    weights = Weights.empty(config, dtype=torch.float32, device=torch.device("meta"))
    return {name: tuple(view.shape) for name, view in destinations(weights).items()}


def _named(problem: str, names: Iterable[str]) -> str:
    """A sentence about some tensors, or nothing where there are none."""
    listed = sorted(names)
    if not listed:
        return ""
    rest = len(listed) - _NAMED_AT_MOST
    shown = "; ".join(listed[:_NAMED_AT_MOST]) + (f"; and {rest} more" if rest > 0 else "")
    return f"{len(listed)} {'is' if len(listed) == 1 else 'are'} {problem}: {shown}."
