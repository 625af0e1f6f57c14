"""What the operator learns of a request: metrics, and the exchange's record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import structlog

from kiln_contract import ThinkingBudgetRecentRecord
from kiln_server.edge.exchange import Exchange
from kiln_server.errors import ApiError
from kiln_server.generation import Run
from kiln_server.metrics import BudgetOutcome
from kiln_server.plan import Plan
from kiln_server.responses import budget_record
from kiln_server.service import Service

_log: Final = structlog.get_logger()


class Observer:
    """Follows one admitted request."""

    def __init__(self, service: Service, exchange: Exchange, plan: Plan) -> None:
        self._metrics = service.metrics
        self._exchange = exchange
        effective = plan.tasks[0].budget.effective
        self._metrics.prompt_tokens(plan.num_prompt_tokens)
        self._metrics.budget_source("tokens", effective.tokens_source)
        self._metrics.budget_source("time", effective.time_source)

    def tokens(self, count: int) -> None:
        """Tokens have gone out."""
        self._metrics.tokens(count)

    def failed(self, run: Run, error: ApiError) -> None:
        """One answer of several broke off."""
        _log.warning("answer_failed", request_id=self._exchange.request_id, code=error.code, tokens=run.num_tokens)

    def finished(self, runs: Sequence[Run], end_ns: int) -> None:
        """The request has ended, whole or not."""
        exchange = self._exchange
        exchange.completion_tokens = sum(run.num_tokens for run in runs)
        exchange.finish_reasons = tuple(run.finish_reason for run in runs if run.is_complete)
        ready = [run.timing.ttft_ms for run in runs if run.timing.ttft_ms is not None]
        exchange.ttft_ms = min(ready, default=None)
        if exchange.ttft_ms is not None:
            self._metrics.ttft(exchange.ttft_ms / 1000)
        for run in runs:
            self._latency(run, end_ns)
            self._metrics.budget_outcome(_budget_outcome(run))
        exchange.thinking_budget = msgspec.convert(
            msgspec.to_builtins(budget_record(runs[0])), ThinkingBudgetRecentRecord
        )

    def _latency(self, run: Run, end_ns: int) -> None:
        for gap_ms in run.timing.gaps_ms:
            self._metrics.itl(gap_ms / 1000)
        for phase, value_ms in run.timing.phases_ms(end_ns).items():
            self._metrics.phase(phase, value_ms / 1000)
        for reason in run.timing.stall_reasons():
            self._metrics.stall(reason)


def _budget_outcome(run: Run) -> BudgetOutcome:
    budget, outcome = run.task.budget, run.outcome
    if not budget.effective.configured:
        return "unconfigured"
    if outcome is None:
        return "inert"
    if isinstance(outcome.trigger, str):
        return outcome.trigger
    if outcome.closed:
        return "natural_close"
    return "unclosed" if run.is_complete else "interrupted"
