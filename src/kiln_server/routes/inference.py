"""The contract's three endpoints: decode, plan, admit, run, respond."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final, TypeVar

import anyio
from starlette.routing import Route

from kiln_contract import (
    BatchCompletionRequest,
    ChatCompletionRequest,
    TextCompletionChoice,
    TextCompletionRequest,
    TextCompletionResponse,
    encode,
)
from kiln_server.backend import BackendError, Scoring
from kiln_server.delivery import Interval
from kiln_server.edge.adapter_headers import adapter_headers
from kiln_server.edge.disconnect import WhileConnected
from kiln_server.edge.exchange import Exchange
from kiln_server.edge.failures import note_failure
from kiln_server.errors import ApiError
from kiln_server.generation import Run
from kiln_server.observing import Observer
from kiln_server.plan import Plan
from kiln_server.reading import read
from kiln_server.refusals import BATCH, CHAT, COMPLETION
from kiln_server.responses import (
    SCORING_PREFIX,
    batch_response,
    chat_response,
    new_id,
    now_s,
    switched,
    usage,
)
from kiln_server.rollout import Recorder
from kiln_server.routes.call import Call, Endpoint
from kiln_server.scoring import fingerprint, logprob_entries, prompt_ids
from kiln_server.service import Service
from kiln_server.streaming import ChatStream, EventStream

AT_ONCE_BYTES: Final = 32 * 1024
"""Size of a body up to which a request is planned on the event loop: a thread would cost more than it saves."""

T = TypeVar("T")


async def chat_completions(call: Call) -> None:
    """POST /v1/chat/completions."""
    service, exchange, _, _ = call
    asked = await read(call, ChatCompletionRequest, CHAT)
    plan, tokenized = await _planned(call, lambda: service.planner.chat(asked))
    recorder = _recorder(service, asked, plan)
    runs = [_run(service, plan, exchange, 0, choice, tokenized, asked) for choice in range(plan.n)]
    exchange.stream = asked.stream is True
    if asked.stream is True:
        await _stream(call, asked, plan, runs[0])
        return

    with _while_connected(call) as block, service.lifecycle.work(block.interrupt):
        async with service.admission.admit(plan.num_prompt_tokens, plan.n):
            observer = Observer(service, exchange, plan)
            try:
                await _complete(service, runs)
            finally:
                end_ns = time.monotonic_ns()
                observer.finished(runs, end_ns)
        body = encode(
            chat_response(
                asked,
                plan,
                runs,
                service.settings,
                hashes=_hashes(service, asked),
                provenance=[recorder.record(run) for run in runs] if recorder is not None else (),
                end_ns=end_ns,
            )
        )
    await call.answer_json(body, adapter_headers(plan.adapters, service.backend.adapters()))


async def batch_completions(call: Call) -> None:
    """POST /v1/completions/batch."""
    service, exchange, _, _ = call
    asked = await read(call, BatchCompletionRequest, BATCH)
    plan, tokenized = await _planned(call, lambda: service.planner.batch(asked))
    runs = [
        [_run(service, plan, exchange, prompt, prompt * plan.n + choice, tokenized) for choice in range(plan.n)]
        for prompt in range(len(plan.tasks))
    ]
    every = [run for choices in runs for run in choices]

    with _while_connected(call) as block, service.lifecycle.work(block.interrupt):
        async with service.admission.admit(plan.num_prompt_tokens, len(every)):
            observer = Observer(service, exchange, plan)
            try:
                failed = await _complete_each(service, every, observer)
            finally:
                observer.finished(every, time.monotonic_ns())
        places = {
            (prompt, choice) for prompt, row in enumerate(runs) for choice, run in enumerate(row) if run in failed
        }
        body = encode(batch_response(plan, runs, places))
    await call.answer_json(body, adapter_headers(plan.adapters, service.backend.adapters()))


async def text_completions(call: Call) -> None:
    """POST /v1/completions: prompt log-probabilities."""
    service, exchange, _, _ = call
    asked = await read(call, TextCompletionRequest, COMPLETION)
    service.lifecycle.require_ready()
    backend, adapter = service.backend, service.settings.default_adapter
    ids = await _worked_out(
        call, lambda: prompt_ids(asked, backend, model_id=service.model_id, default_adapter=adapter)
    )
    exchange.model = service.model_id
    exchange.prompt_tokens, exchange.completion_tokens = len(ids), 0

    with _while_connected(call) as block, service.lifecycle.work(block.interrupt):
        async with service.admission.admit(len(ids)):
            service.metrics.prompt_tokens(len(ids))
            try:
                scores = await backend.score(
                    Scoring(request_id=exchange.unique_id, prompt_ids=ids, top_k=asked.prompt_logprobs)
                )
            except BackendError as error:
                raise ApiError("generation_error", str(error)) from error
        body = encode(
            TextCompletionResponse(
                id=new_id(SCORING_PREFIX),
                object="text_completion",
                created=now_s(),
                model=service.model_id,
                system_fingerprint=fingerprint(backend, service.model_id),
                choices=[
                    TextCompletionChoice(
                        index=0,
                        text="",
                        finish_reason="length",
                        prompt_logprobs=logprob_entries(ids, scores, backend.text.tokenizer),
                    )
                ],
                usage=usage(len(ids), 0),
            )
        )

    await call.answer_json(body, adapter_headers((), ()))


async def _planned(call: Call, plan: Callable[[], Plan]) -> tuple[Plan, Interval]:
    """Plan a request, and note how long rendering and tokenising took."""
    call.service.lifecycle.require_ready()
    start_ns = time.monotonic_ns()
    planned = await _worked_out(call, plan)
    exchange = call.exchange
    exchange.model = planned.model
    exchange.adapter = planned.adapter_label
    exchange.prompt_tokens = planned.num_prompt_tokens
    return planned, Interval("tokenization", start_ns, time.monotonic_ns())


async def _worked_out(call: Call, work: Callable[[], T]) -> T:
    """What `work` makes of a request. A long one can take seconds: a thread does it while others are served."""
    service = call.service
    if call.exchange.body_bytes <= AT_ONCE_BYTES:
        return work()
    with _while_connected(call) as block, service.lifecycle.work(block.interrupt):
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=service.threads)


def _recorder(service: Service, asked: ChatCompletionRequest, plan: Plan) -> Recorder | None:
    """What will record the answers' provenance, if that is asked for. Raises ApiError before any work is done."""
    if asked.rollout_provenance is not True:
        return None
    return Recorder(asked, plan, service.backend, service.model_id)


def _run(
    service: Service,
    plan: Plan,
    exchange: Exchange,
    prompt: int,
    choice: int,
    tokenized: Interval,
    asked: ChatCompletionRequest | None = None,
) -> Run:
    run = Run(
        service.backend,
        plan,
        prompt,
        choice=choice,
        request_id=exchange.unique_id,
        received_ns=exchange.received_ns,
        logprobs=asked is not None and asked.rollout_provenance is True,
    )
    run.timing.add(tokenized)
    return run


async def _complete(service: Service, runs: Sequence[Run]) -> None:
    """Run all answers together; the first failure ends them all."""
    stall_timeout_s = service.settings.stall_timeout_s
    _begin_all(runs)
    if len(runs) == 1:
        await runs[0].complete(stall_timeout_s=stall_timeout_s, on_tokens=service.metrics.tokens)
        return
    failures: list[ApiError] = []

    async def one(run: Run) -> None:
        try:
            await run.complete(stall_timeout_s=stall_timeout_s, on_tokens=service.metrics.tokens)
        except ApiError as error:
            failures.append(error)
            tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        for run in runs:
            tasks.start_soon(one, run)
    if failures:
        try:
            raise failures[0]
        finally:
            # Their tracebacks hold this list.
            failures.clear()


def _begin_all(runs: Sequence[Run]) -> None:
    for run in runs:
        run.begin()


async def _complete_each(service: Service, runs: Sequence[Run], observer: Observer) -> set[Run]:
    """Run all answers together; returns those that broke off, with what they had by then."""
    failed: set[Run] = set()

    async def one(run: Run) -> None:
        try:
            await run.complete(stall_timeout_s=service.settings.stall_timeout_s, on_tokens=service.metrics.tokens)
        except ApiError as error:
            observer.failed(run, error)
            run.flush()
            failed.add(run)

    _begin_all(runs)
    async with anyio.create_task_group() as tasks:
        for run in runs:
            tasks.start_soon(one, run)
    return failed


async def _stream(call: Call, asked: ChatCompletionRequest, plan: Plan, run: Run) -> None:
    service, exchange, receive, send = call
    # A place is taken before the answer begins, so that a full queue is still an HTTP error; the stream gives it back.
    async with AsyncExitStack() as entered:
        work = entered.enter_context(service.lifecycle.work())
        ticket = service.admission.admit(plan.num_prompt_tokens)
        with WhileConnected(receive) as block:
            work.cut = block.interrupt
            await entered.enter_async_context(ticket)
        observer = Observer(service, exchange, plan)
        run.begin()
        stream = ChatStream(asked, plan, run, service.settings, source=service.source, on_tokens=service.metrics.tokens)
        places = entered.pop_all()

    async def on_end(error: ApiError | None) -> None:
        await places.aclose()
        if error is not None:
            note_failure(error, exchange)
        observer.finished([run], time.monotonic_ns())

    events = EventStream(
        stream.write,
        keep_alive_s=service.settings.keep_alive_s,
        timeout_s=service.settings.request_timeout_s,
        headers=adapter_headers(plan.adapters, service.backend.adapters()),
        on_end=on_end,
    )
    work.cut = events.fail
    await events.answer(receive, send)


def _while_connected(call: Call) -> WhileConnected:
    """For as long as the client stays and the deadline allows."""
    return WhileConnected(call.receive, call.service.settings.request_timeout_s)


def _hashes(service: Service, asked: ChatCompletionRequest) -> Any:
    wanted = switched(asked.include_config_hashes, service.settings.include_config_hashes)
    return service.hashes if wanted else None


ROUTES: Final = (
    Route("/v1/chat/completions", Endpoint(chat_completions), methods=["POST"]),
    Route("/v1/completions", Endpoint(text_completions), methods=["POST"]),
    Route("/v1/completions/batch", Endpoint(batch_completions), methods=["POST"]),
)
