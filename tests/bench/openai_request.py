"""A chat request as a vLLM-like server models it with pydantic: open, many members, checked by validators.

Written for this benchmark after the shape such servers have in public; smaller than the real ones, so not slower.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, model_validator

from tests.bench.openai_messages import Message

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1


class OpenModel(BaseModel):
    """Keeps members it does not know, and notes that there were some."""

    model_config = ConfigDict(extra="allow")
    known: ClassVar[frozenset[str]] = frozenset()
    unknown_seen: ClassVar[int] = 0

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.known = frozenset(field.alias or name for name, field in cls.model_fields.items())

    @model_validator(mode="wrap")
    @classmethod
    def note_unknown(cls, value: Any, handler: ModelWrapValidatorHandler[OpenModel]) -> OpenModel:
        result = handler(value)
        if isinstance(value, dict) and not cls.known.issuperset(value):
            OpenModel.unknown_seen += 1
        return result


class StreamOptions(OpenModel):
    include_usage: bool | None = True
    continuous_usage_stats: bool | None = False


class Function(OpenModel):
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Tool(OpenModel):
    type: Literal["function"] = "function"
    function: Function


class ChosenFunction(OpenModel):
    name: str


class ChosenTool(OpenModel):
    function: ChosenFunction
    type: Literal["function"] = "function"


class JsonSchema(OpenModel):
    name: str
    description: str | None = None
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None
    strict: bool | None = None


class ResponseFormat(OpenModel):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class OpenAIChatRequest(OpenModel):
    """48 members: OpenAI's, and what inference servers add to them."""

    messages: list[Message]
    model: str | None = None
    frequency_penalty: float | None = 0.0
    logit_bias: dict[str, float] | None = None
    logprobs: bool | None = False
    top_logprobs: int | None = 0
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    n: int | None = 1
    presence_penalty: float | None = 0.0
    response_format: ResponseFormat | None = None
    seed: Annotated[int | None, Field(ge=INT64_MIN, le=INT64_MAX)] = None
    stop: str | list[str] | None = []
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    top_p: float | None = None
    tools: list[Tool] | None = None
    tool_choice: Literal["none", "auto", "required"] | ChosenTool | None = "none"
    reasoning_effort: Literal["low", "medium", "high"] | None = None
    include_reasoning: bool = True
    parallel_tool_calls: bool | None = True
    user: str | None = None
    use_beam_search: bool = False
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    length_penalty: float = 1.0
    stop_token_ids: list[int] | None = []
    include_stop_str_in_output: bool = False
    ignore_eos: bool = False
    min_tokens: int = 0
    skip_special_tokens: bool = True
    spaces_between_special_tokens: bool = True
    truncate_prompt_tokens: Annotated[int, Field(ge=-1)] | None = None
    prompt_logprobs: int | None = None
    allowed_token_ids: list[int] | None = None
    bad_words: list[str] = []
    echo: bool = False
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    add_special_tokens: bool = False
    documents: list[dict[str, str]] | None = None
    chat_template: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    priority: int = 0
    request_id: str | None = None
    cache_salt: str | None = None

    @model_validator(mode="before")
    @classmethod
    def stream_options_need_stream(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("stream_options") and not value.get("stream"):
            raise ValueError("stream_options needs stream")
        return value

    @model_validator(mode="before")
    @classmethod
    def tool_choice_needs_tools(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "tool_choice" not in value and value.get("tools"):
            value["tool_choice"] = "auto"
        if value.get("tool_choice", "none") != "none" and not value.get("tools"):
            raise ValueError("tool_choice needs tools")
        return value
