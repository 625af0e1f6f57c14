"""The stack of vLLM's server: FastAPI, and pydantic models for requests, answers and chunks."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from tests.bench.openai_request import OpenAIChatRequest
from tests.bench.peers.work import MODEL, MockWork


class Message(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str | None = None


class Choice(BaseModel):
    index: int
    message: Message
    finish_reason: str | None = None


class Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Budget(BaseModel):
    configured: bool = False
    tokens_source: str = "unlimited"
    time_source: str = "unlimited"
    applied: bool = False
    triggered: bool = False


class Metadata(BaseModel):
    thinking_enabled: bool = False
    thinking_mode: str = "non_reasoning"
    thinking_source: str = "template_default"
    final_content_empty: bool = False
    reasoning_folded_into_content: bool = False
    thinking_budget: Budget = Field(default_factory=Budget)


class Completion(BaseModel):
    id: str = Field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(default_factory=lambda: int(time.time()))
    model: str
    choices: list[Choice]
    usage: Usage
    metadata: Metadata


class Delta(BaseModel):
    role: str | None = None
    content: str | None = None


class ChunkChoice(BaseModel):
    index: int
    delta: Delta
    finish_reason: str | None = None


class ChunkMetadata(BaseModel):
    thinking_budget: Budget


class Chunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    metadata: ChunkMetadata | None = None


def create_app(script: Path) -> FastAPI:
    """The application."""
    app = FastAPI()
    work = MockWork(script)

    @app.post("/v1/chat/completions")
    async def chat(request: OpenAIChatRequest) -> Response:
        prompt_ids = work.prompt_ids(request.messages)
        if request.stream:
            return StreamingResponse(_events(work, request, prompt_ids), media_type="text/event-stream")
        return JSONResponse((await _answer(work, request, prompt_ids)).model_dump())

    return app


async def _answer(work: MockWork, request: OpenAIChatRequest, prompt_ids: tuple[int, ...]) -> Completion:
    pieces = []
    finish_reason = None
    async for token in work.tokens(f"chatcmpl-{uuid.uuid4().hex}", prompt_ids, request.max_tokens or 1):
        pieces.append(token.text)
        finish_reason = token.finish_reason
    content = "".join(pieces)
    return Completion(
        model=MODEL,
        choices=[Choice(index=0, message=Message(content=content), finish_reason=finish_reason)],
        usage=Usage(
            prompt_tokens=len(prompt_ids),
            completion_tokens=len(pieces),
            total_tokens=len(prompt_ids) + len(pieces),
        ),
        metadata=Metadata(final_content_empty=not content),
    )


async def _events(work: MockWork, request: OpenAIChatRequest, prompt_ids: tuple[int, ...]) -> AsyncIterator[str]:
    response_id, created = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())

    def event(delta: Delta, **more: Any) -> str:
        choice = ChunkChoice(index=0, delta=delta, **more)
        chunk = Chunk(id=response_id, created=created, model=MODEL, choices=[choice])
        if more:
            chunk.metadata = ChunkMetadata(thinking_budget=Budget())
        return f"data: {chunk.model_dump_json(exclude_none=True)}\n\n"

    yield event(Delta(role="assistant"))
    finish_reason = None
    async for token in work.tokens(response_id, prompt_ids, request.max_tokens or 1):
        finish_reason = token.finish_reason
        if token.text:
            yield event(Delta(content=token.text))
    yield event(Delta(), finish_reason=finish_reason)
    yield "data: [DONE]\n\n"
