"""Put an engine together from options: a model is found, loaded, given kernels, a cache and a scheduler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import structlog
import torch
from msgspec.structs import asdict

from kiln_contract import __version__
from kiln_contract.identity import inference_config_sha256
from kiln_engine import catalog
from kiln_engine.cache import Cache, CacheShape
from kiln_engine.cache_manager import CacheManager
from kiln_engine.context_limit import ContextLimit, limit_context
from kiln_engine.device import choose_device, choose_dtype
from kiln_engine.engine import Engine
from kiln_engine.errors import EngineError
from kiln_engine.identity import identify
from kiln_engine.kernels.choice import Choice, choose
from kiln_engine.loading import TensorSource, load, notes, open_source
from kiln_engine.memory import bytes_per_block, default_cache_bytes
from kiln_engine.models.decoder import Decoder
from kiln_engine.models.graphed import GraphedModel
from kiln_engine.models.model import Model
from kiln_engine.options import NAME, EngineOptions
from kiln_engine.pacing import FixedPacing, Pacing
from kiln_engine.sampling import Sampler
from kiln_engine.scheduler import Scheduler
from kiln_engine.trace import PHASES
from kiln_server import backend
from kiln_server.backend import Capabilities, Identity, Progress, TextAssets
from kiln_server.presets import FALLBACK, PRESETS
from kiln_server.text.hf_tokenizer import HfTokenizer

MAX_STEP_TOKENS: Final = 2048
"""Rows of a step while nothing is being generated."""

_log = structlog.get_logger(__name__)

Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Assembled:
    """An engine that is ready to run, and what the server needs to know about it."""

    engine: Engine
    capabilities: Capabilities
    identity: Identity
    text: TextAssets


def assemble(options: EngineOptions, report: Report) -> Assembled:
    """Load what the options name. Raises EngineError with what is wrong and what to do."""
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    place = catalog.resolve(options.model)
    _log.info("model_found", model=place.id, path=str(place.path), found=place.found)
    source = open_source(place.path)
    device = choose_device(options.device)
    dtype = choose_dtype(options.dtype, device)
    choice = choose(options.kernels, device)
    _log.info("kernels_chosen", kernels=choice.kernels.name, exact=choice.kernels.exact, reason=choice.reason)
    for note in notes(source, asdict(PRESETS[FALLBACK])):
        _log.info("checkpoint_note", note=note)
    decoder = _load(source, options, choice, dtype, device, report)
    room = _room(decoder, source.config.context_length, options, dtype, device)
    text = source.text
    engine = Engine(
        _graphed(decoder, options, choice),
        _cache(decoder, room.shape),
        _scheduler(options, room.shape),
        Sampler(
            decoder.vocab_size,
            device,
            masked_ids=_without_token(decoder.vocab_size, text, device),
            drawer=choice.kernels.drawer(),
        ),
        eos_ids=text.tokenizer.eos_ids,
    )
    report(Progress("hashing weights"))
    identity = _identity(source, place.id, choice, dtype)
    report(Progress("ready", 1.0))
    capabilities = Capabilities(
        context_length=room.limit.max_model_len,
        vocab_size=decoder.vocab_size,
        batching=True,
        phases=PHASES,
        choices=_choices(choice, room.limit),
    )
    return Assembled(engine, capabilities, identity, text)


def _choices(kernels: Choice, limit: ContextLimit) -> tuple[backend.Choice, ...]:
    """What the options left open, as it turned out."""
    made = [backend.Choice("kernels", kernels.kernels.name, kernels.reason)]
    if limit.reason:
        made.append(backend.Choice("max_model_len", str(limit.max_model_len), limit.reason))
    return tuple(made)


def _load(
    source: TensorSource,
    options: EngineOptions,
    choice: Choice,
    dtype: torch.dtype,
    device: torch.device,
    report: Report,
) -> Decoder:
    weights = load(
        source,
        dtype=dtype,
        device=device,
        progress=lambda fraction, _: report(Progress("loading weights", fraction)),
    )
    config = source.config
    return Decoder(config, weights, choice.kernels, max_positions=_longest(config.context_length, options))


def _longest(context_length: int, options: EngineOptions) -> int:
    """The longest context that is wanted, before it is known what the cache holds."""
    return min(context_length, options.max_model_len or context_length)


def _graphed(decoder: Decoder, options: EngineOptions, choice: Choice) -> Model:
    """The model as it is run: its decode steps as graphs where kernels can be recorded."""
    recorder = choice.kernels.recorder() if options.graphs else None
    if recorder is None:
        return decoder
    return GraphedModel(decoder, max_rows=options.max_num_seqs, recorder=recorder)


class _Room(NamedTuple):
    """The cache's size, and how long a context may get."""

    shape: CacheShape
    limit: ContextLimit


def _room(
    decoder: Decoder, context_length: int, options: EngineOptions, dtype: torch.dtype, device: torch.device
) -> _Room:
    shape = CacheShape(num_blocks=0, block_size=options.block_size, dtype=dtype, device=device)
    block_bytes = bytes_per_block(decoder.layers, shape)
    num_blocks = _num_blocks(options, block_bytes, context_length, device)
    limit = limit_context(
        context_length, max_model_len=options.max_model_len, num_blocks=num_blocks, block_size=options.block_size
    )
    if limit.reason:
        _log.warning("max_model_len_reduced", max_model_len=limit.max_model_len, reason=limit.reason)
    _log.info("cache", num_blocks=num_blocks, block_size=options.block_size, mib=num_blocks * block_bytes // 2**20)
    return _Room(replace(shape, num_blocks=num_blocks), limit)


def _cache(decoder: Decoder, shape: CacheShape) -> Cache:
    try:
        return Cache(decoder.layers, shape)
    except RuntimeError as error:  # torch has nothing narrower for memory that is not there
        gib = shape.num_blocks * bytes_per_block(decoder.layers, shape) / 2**30
        raise EngineError(
            f"the cache of {shape.num_blocks:,} blocks takes {gib:,.1f} GiB, which {shape.device} does not have: set a "
            "smaller kv_cache_memory, max_model_len or max_num_seqs"
        ) from error


def _num_blocks(options: EngineOptions, block_bytes: int, context_length: int, device: torch.device) -> int:
    """As many as fit the memory; without a given size, no more than all places need at once."""
    if options.kv_cache_bytes is not None:
        num_blocks = options.kv_cache_bytes // block_bytes
    else:
        num_needed = options.max_num_seqs * (_longest(context_length, options) // options.block_size + 1) + 1
        num_blocks = min(num_needed, default_cache_bytes(device) // block_bytes)
    if num_blocks < 2:
        raise EngineError(
            f"a block of {options.block_size} positions takes {block_bytes:,} bytes, and there is no room for two: "
            "give the cache more memory (kv_cache_memory) or make blocks smaller (block_size)"
        )
    return num_blocks


def _scheduler(options: EngineOptions, shape: CacheShape) -> Scheduler:
    cache = CacheManager(shape.num_blocks, shape.block_size, prefix_cache=options.prefix_cache)
    pacing = Pacing(options.max_step_ms) if options.prefill_chunk is None else FixedPacing(options.prefill_chunk)
    return Scheduler(
        cache,
        max_num_seqs=options.max_num_seqs,
        max_step_tokens=max(MAX_STEP_TOKENS, options.max_num_seqs),
        pacing=pacing,
    )


def _without_token(vocab_size: int, text: TextAssets, device: torch.device) -> torch.Tensor:
    """Rows of the output layer that stand for no token."""
    assert isinstance(text.tokenizer, HfTokenizer)  # noqa: S101 - what every source makes
    unused = sorted(set(range(vocab_size)).difference(text.tokenizer.vocab.values()))
    return torch.tensor(unused, dtype=torch.int64, device=device)


def _identity(source: TensorSource, model_id: str, choice: Choice, dtype: torch.dtype) -> Identity:
    hashes = identify(source)
    inference = inference_config_sha256(
        {
            "model_config": hashes.model_config_sha256,
            "dtype": str(dtype).removeprefix("torch."),
            "kernels": choice.kernels.name,
            "exact": choice.kernels.exact,
            "torch": torch.__version__,
            "kiln": __version__,
        }
    )
    return Identity(
        served_model_id=model_id,
        implementation=f"kiln-engine/{__version__}",
        generation_backend=NAME,
        base_model_sha256=hashes.base_model_sha256,
        tokenizer_vocab_sha256=hashes.tokenizer_vocab_sha256,
        tokenizer_config_sha256=hashes.tokenizer_config_sha256,
        chat_template_sha256=hashes.chat_template_sha256,
        model_config_sha256=hashes.model_config_sha256,
        inference_config_sha256=inference,
    )
