"""The port between the server and whatever computes tokens.

A backend takes token ids and sampling values and yields token events; it knows no HTTP, no chat and no text. Everything
textual (templates, stop strings, reasoning, tool calls) is done once, by the server, for every backend.

This module is a leaf: it imports nothing of the server, so a backend can be written against it alone. Register one as
an entry point of the group `kiln.backends`: a callable that takes a `Mapping[str, str]` of its own options and returns
a `Backend`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Final, Literal, Protocol, runtime_checkable

from msgspec import Struct

ENTRY_POINT_GROUP: Final = "kiln.backends"

MODELS_GROUP: Final = "kiln.models"
"""Entry points that list the models a backend finds on this machine: functions that return `Offer`s."""

FinishCause = Literal["eos", "length"]
"""Why a backend ended an answer by itself. A stop string is the server's: it closes the iterator."""

Phase = Literal[
    "actor_queue",
    "actor_admission",
    "actor_prefill",
    "actor_decode",
    "actor_cycle_idle",
    "sampling",
    "readback",
    "gpu_lock_wait",
    "graph_capture",
    "graph_replay",
    "synchronization",
    "resize",
    "trim",
    "adapter",
    "training",
]
"""Phases of latency that a backend can measure; the others are the server's own."""


GREEDY_BELOW: Final = 1e-5
"""A temperature that is too low to draw with."""


class Sampling(Struct, frozen=True, kw_only=True):
    """Resolved sampling values; presets and defaults are already applied.

    `penalise_greedy` says that the request itself set the penalties: only then do they apply to a greedy choice.
    """

    temperature: float
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    penalise_greedy: bool = False

    @property
    def is_greedy(self) -> bool:
        """Whether tokens are chosen, not drawn: the most likely one, the lowest id of several."""
        return self.temperature < GREEDY_BELOW or self.top_k == 1


class AdapterRef(Struct, frozen=True):
    """One adapter of a composition and its weight."""

    name: str
    scale: float = 1.0


class TokenGate(Protocol):
    """Decides over every candidate token before it counts, as a thinking budget does. One gate serves one answer."""

    def accept(self, candidate: int, now_ns: int) -> tuple[int, bool]:
        """Return the token that takes this step, and whether it was forced in the candidate's place.

        `now_ns` is a monotonic clock in nanoseconds; the gate's own clock starts at the first call.
        """


class Generation(Struct, frozen=True, kw_only=True):
    """One answer to generate. Answers with the same `group` have the same prompt, so its work can be shared."""

    request_id: str
    group: str
    prompt_ids: tuple[int, ...]
    choice: int
    """Index of the answer in its request, prompt by prompt; part of the random stream."""
    max_tokens: int
    """At least 1, and the prompt plus this fits the context."""
    seed: int
    sampling: Sampling
    ignore_eos: bool = False
    adapters: tuple[AdapterRef, ...] = ()
    gate: TokenGate | None = None
    logprobs: bool = False
    """Whether events carry the log-probability under the distribution that was sampled from."""
    received_ns: int = 0
    """When the server received the request, on the monotonic clock."""


class TokenEvent(Struct, frozen=True, gc=False):
    """One generated token. `finish` is set on the last one; a terminal EOS token is an event like any other."""

    token_id: int
    ready_ns: int
    """Monotonic clock, when model work had produced the token."""
    delivered_ns: int = 0
    """Monotonic clock, when the producer handed the token off; 0 means as soon as it is received."""
    forced: bool = False
    logprob: float | None = None
    """Natural log, 0.0 for a greedy choice; None when forced or not asked for."""
    step: int = 0
    finish: FinishCause | None = None


class Span(Struct, frozen=True, gc=False):
    """A measured stretch of one phase, on the monotonic clock in nanoseconds."""

    phase: Phase
    start_ns: int
    end_ns: int


class Candidate(Struct, frozen=True, gc=False):
    """One candidate token at a scored position: natural log of its probability, rank by raw logit from 1.

    A token of probability zero is a candidate only where it is the observed one; its `logprob` is -inf then.
    """

    token_id: int
    logprob: float
    rank: int


class Scoring(Struct, frozen=True, kw_only=True):
    """A prompt to score: for each token after the first, its own log-probability and the `top_k` likeliest ones."""

    request_id: str
    prompt_ids: tuple[int, ...]
    top_k: int


class Scores(Struct, frozen=True):
    """Scored positions 1, 2, …: the observed token first, then others in rank order, each token once."""

    positions: tuple[tuple[Candidate, ...], ...]


class Choice(Struct, frozen=True):
    """Something that settings left to the backend: what it took, and why."""

    name: str
    value: str
    reason: str


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a backend can do. The server answers requests for anything else with the contract's own error."""

    context_length: int
    vocab_size: int
    """Rows of the output layer: the ids that can be scored."""
    batching: bool = False
    """Whether requests really run together; needed for rollout provenance."""
    scoring: bool = True
    adapters: bool = False
    phases: frozenset[Phase] = frozenset()
    """Phases it measures; the others are reported as null."""
    choices: tuple[Choice, ...] = ()
    """What it chose by itself, each name once; an operator sees it in `/v1/config`."""


class Identity(Struct, frozen=True, kw_only=True):
    """Content hashes (`sha256:…`) of what answers; None where the backend cannot know."""

    served_model_id: str
    implementation: str
    generation_backend: str
    base_model_sha256: str | None = None
    tokenizer_vocab_sha256: str | None = None
    tokenizer_config_sha256: str | None = None
    chat_template_sha256: str | None = None
    model_config_sha256: str | None = None
    inference_config_sha256: str | None = None


class Adapter(Struct, frozen=True):
    """A saved adapter that can be asked for by name."""

    name: str
    content_sha256: str


class Progress(Struct, frozen=True):
    """How far loading has come: a phase in words, and a fraction from 0 to 1 when it is known."""

    phase: str
    fraction: float | None = None


class Stats(Struct, frozen=True, kw_only=True):
    """Gauges for the operator; zero where a backend has no such thing."""

    running: int = 0
    queue_depth: int = 0
    blocks_used: int = 0
    """Blocks that answers hold; cached ones that could be taken at once are not among them."""
    blocks_total: int = 0
    prefix_lookups_hit: int = 0
    prefix_lookups_miss: int = 0
    prefix_hit_tokens: int = 0


class Tokenizer(Protocol):
    """Token ids and the bytes they stand for. Called from the event loop and, for long texts, from other threads."""

    @property
    def eos_ids(self) -> frozenset[int]:
        """Ids that end an answer."""

    @property
    def special_ids(self) -> Mapping[str, int]:
        """Control tokens by their text: what only a template may write."""

    def encode(self, text: str) -> list[int]:
        """Encode plain text. Text that spells a control token is text. Raises ValueError for what has no encoding."""

    def encode_prompt(self, text: str) -> list[int]:
        """Encode text as a raw prompt: with the special tokens that the tokenizer puts around one."""

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes that a token adds to running text; empty for a control token, or an id without an entry.

        At the very start of a text, a tokenizer may drop a leading space: see `leading_space`.
        """

    @property
    def leading_space(self) -> bool:
        """Whether decoding strips one space from the start of a text, as SentencePiece does."""


class TextAssets(Struct, frozen=True, kw_only=True):
    """What the server needs to turn messages into prompts and tokens into text."""

    tokenizer: Tokenizer
    chat_template: str | None = None
    """Jinja source; None means ChatML."""
    bos_token: str = ""
    eos_token: str = ""


class Offer(Struct, frozen=True, kw_only=True):
    """A model that a backend can serve on this machine."""

    name: str
    """What the setting `model` calls it."""
    family: str
    num_parameters: int
    num_bytes: int
    """Size of its weights on disk."""
    location: str
    note: str = ""
    """Such as that it is the default, or what it needs."""


class BackendError(Exception):
    """The backend failed to serve one request; others are unaffected. The message may be shown to a client."""


@runtime_checkable
class Backend(Protocol):
    """Computes tokens.

    `start` is awaited once before anything else; the properties are valid after it, `description` before it too.
    `generate` and `score` are called concurrently, any number of times, until `close`.
    """

    @property
    def description(self) -> str:
        """What will answer, in a few words for the operator: a model and how it was found, a recording."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def identity(self) -> Identity: ...

    @property
    def text(self) -> TextAssets: ...

    async def start(self, progress: Callable[[Progress], None]) -> None:
        """Load. Reports progress; raises BackendError with what is wrong and what to do."""

    async def close(self) -> None:
        """Stop all work and free everything. Idempotent."""

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        """Yield events in order, one or more per item: all that became ready since the last item.

        Called once for each admitted answer, choice by choice and prompt by prompt. The last event has `finish` set and
        nothing follows it. Closing the generator cancels: work stops within two steps and all that the answer held is
        freed. A consumer that does not ask for more holds back only itself.
        Raises BackendError, from the iteration, when this answer fails; an exception of its gate fails it too.
        """

    async def score(self, job: Scoring) -> Scores:
        """Score a prompt. Raises BackendError when its logits hold NaN or +inf."""

    def spans(self, request_id: str, first: int = 0) -> Sequence[Span]:
        """Measured phases of a running or just finished answer, in order of time; empty when it measures none.

        The first `first` of them are left out: a stream asks for what is new with every token.
        """

    def adapters(self) -> Sequence[Adapter]:
        """Saved adapters; empty when the backend has none."""

    def stats(self) -> Stats: ...


BackendFactory = Callable[[Mapping[str, str]], Backend]
