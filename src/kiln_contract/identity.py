"""Content identities of what takes part in an answer: weights, adapters, tokenizer, template, configuration.

Every function returns `sha256:` followed by 64 lowercase hex digits. Files are read in chunks and never held whole.
Names, paths and modification times are no part of an identity: the same bytes always give the same digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import BinaryIO, Final, NamedTuple, TypeAlias

from kiln_contract import canonical

CHUNK_BYTES: Final = 1 << 20
MAX_TOKEN_ID: Final = 2**32 - 1

ADAPTER_WEIGHTS_FILE: Final = "adapter_model.safetensors"
INFERENCE_CONFIG_SCHEMA: Final = "kiln-py.inference-config.v1"


class Content(NamedTuple):
    """A file's content, measured: its size in bytes and its raw SHA-256 digest (32 bytes)."""

    size: int
    digest: bytes


Source: TypeAlias = "bytes | PathLike[str] | BinaryIO | Content"
"""Bytes, a path, a binary stream (read from where it stands to its end), or content that was measured before."""


def measure(source: Source) -> Content:
    """Read a source once, in chunks. Raises OSError for a path that cannot be read."""
    if isinstance(source, Content):
        return source
    if isinstance(source, bytes):
        return Content(len(source), hashlib.sha256(source).digest())
    if isinstance(source, PathLike):
        with open(source, "rb") as stream:
            return _measure_stream(stream)
    return _measure_stream(source)


def content_sha256(source: Source) -> str:
    """The identity of plain bytes: a chat template, a tokenizer's own JSON, a configuration file."""
    return _prefixed(measure(source).digest)


def text_sha256(text: str) -> str:
    """The identity of a text, over its UTF-8 bytes: `chat_template_sha256`, tokenizer `config_sha256`."""
    return content_sha256(text.encode())


def base_model_sha256(shards: Iterable[Source]) -> str:
    """The identity of a base model, over its weight shards; their names and order do not matter.

    Raises ValueError when there is no shard: an empty model has no identity.
    """
    contents = sorted((measure(shard) for shard in shards), key=lambda shard: (shard.digest, shard.size))
    if not contents:
        raise ValueError("a base model has at least one weight shard; none was given")
    records = (_u64(shard.size) + shard.digest for shard in contents)
    return _tagged("kiln.base-model-content.v1", _u64(len(contents)), *records)


def adapter_weights_sha256(weights: Source) -> str:
    """The identity of a LoRA adapter's weight file (the bytes of `adapter_model.safetensors`)."""
    content = measure(weights)
    name = ADAPTER_WEIGHTS_FILE.encode()
    return _tagged("kiln.adapter-weights.v1", _u64(1), _frame(name), _u64(content.size), content.digest)


def adapter_sha256(weights: Source, config: Source) -> str:
    """The `content_sha256` of an adapter, over its weights and the bytes of its `adapter_config.json`."""
    hashes = (adapter_weights_sha256(weights), content_sha256(config))
    return _tagged("kiln.adapter-content-revision.v1", *(_frame(_bare_hex(each).encode()) for each in hashes))


def vocab_sha256(vocab: Mapping[str, int]) -> str:
    """The identity of a tokenizer's whole vocabulary, added tokens included; the mapping's order does not matter.

    Raises ValueError for an id outside 0..2**32-1 or a token that UTF-8 cannot carry.
    """
    entries = sorted((_checked_id(token_id), _token_bytes(token)) for token, token_id in vocab.items())
    records = (token_id.to_bytes(4, "little") + _frame(token) for token_id, token in entries)
    return _tagged("kiln.tokenizer-vocab.v1", _u64(len(entries)), *records)


def config_sha256(value: object) -> str:
    """The identity of a configuration (`model_config_hash`, `effective_config_hash`), over its canonical JSON.

    The caller leaves secrets out. Raises canonical.CanonicalError when the value is no JSON.
    """
    return content_sha256(canonical.dumps(value))


def inference_config_sha256(settings: Mapping[str, object]) -> str:
    """The identity of everything that shapes a distribution: model config, dtype, kernels, versions, scoring caps.

    Raises ValueError when the settings bring their own `schema` member.
    """
    if "schema" in settings:
        raise ValueError("the settings must not hold `schema`: the identity's own schema name goes there")
    return config_sha256({"schema": INFERENCE_CONFIG_SCHEMA, **settings})


def _measure_stream(stream: BinaryIO) -> Content:
    digest, size = hashlib.sha256(), 0
    while chunk := stream.read(CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
    return Content(size, digest.digest())


def _tagged(domain: str, *parts: bytes) -> str:
    """Hash parts under a domain name, so that no two kinds of identity can share their input bytes."""
    digest = hashlib.sha256(domain.encode() + b"\0")
    for part in parts:
        digest.update(part)
    return _prefixed(digest.digest())


def _prefixed(digest: bytes) -> str:
    return f"sha256:{digest.hex()}"


def _bare_hex(prefixed: str) -> str:
    return prefixed.removeprefix("sha256:")


def _u64(value: int) -> bytes:
    return value.to_bytes(8, "little")


def _frame(value: bytes) -> bytes:
    return _u64(len(value)) + value


def _checked_id(token_id: int) -> int:
    if not 0 <= token_id <= MAX_TOKEN_ID:
        raise ValueError(f"token id {token_id} is outside 0..{MAX_TOKEN_ID}")
    return token_id


def _token_bytes(token: str) -> bytes:
    try:
        return token.encode()
    except UnicodeEncodeError:
        raise ValueError("a token of the vocabulary holds a lone surrogate, which UTF-8 cannot carry") from None
