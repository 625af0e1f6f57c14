"""The least that a Python server can do: Starlette, `json` and dicts, nothing checked."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.bench.peers.work import MODEL, MockWork

BUDGET: Final = {
    "configured": False,
    "tokens_source": "unlimited",
    "time_source": "unlimited",
    "applied": False,
    "triggered": False,
}


def create_app(script: Path) -> Starlette:
    """The application."""
    work = MockWork(script)

    async def chat(request: Request) -> Response:
        asked = json.loads(await request.body())
        prompt_ids = work.prompt_ids(asked["messages"])
        if asked.get("stream"):
            return StreamingResponse(_events(work, asked, prompt_ids), media_type="text/event-stream")
        return Response(json.dumps(await _answer(work, asked, prompt_ids)), media_type="application/json")

    return Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])


async def _answer(work: MockWork, asked: dict[str, Any], prompt_ids: tuple[int, ...]) -> dict[str, Any]:
    response_id = _new_id()
    pieces = []
    finish_reason = None
    async for token in work.tokens(response_id, prompt_ids, asked["max_tokens"]):
        pieces.append(token.text)
        finish_reason = token.finish_reason
    content = "".join(pieces)
    return {
        "id": response_id,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": len(prompt_ids),
            "completion_tokens": len(pieces),
            "total_tokens": len(prompt_ids) + len(pieces),
        },
        "metadata": {
            "thinking_enabled": False,
            "thinking_mode": "non_reasoning",
            "thinking_source": "template_default",
            "final_content_empty": not content,
            "reasoning_folded_into_content": False,
            "thinking_budget": BUDGET,
        },
    }


async def _events(work: MockWork, asked: dict[str, Any], prompt_ids: tuple[int, ...]) -> AsyncIterator[str]:
    response_id, created = _new_id(), int(time.time())

    def event(delta: dict[str, str], **more: Any) -> str:
        chunk = {
            "id": response_id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": MODEL,
            "choices": [{"index": 0, "delta": delta, **more}],
        }
        if more:
            chunk["metadata"] = {"thinking_budget": BUDGET}
        return f"data: {json.dumps(chunk)}\n\n"

    yield event({"role": "assistant"})
    finish_reason = None
    async for token in work.tokens(response_id, prompt_ids, asked["max_tokens"]):
        finish_reason = token.finish_reason
        if token.text:
            yield event({"content": token.text})
    yield event({}, finish_reason=finish_reason)
    yield "data: [DONE]\n\n"


def _new_id() -> str:
    return "chatcmpl-" + uuid.uuid4().hex
