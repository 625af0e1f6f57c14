"""What a person who serves a checkpoint should know about it."""

from __future__ import annotations

from collections.abc import Mapping

from kiln_engine.loading.source import TensorSource
from kiln_server.text.hf_tokenizer import HfTokenizer


def notes(source: TensorSource, sampling: Mapping[str, float]) -> tuple[str, ...]:
    """Sentences about a checkpoint, for the log: sampling values that it suggests and that differ from these defaults,
    and tokens that the model has no embedding for.
    """
    return tuple(note for note in (_suggested(source, sampling), _beyond(source)) if note)


def _suggested(source: TensorSource, sampling: Mapping[str, float]) -> str:
    suggested = {name: value for name, value in source.sampling.items() if name in sampling and value != sampling[name]}
    if not suggested:
        return ""
    values = ", ".join(f"{name} {value} (here {sampling[name]})" for name, value in suggested.items())
    return f"the model suggests other sampling values than are used here by default: {values}"


def _beyond(source: TensorSource) -> str:
    tokenizer, rows = source.text.tokenizer, source.config.vocab_size
    beyond = (
        [token for token, token_id in tokenizer.vocab.items() if token_id >= rows]
        if isinstance(tokenizer, HfTokenizer)
        else []
    )
    if not beyond:
        return ""
    shown = ", ".join(sorted(beyond)[:8])
    return f"{len(beyond)} tokens have no row in the embedding of {rows} rows and cannot be used: {shown}"
