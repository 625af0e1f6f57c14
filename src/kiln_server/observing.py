"""What the operator learns of a request: metrics, and the exchange's record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import structlog

from kiln_server.edge.exchange import Exchange
from kiln_server.errors import ApiError
from kiln_server.generation import Run
from kiln_server.metrics import BudgetOutcome
from kiln_server.plan import Plan
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

    def failed(self, run: Run, error: ApiError) -> None:
        """One answer of several broke off."""
        _log.warning("answer_failed", request_id=self._exchange.request_id, code=error.code, tokens=run.num_tokens)

    def finished(self, runs: Sequence[Run], end_ns: int) -> None:
        """The request has ended, whole or not."""
        exchange = self._exchange
        exchange.completion_tokens = sum([run.num_tokens for run in runs])
        exchange.finish_reasons = tuple([run.finish_reason for run in runs if run.is_complete])
        exchange.ttft_ms = min([run.timing.ttft_ms for run in runs if run.timing.ttft_ms is not None], default=None)
        if exchange.ttft_ms is not None:
            self._metrics.ttft(exchange.ttft_ms / 1000)
        for run in runs:
            self._latency(run, end_ns)
            self._metrics.budget_outcome(_budget_outcome(run))
        exchange.thinking_budget = runs[0].budget_record

    def _latency(self, run: Run, end_ns: int) -> None:
        self._metrics.itl(run.timing.gaps_ns)
        self._metrics.phases(run.timing.phases_ms(end_ns))
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
