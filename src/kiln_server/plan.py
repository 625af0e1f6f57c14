"""From a request of the contract to what has to be generated: every model-side check, before any work."""

from __future__ import annotations

from collections.abc import Sequence
from random import getrandbits
from typing import Any, Final, Literal

from msgspec import UNSET, Struct

from kiln_contract import (
    BatchCompletionRequest,
    ChatCompletionRequest,
    ChatMessageInput,
    Violation,
    runtime,
    thinking,
)
from kiln_server.backend import AdapterRef, Backend, Sampling, Tokenizer
from kiln_server.errors import ApiError, param_of, too_long
from kiln_server.presets import VALUES, resolve_sampling
from kiln_server.settings import Settings
from kiln_server.text.prompt import Prompt, PromptBuilder, ThinkingSource, reserved_names, thinking_source
from kiln_server.text.template import TemplateRefusal

BASE: Final = "base"
"""How the base model is named where an adapter's name is expected."""

MAX_STOP_CHARS: Final = 65_536
"""Characters of all stop strings of a request: looking for more would keep the event loop from others."""

Endpoint = Literal["chat", "batch"]
INVALID: Final[dict[Endpoint, str]] = {"chat": "chat_invalid_request", "batch": "batch_invalid_request"}


class Budget(Struct, frozen=True, kw_only=True):
    """A thinking budget, and whether it acts on a prompt. `close_ids` spell the closing tag."""

    effective: thinking.Effective
    applied: bool
    close_ids: tuple[int, ...] = ()

    def controller(self, token_limit: int) -> thinking.Controller | None:
        """The gate of one answer, or None when the budget is inert."""
        if not self.applied:
            return None
        return thinking.Controller(self.close_ids, token_limit, self.effective.max_tokens, self.effective.max_time_ms)


class Task(Struct, frozen=True, kw_only=True):
    """One prompt, with the limits that follow from its length."""

    prompt: Prompt
    limit: int
    """Tokens to generate at most; 0 asks for none."""
    budget: Budget


class Plan(Struct, frozen=True, kw_only=True):
    """All that a chat or batch request asks to be generated."""

    model: str
    tasks: tuple[Task, ...]
    n: int
    seed: int
    sampling: Sampling
    stops: tuple[str, ...]
    tools: tuple[Any, ...] | None
    """Tools that may be called; None when calls are not looked for."""
    ignore_eos: bool
    adapters: tuple[AdapterRef, ...]
    thinking_source: ThinkingSource
    num_prompt_tokens: int

    @property
    def adapter_label(self) -> str:
        return "+".join([adapter.name for adapter in self.adapters]) if self.adapters else BASE


class Planner:
    """Plans requests for one loaded backend."""

    def __init__(self, settings: Settings, backend: Backend, prompts: PromptBuilder, model_id: str) -> None:
        self._settings = settings
        self._backend = backend
        self._prompts = prompts
        self._model_id = model_id
        self._default_budget = {
            "default_thinking_budget_tokens": settings.default_thinking_budget_tokens,
            "default_thinking_budget_ms": settings.default_thinking_budget_ms,
        }
        self._default_effective = thinking.resolve(self._default_budget, {})

    def chat(self, request: ChatCompletionRequest) -> Plan:
        """Plan a chat request. Raises ApiError with the first thing that stands in its way."""
        if request.rollout_provenance is True:
            self._require_provenance()
        plan = self._plan("chat", request, [request.messages], self._chat_adapters(request))
        if request.rollout_provenance is True:
            _require_recordable(plan)
        return plan

    def batch(self, request: BatchCompletionRequest) -> Plan:
        """Plan a batch request. Raises ApiError with the first thing that stands in its way."""
        return self._plan("batch", request, request.prompts, self._batch_adapters(request))

    def _plan(
        self,
        endpoint: Endpoint,
        request: ChatCompletionRequest | BatchCompletionRequest,
        conversations: Sequence[list[ChatMessageInput]],
        adapters: tuple[AdapterRef, ...],
    ) -> Plan:
        kwargs = request.chat_template_kwargs or {}
        _refuse_reserved(endpoint, kwargs)
        tools = tuple(request.tools or ())
        effective = self._effective(request)
        tasks = []
        for index, messages in enumerate(conversations):
            where = f"prompts[{index}]: " if endpoint == "batch" else ""
            prompt = self._render(where, messages, tools, request.tool_choice, kwargs)
            limit = self._limit(where, request, prompt)
            tasks.append(
                Task(prompt=prompt, limit=limit, budget=self._budget(endpoint, request, effective, prompt, limit))
            )
        return Plan(
            model=self._model_id if request.model in (None, UNSET) else request.model,
            tasks=tuple(tasks),
            n=request.n or 1,
            seed=request.seed if isinstance(request.seed, int) else getrandbits(64),
            sampling=resolve_sampling(request, has_tools=bool(tools)),
            stops=_stops(endpoint, request.stop),
            tools=tools if tools and request.tool_choice != "none" else None,
            ignore_eos=request.ignore_eos is True,
            adapters=adapters,
            thinking_source=thinking_source(kwargs, self._settings.default_thinking_enabled),
            num_prompt_tokens=sum([len(task.prompt.ids) for task in tasks]),
        )

    def _require_provenance(self) -> None:
        found = runtime.rollout_backend(
            real_batching=self._backend.capabilities.batching, base_identity=self._backend.identity.base_model_sha256
        )
        if found:
            raise _error("rollout_provenance_unavailable", found)

    def _render(
        self,
        where: str,
        messages: list[ChatMessageInput],
        tools: tuple[Any, ...],
        tool_choice: Any,
        kwargs: dict[str, Any],
    ) -> Prompt:
        if not messages:
            raise ApiError("invalid_messages", f"{where}send at least one message", param=_member(where))
        try:
            return self._prompts.build(messages, tools=tools, tool_choice=tool_choice, template_kwargs=kwargs)
        except (TemplateRefusal, ValueError) as refusal:
            raise ApiError("invalid_messages", f"{where}{refusal}", param=_member(where)) from refusal

    def _limit(self, where: str, request: ChatCompletionRequest | BatchCompletionRequest, prompt: Prompt) -> int:
        asked = self._settings.default_max_tokens
        for limit in (request.max_completion_tokens, request.max_tokens):
            if isinstance(limit, int):
                asked = limit
        context = self._backend.capabilities.context_length
        if len(prompt.ids) >= context:
            raise too_long(context, len(prompt.ids), asked, param=_member(where), where=where)
        return min(asked, context - len(prompt.ids))

    def _effective(self, request: ChatCompletionRequest | BatchCompletionRequest) -> thinking.Effective:
        if request.thinking_budget_tokens is UNSET and request.thinking_budget_ms is UNSET:
            return self._default_effective
        return thinking.resolve(self._default_budget, request)

    def _budget(
        self,
        endpoint: Endpoint,
        request: ChatCompletionRequest | BatchCompletionRequest,
        effective: thinking.Effective,
        prompt: Prompt,
        limit: int,
    ) -> Budget:
        if not thinking.applies(effective, prompt_inside_block=prompt.inside_thinking, token_limit=limit):
            return Budget(effective=effective, applied=False)
        tokenizer = self._backend.text.tokenizer
        close_ids = _close_ids(tokenizer)
        decoded = b"".join(_bytes_of(tokenizer, token) for token in close_ids).decode(errors="replace")
        rollout = isinstance(request, ChatCompletionRequest) and request.rollout_provenance is True
        found = [
            *thinking.stop_overlap(request.stop or None),
            *thinking.close_encoding(close_ids, decoded),
            *runtime.close_fits(limit, len(close_ids), rollout=rollout),
        ]
        if found:
            raise _error(INVALID[endpoint], found)
        return Budget(effective=effective, applied=True, close_ids=close_ids)

    def _chat_adapters(self, request: ChatCompletionRequest) -> tuple[AdapterRef, ...]:
        if isinstance(request.adapters, list):
            return self._composed(request.adapters)
        if request.adapter is UNSET:
            return self._default_adapter()
        return self._named(request.adapter) if request.adapter else ()

    def _batch_adapters(self, request: BatchCompletionRequest) -> tuple[AdapterRef, ...]:
        if isinstance(request.adapters, list):
            return self._composed(request.adapters)
        if request.adapter is UNSET or request.adapter is None:
            return self._default_adapter()
        if not request.adapter:
            raise ApiError("invalid_adapter_name", "name an adapter, or leave adapter out", param="adapter")
        return self._named(request.adapter)

    def _default_adapter(self) -> tuple[AdapterRef, ...]:
        name = self._settings.default_adapter
        return () if name is None else self._named(name)

    def _named(self, name: str) -> tuple[AdapterRef, ...]:
        self._require_saved([name], "adapter")
        return (AdapterRef(name),)

    def _composed(self, sources: Sequence[Any]) -> tuple[AdapterRef, ...]:
        self._require_saved([source.name for source in sources], "adapters")
        return tuple(AdapterRef(source.name, source.scale) for source in sources)

    def _require_saved(self, names: Sequence[str], member: str) -> None:
        saved = {adapter.name for adapter in self._backend.adapters()}
        missing = next((name for name in names if name not in saved), None)
        if missing is not None:
            raise ApiError(
                "adapter_not_found", f"there is no saved adapter {missing!r}; nothing was generated", param=member
            )


def _member(where: str) -> str:
    """The member of the request that holds a conversation, at a place of a batch or at none."""
    return "prompts" if where else "messages"


def _refuse_reserved(endpoint: Endpoint, kwargs: dict[str, Any]) -> None:
    reserved = reserved_names(kwargs)
    if reserved:
        message = f"chat_template_kwargs may not set {', '.join(reserved)}: the server sets that"
        raise ApiError(INVALID[endpoint], message, param="chat_template_kwargs")


def _require_recordable(plan: Plan) -> None:
    """The resolved values, presets included, fit the record that would report them."""
    values = {name: getattr(plan.sampling, name) for name in VALUES}
    found = [*runtime.rollout_capacity(plan.tasks[0].limit), *runtime.rollout_sampling(values)]
    if found:
        raise _error("chat_invalid_request", found)


def _error(code: str, found: Sequence[Violation]) -> ApiError:
    return ApiError(code, found[0].message, param=param_of(found[0]), violations=found)


def _stops(endpoint: Endpoint, stop: Any) -> tuple[str, ...]:
    """Stop strings as a list; an empty one never matches."""
    stops = tuple([text for text in ([stop] if isinstance(stop, str) else stop or ()) if text])
    if stops and (size := sum(map(len, stops))) > MAX_STOP_CHARS:
        message = f"the stop strings have {size} characters in all; at most {MAX_STOP_CHARS} are looked for"
        raise ApiError(INVALID[endpoint], message, param="stop")
    return stops


def _close_ids(tokenizer: Tokenizer) -> tuple[int, ...]:
    special = tokenizer.special_ids.get(thinking.CLOSE_TEXT)
    return (special,) if special is not None else tuple(tokenizer.encode(thinking.CLOSE_TEXT))


def _bytes_of(tokenizer: Tokenizer, token: int) -> bytes:
    if token == tokenizer.special_ids.get(thinking.CLOSE_TEXT):
        return thinking.CLOSE_TEXT.encode()
    return tokenizer.token_bytes(token)
