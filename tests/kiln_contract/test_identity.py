"""Content identities: the contract's known answers, independence of names and order, bounded reading."""

from __future__ import annotations

import hashlib
import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_contract import identity

ABC = hashlib.sha256(b"abc").hexdigest()


def test_known_answer_of_a_vocabulary() -> None:
    known = "sha256:2d17f6c8c17b5b82b6102868a5c995b8175b0d32853abc060900425948a5b785"
    assert identity.vocab_sha256({"<s>": 0, "é": 1, "z": 2}) == known
    assert identity.vocab_sha256({"z": 2, "é": 1, "<s>": 0}) == known


def test_known_answer_of_a_one_shard_model() -> None:
    known = "sha256:e83b4550a3ebbaab367ade362375efcbeffba129548c76c49795bdbd2054a696"
    assert identity.base_model_sha256([b"abc"]) == known


def test_known_answer_of_an_adapter() -> None:
    known = "sha256:a0c0b721e5ac7a244431248169eba2dec1a7a82429381ac0afb114be245cf550"
    assert identity.adapter_sha256(b"abc", b"{}") == known


def test_an_adapter_has_its_own_weights_identity() -> None:
    weights = identity.adapter_weights_sha256(b"abc")
    counts = [number.to_bytes(8, "little") for number in (1, 25, 3)]
    data = b"kiln.adapter-weights.v1\0" + counts[0] + counts[1] + b"adapter_model.safetensors" + counts[2]
    assert weights == f"sha256:{hashlib.sha256(data + bytes.fromhex(ABC)).hexdigest()}"


def test_every_kind_of_source_gives_the_same_content(tmp_path: Path) -> None:
    path = tmp_path / "shard"
    path.write_bytes(b"abc")
    content = identity.Content(3, bytes.fromhex(ABC))
    for source in (b"abc", path, io.BytesIO(b"abc"), content):
        assert identity.measure(source) == content
    assert identity.content_sha256(io.BytesIO(b"abc")) == f"sha256:{ABC}"


def test_a_missing_file_is_the_readers_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        identity.content_sha256(tmp_path / "absent")


@given(st.lists(st.binary(max_size=3), min_size=1, max_size=4), st.randoms())
def test_shard_order_does_not_matter_but_multiplicity_does(shards: list[bytes], random: Any) -> None:
    shuffled = random.sample(shards, len(shards))
    assert identity.base_model_sha256(shuffled) == identity.base_model_sha256(shards)
    assert identity.base_model_sha256([*shards, shards[0]]) != identity.base_model_sha256(shards)


def test_shards_sort_by_digest_then_size() -> None:
    small, large = identity.Content(1, b"\1" * 32), identity.Content(2, b"\0" * 32)
    twin = identity.Content(9, b"\0" * 32)
    data = b"kiln.base-model-content.v1\0" + (3).to_bytes(8, "little")
    data += b"".join(c.size.to_bytes(8, "little") + c.digest for c in (large, twin, small))
    assert identity.base_model_sha256([small, twin, large]) == f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_a_model_without_shards_has_no_identity() -> None:
    with pytest.raises(ValueError, match="at least one weight shard"):
        identity.base_model_sha256([])


def test_tokens_of_one_id_sort_by_their_bytes() -> None:
    assert identity.vocab_sha256({"b": 0, "a": 0}) == identity.vocab_sha256({"a": 0, "b": 0})
    assert identity.vocab_sha256({"a": 0}) != identity.vocab_sha256({"a": 1})


def test_an_empty_vocabulary_still_has_a_domain() -> None:
    data = b"kiln.tokenizer-vocab.v1\0" + bytes(8)
    assert identity.vocab_sha256({}) == f"sha256:{hashlib.sha256(data).hexdigest()}"


@pytest.mark.parametrize("token_id", [-1, 2**32])
def test_an_id_outside_32_bits_is_refused(token_id: int) -> None:
    with pytest.raises(ValueError, match=f"token id {token_id} is outside"):
        identity.vocab_sha256({"secret": token_id})
    assert identity.vocab_sha256({"a": 2**32 - 1}).startswith("sha256:")


def test_a_token_that_is_no_text_is_refused_without_being_shown() -> None:
    with pytest.raises(ValueError, match="lone surrogate") as caught:
        identity.vocab_sha256({"secret\ud800": 0})
    assert "secret" not in str(caught.value)
    assert not isinstance(caught.value, UnicodeError)


def test_configurations_are_hashed_over_canonical_json() -> None:
    expected = hashlib.sha256(b'{"a":1.0,"b":[null]}').hexdigest()
    assert identity.config_sha256({"b": [None], "a": 1.0}) == f"sha256:{expected}"


def test_the_inference_config_carries_its_schema_name() -> None:
    expected = hashlib.sha256(b'{"dtype":"bf16","schema":"kiln-py.inference-config.v1","zeta":1}').hexdigest()
    assert identity.inference_config_sha256({"zeta": 1, "dtype": "bf16"}) == f"sha256:{expected}"
    with pytest.raises(ValueError, match="must not hold `schema`"):
        identity.inference_config_sha256({"schema": "other"})


def test_texts_are_hashed_over_utf8() -> None:
    assert identity.text_sha256("é") == f"sha256:{hashlib.sha256('é'.encode()).hexdigest()}"


def test_a_large_file_is_never_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as stream:
        stream.truncate(64 << 20)
    tracemalloc.start()
    content = identity.measure(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert content.size == 64 << 20
    assert peak < 8 << 20


def test_streams_are_read_in_chunks_from_where_they_stand() -> None:
    stream = io.BytesIO(b"x" * (3 * identity.CHUNK_BYTES + 5))
    stream.seek(3)
    assert identity.measure(stream) == identity.measure(b"x" * (3 * identity.CHUNK_BYTES + 2))
