from __future__ import annotations

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.sampling.order import decode, ids_of, order_keys
from tests.kiln_engine.sampling.answers import CPU

floats = st.floats(width=32, allow_nan=False)
tokens = st.tuples(floats, st.integers(0, 2**31 - 1))


@settings(deadline=None)
@given(
    st.lists(tokens, min_size=1, max_size=20)
    | st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.0]), st.integers(0, 9)))
)
def test_keys_order_by_logit_then_by_the_lower_id(pairs: list[tuple[float, int]]) -> None:
    values = torch.tensor([value for value, _ in pairs], dtype=torch.float32, device=CPU)
    ids = torch.tensor([token_id for _, token_id in pairs], dtype=torch.int64, device=CPU)
    keys = order_keys(values, ids)
    by_key = [pairs[index] for index in sorted(range(len(pairs)), key=lambda i: -keys[i].item())]
    assert by_key == sorted(pairs, key=lambda pair: (-pair[0], pair[1]))
    assert ids_of(keys).tolist() == ids.tolist()
    found, found_ids = decode(keys.numpy())
    assert found.tolist() == values.tolist()
    assert found_ids.tolist() == ids.tolist()


def test_extremes() -> None:
    values = torch.tensor([math.inf, 3e38, 1e-45, -0.0, 0.0, -1e-45, -3e38, -math.inf], device=CPU)
    keys = order_keys(values, torch.arange(8, device=CPU))
    assert keys.tolist() == sorted(keys.tolist(), reverse=True)
    assert decode(keys.numpy())[0].tolist() == values.tolist()
