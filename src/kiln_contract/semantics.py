"""The payload part of the contract's semantic rules: what JSON Schema cannot say.

Each function takes a Struct (or a view of one that holds just the members the rule reads) whose members already conform
to the schema, and returns what is wrong. `codegen.rules` binds them to rule ids and definitions; the generated checks
call them. A `*_hold` function is the one-pass yes-or-no form of several rules, for long records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import UNSET, Raw

if TYPE_CHECKING:
    from kiln_contract._generated import structs
    from kiln_contract.bound import Bound

MAX_BATCH_OUTPUTS: Final = 64
MAX_SCORED_CANDIDATES: Final = 65_536
MAX_STOP_BYTES: Final = 16_384
MAX_TEMPLATE_INVOCATION_BYTES: Final = 1_048_576
QUEUE_DELAY_TOLERANCE_MS: Final = 0.002


class Finding(NamedTuple):
    """One broken rule, relative to the object it holds for. `value` gives the reported JSON type."""

    path: tuple[str | int, ...]
    message: str
    expected: str
    value: Any


Findings = Sequence[Finding]
HOLDS: Final[Findings] = ()


# Requests


def batch_outputs(request: structs.BatchCompletionRequest) -> Findings:
    """batch.outputs: prompts times choices stay within one batch."""
    count = len(request.prompts) * (request.n or 1)
    if count <= MAX_BATCH_OUTPUTS:
        return HOLDS
    message = (
        f"send fewer prompts or a smaller n: {len(request.prompts)} prompts x n gives {count} outputs, 64 are allowed"
    )
    return [Finding((), message, "prompts * n <= 64", {})]


def rollout_no_tools(request: structs.ChatCompletionRequest) -> Findings:
    """rollout.no-tools: provenance does not cover tool prompts."""
    if request.rollout_provenance is not True:
        return HOLDS
    found = []
    if request.tools:
        found.append(
            Finding(("tools",), "leave tools out or empty when rollout_provenance is true", "no tools", request.tools)
        )
    if not _is_null(request.tool_choice):
        message = "leave tool_choice out or null when rollout_provenance is true"
        found.append(Finding(("tool_choice",), message, "null or absent", request.tool_choice))
    return found


def rollout_capacity(request: structs.ChatCompletionRequest) -> Findings:
    """rollout.capacity: a rollout generates something. (`max_tokens: 0` is refused by the schema itself.)"""
    if request.rollout_provenance is not True or request.max_completion_tokens != 0:
        return HOLDS
    if request.max_tokens is not None and request.max_tokens is not UNSET:
        return HOLDS
    message = "ask for at least one token when rollout_provenance is true: max_completion_tokens is 0 here"
    return [Finding(("max_completion_tokens",), message, "integer >= 1", 0)]


def rollout_sampling(request: structs.ChatCompletionRequest) -> Findings:
    """rollout.sampling: the record can hold every sampling value that the request sets."""
    if request.rollout_provenance is not True:
        return HOLDS
    from kiln_contract._generated.bounds import BOUNDS  # rollouts alone need them

    found = []
    for name, bound in BOUNDS["RolloutSamplingConfigV1"].items():
        value: Any = getattr(request, name, UNSET)
        # max_tokens has rules of its own, and stop is counted below; neither is a sampling value.
        if name not in ("max_tokens", "stop") and _is_set(value) and not bound.holds(value):
            message = f"{name} must be {bound.text}, or absent, when rollout_provenance is true"
            found.append(Finding((name,), message, bound.text, value))
    return [*found, *_rollout_stops(request.stop, BOUNDS["RolloutSamplingConfigV1"]["stop"])]


def _rollout_stops(stop: Any, limit: Bound) -> Iterator[Finding]:
    if not _is_set(stop):
        return
    # An empty stop never matches and is dropped before the record is written.
    stops = [text for text in ([stop] if isinstance(stop, str) else stop) if text]
    if not limit.holds(len(stops)):
        message = f"send at most {limit.maximum} stop strings when rollout_provenance is true; there are {len(stops)}"
        yield Finding(("stop",), message, limit.text, stop)
    if _utf8_size(stops) > MAX_STOP_BYTES:
        message = (
            f"shorten the stop strings: with rollout_provenance they may hold {MAX_STOP_BYTES} UTF-8 bytes together"
        )
        yield Finding(("stop",), message, f"<= {MAX_STOP_BYTES} UTF-8 bytes", stop)


def scoring_candidates(request: structs.TextCompletionRequest) -> Findings:
    """scoring.candidates: the answer stays bounded. A text prompt is counted by the server."""
    if isinstance(request.prompt, str):
        return HOLDS
    count = (len(request.prompt) - 1) * (request.prompt_logprobs + 1)
    if count <= MAX_SCORED_CANDIDATES:
        return HOLDS
    message = (
        f"score fewer tokens or lower prompt_logprobs: {len(request.prompt) - 1} positions x "
        f"{request.prompt_logprobs + 1} candidates is {count}, {MAX_SCORED_CANDIDATES} are allowed"
    )
    return [Finding((), message, f"positions * (prompt_logprobs + 1) <= {MAX_SCORED_CANDIDATES}", {})]


def adapter_name(name: str) -> Findings:
    """adapter.name: a plain name, never a path."""
    if name != "." and ".." not in name and "/" not in name and "\\" not in name and not _has_control(name):
        return HOLDS
    message = "use the adapter's plain name: no '/', '\\', '..' or control characters, and not a path"
    return [Finding((), message, "a plain adapter name", name)]


# Responses


def usage_total(usage: structs.Usage) -> Findings:
    """usage.total: the total is the sum of its parts."""
    expected = usage.prompt_tokens + usage.completion_tokens
    if usage.total_tokens == expected:
        return HOLDS
    message = "total_tokens must equal prompt_tokens + completion_tokens"
    return [Finding(("total_tokens",), message, "prompt_tokens + completion_tokens", usage.total_tokens)]


def usage_sum(response: structs.BatchCompletionResponse) -> Findings:
    """usage.sum: a batch's usage is the sum over its items."""
    wrong = [
        name
        for name in response.usage.__struct_fields__
        if getattr(response.usage, name) != sum(getattr(item.usage, name) for item in response.completions)
    ]
    if not wrong:
        return HOLDS
    message = f"make {', '.join(wrong)} the sum of the same count over all completions"
    return [Finding(("usage",), message, "the sum of completions[].usage", {})]


def choice_order(response: structs.ChatCompletionResponse | structs.TextCompletionResponse) -> Findings:
    """index.order: choices are numbered 0, 1, 2, … in their order."""
    choices: Sequence[Any] = response.choices
    position = -1
    for choice in choices:
        position += 1
        if choice.index != position:
            message = f"number the choices from 0 in order: index {position} belongs here"
            return [Finding(("choices", position, "index"), message, str(position), choice.index)]
    return HOLDS


def batch_order(response: structs.BatchCompletionResponse) -> Findings:
    """index.order: items come prompt by prompt, each prompt with the same choices 0, 1, 2, …"""
    items = response.completions
    per_prompt = sum(item.prompt_index == 0 for item in items) or 1
    for position, item in enumerate(items):
        prompt, completion = divmod(position, per_prompt)
        for name, value, due in (
            ("prompt_index", item.prompt_index, prompt),
            ("completion_index", item.completion_index, completion),
        ):
            if value != due:
                message = (
                    f"list completions in prompt order, then completion order, each once: {name} {due} belongs here"
                )
                return [Finding(("completions", position, name), message, str(due), value)]
    if len(items) % per_prompt:
        message = f"give every prompt the same number of completions ({per_prompt} for prompt 0)"
        return [Finding(("completions",), message, f"a multiple of {per_prompt} items", items)]
    return HOLDS


def budget_outcome_applied(record: structs.ThinkingBudgetRecord) -> Findings:
    """budget.outcome-applied: only a budget that applied has an outcome."""
    if record.applied or (record.closed is UNSET and not record.triggered):
        return HOLDS
    message = (
        "set applied to true, or leave closed, trigger and the counters out: only an applied budget has an outcome"
    )
    return [Finding(("applied",), message, "true", record.applied)]


def queue_delay(event: structs.StreamingTokenTiming) -> Findings:
    """timing.queue-delay: the aggregate equals its two parts."""
    expected = event.response_delivery_ms + event.handler_queue_ms
    # The tolerance is a decimal; the slack of a double at this size must not eat into it.
    if abs(event.queue_delay_ms - expected) <= QUEUE_DELAY_TOLERANCE_MS + 1e-9:
        return HOLDS
    message = "queue_delay_ms must equal response_delivery_ms + handler_queue_ms within 0.002 ms"
    return [Finding(("queue_delay_ms",), message, "response_delivery_ms + handler_queue_ms", event.queue_delay_ms)]


def logprob_entries(choice: structs.TextCompletionChoice) -> Findings:
    """logprobs.entries: the first token has no entry, every later one has candidates in rank order."""
    if choice.prompt_logprobs is UNSET:
        return HOLDS
    found: list[Finding] = []
    for position, entry in enumerate(choice.prompt_logprobs):
        path = ("prompt_logprobs", position)
        if position == 0:
            if entry is not None:
                found.append(Finding(path, "write null for the first prompt token: nothing precedes it", "null", entry))
        elif not entry:
            message = "list at least the observed token: only the first entry is null, and no entry is empty"
            found.append(Finding(path, message, "object with at least one candidate", entry))
        elif not _ranks_hold(entry.values()):
            message = "give each candidate its own rank, a better one to a higher logprob"
            found.append(Finding(path, message, "unique ranks, ordered by logprob", entry))
    return found


def _ranks_hold(entries: Iterable[structs.PromptLogprobEntry]) -> bool:
    ranked = sorted(entries, key=lambda entry: entry.rank)
    return all(better.rank < worse.rank and better.logprob >= worse.logprob for better, worse in pairwise(ranked))


# Rollout provenance


def template_invocation_size(invocation: structs.RolloutChatTemplateInvocationV1) -> Findings:
    """template-invocation.size: canonical JSON of the whole object stays within 1 MiB."""
    members = {name: getattr(invocation, name) for name in invocation.__struct_fields__}
    size = _canonical_size({name: value for name, value in members.items() if value is not UNSET})
    if size <= MAX_TEMPLATE_INVOCATION_BYTES:
        return HOLDS
    limit = MAX_TEMPLATE_INVOCATION_BYTES
    message = f"send smaller tools or template_kwargs: {size} bytes of canonical JSON, {limit} are allowed"
    return [Finding((), message, f"<= {MAX_TEMPLATE_INVOCATION_BYTES} bytes", {})]


def stop_bytes(sampling: structs.RolloutSamplingConfigV1) -> Findings:
    """sampling.stop-bytes: stop strings together stay within 16 KiB."""
    if _utf8_size(sampling.stop) <= MAX_STOP_BYTES:
        return HOLDS
    message = f"shorten the stop strings: they may hold {MAX_STOP_BYTES} UTF-8 bytes together"
    return [Finding(("stop",), message, f"<= {MAX_STOP_BYTES} UTF-8 bytes", sampling.stop)]


def prompt_count(record: structs.RolloutProvenanceV1) -> Findings:
    """provenance.prompt-count: the prompt is part of the input."""
    if record.prompt_token_count <= len(record.input_token_ids):
        return HOLDS
    message = "prompt_token_count must not exceed the number of input_token_ids"
    return [Finding(("prompt_token_count",), message, f"<= {len(record.input_token_ids)}", record.prompt_token_count)]


def action_order(record: structs.RolloutProvenanceV1) -> Iterator[Finding]:
    """provenance.action-order: actions index generated tokens, each later than the one before."""
    length = len(record.input_token_ids)
    if record.prompt_token_count > length:
        return  # that is the cause, and a rule of its own
    previous = record.prompt_token_count - 1
    for position, token in enumerate(record.action_tokens):
        if not previous < token.sequence_index < length:
            message = "sequence_index must grow, start at prompt_token_count or later, and stay inside input_token_ids"
            path = ("action_tokens", position, "sequence_index")
            yield Finding(path, message, f"> {previous} and < {length}", token.sequence_index)
        previous = max(previous, min(token.sequence_index, length - 1))


def action_token(record: structs.RolloutProvenanceV1) -> Iterator[Finding]:
    """provenance.action-token: an action names the token that stands at its place."""
    ids = record.input_token_ids
    for position, token in enumerate(record.action_tokens):
        if token.sequence_index < len(ids) and ids[token.sequence_index] != token.token_id:
            message = "token_id must equal input_token_ids[sequence_index]"
            path = ("action_tokens", position, "token_id")
            yield Finding(path, message, "input_token_ids[sequence_index]", token.token_id)


def some_sampled(record: structs.RolloutProvenanceV1) -> Findings:
    """provenance.sampled: a rollout holds at least one token of the policy."""
    if any(token.source == "sampled" for token in record.action_tokens):
        return HOLDS
    message = "record at least one sampled action: forced tokens alone say nothing about the policy"
    return [Finding(("action_tokens",), message, "at least one item with source sampled", record.action_tokens)]


def forced_tokens(record: structs.RolloutProvenanceV1) -> Iterator[Finding]:
    """provenance.forced: only the budget's close tokens are ever forced."""
    budget = record.sampling.thinking_budget
    close_ids = frozenset() if budget is UNSET else frozenset(budget.close_token_ids)
    for position, token in enumerate(record.action_tokens):
        if token.source == "forced" and token.token_id not in close_ids:
            message = "a forced token_id must be one of sampling.thinking_budget.close_token_ids"
            path = ("action_tokens", position, "token_id")
            yield Finding(path, message, "a member of close_token_ids", token.token_id)


def provenance_actions_hold(record: structs.RolloutProvenanceV1) -> bool:
    """Whether the five rules over a record's tokens hold, and each token has a logprob exactly when it was sampled."""
    ids = record.input_token_ids
    index = record.prompt_token_count - 1
    budget = record.sampling.thinking_budget
    close_ids = () if budget is UNSET else budget.close_token_ids
    forced = 0
    try:
        for token in record.action_tokens:
            # Each step counts in a long record. Assigning where the old index is compared saves a store and a load.
            if index < (index := token.sequence_index) and ids[index] == token.token_id:
                if token.source == "sampled":
                    if token.behavior_logprob is not None:
                        continue
                elif token.token_id in close_ids and token.behavior_logprob is None:
                    forced += 1
                    continue
            return False
    except IndexError:  # a sequence_index beyond the input; catching it is cheaper than a comparison for each token
        return False
    return forced < len(record.action_tokens) and record.prompt_token_count <= len(ids)


def identity_text(text: str, max_utf8_bytes: int) -> Findings:
    """identity-text: trimmed, free of control characters, bounded in UTF-8 bytes."""
    if text.isascii() and text.isprintable() and len(text) <= max_utf8_bytes and text == text.strip():
        return HOLDS
    found = []
    if text != text.strip():
        found.append(Finding((), "remove the white space around this text", "trimmed text", text))
    elif any("\x80" <= char <= "\x9f" for char in text):
        # C0 and DEL are refused by the pattern; C1 is the part it leaves out.
        found.append(Finding((), "remove control characters from this text", "no control characters", text))
    if len(text.encode(errors="surrogatepass")) > max_utf8_bytes:
        message = f"shorten this text to {max_utf8_bytes} UTF-8 bytes"
        found.append(Finding((), message, f"<= {max_utf8_bytes} UTF-8 bytes", text))
    return found


def _canonical_size(members: dict[str, Any]) -> int:
    # Few documents have tools to measure; importing the package must not pay for it.
    from kiln_contract.canonical import CanonicalError, dumps

    try:
        return len(dumps(members))
    except CanonicalError:
        # Raw JSON is checked for its syntax only, and may hold numbers that have no canonical form.
        return _least_size(members)


def _least_size(value: Any) -> int:
    """Bytes that JSON text of a value takes at least: text and raw JSON as they stand, one for everything else."""
    size, stack = 0, [value]
    while stack:
        current = stack.pop()
        if isinstance(current, dict):
            stack.extend((*current.keys(), *current.values()))
        elif isinstance(current, list):
            stack.extend(current)
        elif isinstance(current, str):
            size += len(current.encode(errors="surrogatepass"))
        elif isinstance(current, Raw):
            size += len(bytes(current))
        size += 1
    return size


def _has_control(text: str) -> bool:
    return not text.isprintable() and any(char < " " or "\x7f" <= char <= "\x9f" for char in text)


def _utf8_size(texts: Iterable[str]) -> int:
    return sum(len(text.encode(errors="surrogatepass")) for text in texts)


def _is_set(value: Any) -> bool:
    return value is not UNSET and value is not None


def _is_null(value: Any) -> bool:
    if isinstance(value, Raw):
        return bytes(value).strip() == b"null"
    return value is UNSET or value is None
