"""The longest context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.cache_manager import CacheManager
from kiln_engine.context_limit import limit_context


@given(
    context_length=st.integers(1, 500),
    max_model_len=st.none() | st.integers(1, 500),
    num_blocks=st.integers(2, 40),
    block_size=st.sampled_from([1, 4, 16]),
)
def test_it_is_the_least_of_all_bounds_and_always_fits(
    context_length: int, max_model_len: int | None, num_blocks: int, block_size: int
) -> None:
    limit = limit_context(context_length, max_model_len=max_model_len, num_blocks=num_blocks, block_size=block_size)
    bounds = [context_length, (num_blocks - 1) * block_size]
    if max_model_len is not None:
        bounds.append(max_model_len)
    assert limit.max_model_len == min(bounds)
    asked = context_length if max_model_len is None else max_model_len
    assert (limit.reason is None) == (limit.max_model_len == asked)
    assert CacheManager(num_blocks, block_size).fits(limit.max_model_len)


def test_the_reason_says_what_to_do() -> None:
    limit = limit_context(4096, num_blocks=65, block_size=16)
    assert limit.max_model_len == 1024
    assert limit.reason == "the cache holds 1024 tokens beside one free block, less than 4096: give it more memory"
    limit = limit_context(4096, max_model_len=8192, num_blocks=1000, block_size=16)
    assert limit.reason == "the model has a context of 4096, less than 8192"


def test_what_allows_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no room for a context"):
        limit_context(4096, num_blocks=1, block_size=16)
    with pytest.raises(ValueError, match="max_model_len is 0"):
        limit_context(4096, max_model_len=0, num_blocks=10, block_size=16)
