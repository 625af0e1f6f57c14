"""The model's side of a request, which every peer shares: template, encoding, mock tokens, text."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final, NamedTuple

from jinja2.sandbox import ImmutableSandboxedEnvironment

from kiln_server.backend import Generation, Sampling
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import load

MODEL: Final = "mock"
_Utf8: Final = getincrementaldecoder("utf-8")


class Token(NamedTuple):
    """The text that one token completes, and why it was the last one, if it was."""

    text: str
    finish_reason: str | None


class MockWork:
    """A script's mock backend, asked as plainly as its port allows."""

    def __init__(self, script: Path) -> None:
        self._backend = MockBackend(load(script))
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        assets = self._backend.text
        self._template = environment.from_string(assets.chat_template or "")
        self._tokenizer = assets.tokenizer
        self._special = {"bos_token": assets.bos_token, "eos_token": assets.eos_token}

    def prompt_ids(self, messages: Sequence[Any]) -> tuple[int, ...]:
        """Render and encode a conversation."""
        text = self._template.render(messages=messages, add_generation_prompt=True, **self._special)
        return tuple(self._tokenizer.encode(text))

    async def tokens(self, request_id: str, prompt_ids: tuple[int, ...], max_tokens: int) -> AsyncIterator[Token]:
        """The answer, token by token."""
        job = Generation(
            request_id=request_id,
            group=request_id,
            prompt_ids=prompt_ids,
            choice=0,
            max_tokens=max_tokens,
            seed=0,
            sampling=Sampling(temperature=1.0),
        )
        decoder = _Utf8(errors="replace")
        async with aclosing(self._backend.generate(job)) as batches:
            async for batch in batches:
                for event in batch:
                    text = "" if event.finish == "eos" else decoder.decode(self._tokenizer.token_bytes(event.token_id))
                    yield Token(text, event.finish and ("stop" if event.finish == "eos" else "length"))
