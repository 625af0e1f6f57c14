"""How long a context may be: what the model, the operator and the cache allow."""

from __future__ import annotations

from typing import NamedTuple


class ContextLimit(NamedTuple):
    """The longest context, prompt and answer together, that one sequence may have."""

    max_model_len: int
    reason: str | None
    """Why it is less than was asked for, or than the model can do; None when it is not."""


def limit_context(
    context_length: int, *, max_model_len: int | None = None, num_blocks: int, block_size: int
) -> ContextLimit:
    """The least of what the model can do, what was asked for, and all blocks but one of the cache, in tokens.

    So whatever passes the check of the context fits when it runs alone. Raises ValueError when nothing would fit, or
    when less than one token is asked for.
    """
    if max_model_len is not None and max_model_len < 1:
        raise ValueError(f"max_model_len is {max_model_len}: it must be at least 1")
    room = (num_blocks - 1) * block_size
    if room < 1:
        raise ValueError(
            f"a cache of {num_blocks} blocks of {block_size} tokens has no room for a context beside one free block: "
            "give the cache more memory"
        )
    asked = context_length if max_model_len is None else min(max_model_len, context_length)
    if room < asked:
        return ContextLimit(
            room, f"the cache holds {room} tokens beside one free block, less than {asked}: give it more memory"
        )
    if max_model_len is not None and max_model_len > context_length:
        return ContextLimit(context_length, f"the model has a context of {context_length}, less than {max_model_len}")
    return ContextLimit(asked, None)
