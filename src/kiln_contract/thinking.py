"""The thinking budget: which limits are in force, and the controller that enforces them token by token.

`resolve` merges server defaults with a request's overrides, `applies` says whether the result matters for a prompt,
`Controller` runs one choice, `record` merges everything into the contract's record. All of it is pure: no clock, no
tokenizer, no state outside the controller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import UNSET, UnsetType

from kiln_contract._generated.structs import ThinkingBudgetEffective as Effective
from kiln_contract._generated.structs import ThinkingBudgetOutcome as Outcome
from kiln_contract._generated.structs import ThinkingBudgetRecord as Record
from kiln_contract._generated.structs import ThinkingBudgetSource as Source
from kiln_contract._generated.structs import ThinkingBudgetTrigger as Trigger
from kiln_contract.errors import DEFAULT_MAX_ERRORS, Violation, pointer

__all__ = [
    "CLOSE_TEXT",
    "RULES",
    "Controller",
    "Effective",
    "Outcome",
    "Record",
    "Scope",
    "Source",
    "Trigger",
    "applies",
    "close_encoding",
    "record",
    "resolve",
    "stop_overlap",
]

CLOSE_TEXT: Final = "</think>"

RULES: Final = {
    "budget.stop-overlap": "With a thinking budget, no stop string may contain, be part of, or overlap `</think>`.",
    "budget.close-encoding": "With a thinking budget, the tokenizer encodes and decodes `</think>` exactly.",
}

Scope: TypeAlias = Literal["request", "suite", "run_override", "example"]
Limit: TypeAlias = "int | UnsetType"

_NS_PER_MS: Final = 1_000_000


def resolve(defaults: object, request: object, scope: Scope = "request") -> Effective:
    """Resolve both limits, each on its own.

    `defaults` holds `default_thinking_budget_tokens` and `default_thinking_budget_ms` (None or absent: unlimited),
    `request` holds `thinking_budget_tokens` and `thinking_budget_ms` (absent: inherit, None: unlimited, integer: that
    limit). Both are mappings or objects with these attributes; `scope` names where the overrides come from. Raises
    ValueError for a limit that is no integer >= 0, or another scope.
    """
    if scope not in get_args(Scope):
        raise ValueError(f"scope must be one of {', '.join(get_args(Scope))}")
    max_tokens, tokens_source = _resolve_limit(defaults, request, "thinking_budget_tokens", scope)
    max_time_ms, time_source = _resolve_limit(defaults, request, "thinking_budget_ms", scope)
    return Effective(
        configured=max_tokens is not UNSET or max_time_ms is not UNSET,
        max_tokens=max_tokens,
        max_time_ms=max_time_ms,
        tokens_source=tokens_source,
        time_source=time_source,
    )


def applies(effective: Effective, *, prompt_inside_block: bool, token_limit: int) -> bool:
    """Whether the budget acts on a prompt; otherwise it is inert and nothing about it is checked.

    `prompt_inside_block`: the rendered prompt ends inside the thinking block. `token_limit`: the choice's own limit.
    """
    return effective.configured and prompt_inside_block and token_limit > 0


def record(effective: Effective, *, applied: bool, outcome: Outcome | None = None) -> Record:
    """Merge limits, application and outcome. Raises ValueError for a combination that the contract rules out."""
    if applied and not effective.configured:
        raise ValueError("a budget without a finite limit cannot have been applied")
    if outcome is not None and not applied:
        raise ValueError("an outcome needs a budget that was applied")
    ended = {} if outcome is None else msgspec.structs.asdict(outcome)
    return Record(**msgspec.structs.asdict(effective), **{"applied": applied, "triggered": False} | ended)


class Controller:
    """Enforces one choice's budget: give it every candidate token, use the token it gives back.

    Holds the generated sequence only as its length and as how much of the close sequence it ends with, so a call costs
    amortised O(1) and memory does not grow with the answer.
    """

    def __init__(
        self,
        close_ids: Sequence[int],
        token_limit: int,
        max_tokens: int | UnsetType | None = None,
        max_time_ms: int | UnsetType | None = None,
    ) -> None:
        """`close_ids` spell `</think>`, `token_limit` bounds the whole choice; of the two budgets one is finite.

        Raises ValueError when the close sequence is empty or longer than the limit, or both budgets are unlimited.
        """
        if not close_ids or token_limit < len(close_ids):
            raise ValueError("the close sequence must hold at least one id and fit the token limit")
        limits = [limit for limit in (max_tokens, max_time_ms) if isinstance(limit, int)]
        if not limits or min(limits) < 0:
            raise ValueError("a controller needs a finite limit >= 0: without one, no budget applies")
        self._close = tuple(close_ids)
        self._borders = _borders(self._close)
        self._token_limit = token_limit
        self._max_tokens = max_tokens if isinstance(max_tokens, int) else None
        self._max_time_ns = max_time_ms * _NS_PER_MS if isinstance(max_time_ms, int) else None
        self._num_tokens = 0  # |G|, while the block is open
        self._matched = 0  # k: how much of the close sequence G ends with
        self._started_ns: int | None = None
        self._elapsed_ns = 0
        self._trigger: Trigger | None = None
        self._frozen: tuple[int, int] | None = None  # thinking tokens and elapsed ns, once they no longer change
        self.closed = False

    def accept(self, candidate: int, now_ns: int) -> tuple[int, bool]:
        """Decide on the next candidate: the token to append, and whether it was forced.

        `now_ns` is a reading of one monotonic clock in nanoseconds; the first call starts the time limit.
        """
        if self.closed:
            return candidate, False
        if self._started_ns is None:
            self._started_ns = now_ns
        self._elapsed_ns = max(0, now_ns - self._started_ns)
        expected = self._close[self._matched]
        if self._trigger is None:
            due = self._due()
            if due is None or candidate == expected:  # the model may always go on closing by itself
                self._append(candidate)
                return candidate, False
            self._trigger = due
            self._frozen = (self._num_tokens - self._matched, self._elapsed_ns)
        self._append(expected)
        return expected, True

    @property
    def outcome(self) -> Outcome:
        """The outcome so far. Counters stand still from a natural close, or from the first forced token on."""
        tokens, elapsed_ns = self._frozen or (self._num_tokens, self._elapsed_ns)
        return Outcome(
            triggered=self._trigger is not None,
            trigger=self._trigger or UNSET,
            closed=self.closed,
            thinking_tokens=tokens,
            thinking_time_ms=elapsed_ns // _NS_PER_MS,
        )

    def _due(self) -> Trigger | None:
        """The first limit that has been reached, in the order in which the contract names them."""
        if self._max_tokens is not None and self._num_tokens - self._matched >= self._max_tokens:
            return "tokens"
        if self._max_time_ns is not None and self._elapsed_ns >= self._max_time_ns:
            return "time"
        if self._num_tokens + len(self._close) >= self._token_limit:
            return "max_tokens"
        return None

    def _append(self, token: int) -> None:
        """Follow the close sequence by one token, falling back along its borders as Knuth, Morris and Pratt do."""
        while self._matched and self._close[self._matched] != token:
            self._matched = self._borders[self._matched - 1]
        if self._close[self._matched] == token:
            self._matched += 1
        self._num_tokens += 1
        if self._matched == len(self._close):
            self.closed = True
            self._frozen = self._frozen or (self._num_tokens - self._matched, self._elapsed_ns)


def stop_overlap(
    stop: str | Sequence[str] | None, *, close_text: str = CLOSE_TEXT, max_errors: int = DEFAULT_MAX_ERRORS
) -> list[Violation]:
    """The stop strings of a request that could cut the close sequence; ask only when a budget applies.

    Empty strings never match and are passed over. Pointers are into the request.
    """
    single = isinstance(stop, str)
    found = (
        _violation(
            pointer(["stop"] if single else ["stop", index]),
            "budget.stop-overlap",
            f"a stop string contains, is part of or overlaps {close_text}: change it, or drop the thinking budget",
            f"text that shares no part with {close_text}",
            "string",
        )
        for index, text in enumerate([stop] if isinstance(stop, str) else stop or ())
        if _overlaps(text, close_text)
    )
    return list(islice(found, max_errors))


def close_encoding(close_ids: Sequence[int], decoded: str, *, close_text: str = CLOSE_TEXT) -> list[Violation]:
    """Whether a tokenizer carries the close text: `close_ids` is its encoding, `decoded` what those decode to."""
    if close_ids and decoded == close_text:
        return []
    message = f"the tokenizer cannot encode and decode {close_text} exactly: no thinking budget can be enforced with it"
    return [_violation("", "budget.close-encoding", message, f"ids that decode to {close_text}", "string")]


def _resolve_limit(defaults: object, request: object, name: str, scope: Scope) -> tuple[Limit, Source]:
    override = _read(request, name)
    if override is None:
        return UNSET, cast(Source, f"{scope}_unlimited")
    if override is not UNSET:
        return override, scope
    default = _read(defaults, f"default_{name}")
    return (UNSET, "unlimited") if default is None or default is UNSET else (default, "server_default")


def _read(holder: object, name: str) -> int | UnsetType | None:
    value = holder.get(name, UNSET) if isinstance(holder, Mapping) else getattr(holder, name)
    if value is None or value is UNSET:
        return value
    if isinstance(value, float) and value.is_integer():  # 16.0 is an integer to the schema's dialect
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name} must be null or an integer >= 0")
    return value


def _borders(sequence: Sequence[int]) -> list[int]:
    """For every prefix of the sequence, the length of its longest proper prefix that is also its suffix."""
    borders, matched = [0], 0
    for item in sequence[1:]:
        while matched and sequence[matched] != item:
            matched = borders[matched - 1]
        matched += sequence[matched] == item
        borders.append(matched)
    return borders


def _overlaps(stop: str, close: str) -> bool:
    if not stop:
        return False
    ends = range(1, min(len(stop), len(close)))
    return stop in close or close in stop or any(stop[-n:] == close[:n] or stop[:n] == close[-n:] for n in ends)


def _violation(at: str, rule: str, message: str, expected: str, got: str) -> Violation:
    return Violation(pointer=at, rule=rule, keyword="", schema_ref="", message=message, expected=expected, got=got)
