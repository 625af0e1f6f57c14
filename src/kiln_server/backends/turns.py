"""The chat template of the built-in backends, and how they find the last user message in a prompt.

A backend is given token ids only. This template marks each turn with control tokens, which no text of a request can
become, so a turn found between them is one that the client sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kiln_server.backends.bytes_tokenizer import BytesTokenizer

START: Final = "<|im_start|>"
END: Final = "<|im_end|>"

# One expression or statement at a time, line breaks only as '\n': so nothing depends on how blocks are trimmed.
_TEMPLATE: Final = (
    "{% if tools %}<|im_start|>tools{{ '\\n' }}"
    "{% for tool in tools %}{{ tool | tojson }}{{ '\\n' }}{% endfor %}<|im_end|>{{ '\\n' }}{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}{{ '\\n' }}"
    "{% if message.reasoning_content %}<think>{{ '\\n' }}{{ message.reasoning_content }}{{ '\\n' }}</think>"
    "{{ '\\n\\n' }}{% endif %}"
    "{{ message.content or '' }}"
    "{% for call in message.tool_calls or [] %}{{ '\\n' }}<tool_call>{{ '\\n' }}"
    '{"name": {{ call.function.name | tojson }}, "arguments": '
    "{% if call.function.arguments is string %}{{ call.function.arguments }}"
    "{% else %}{{ call.function.arguments | tojson }}{% endif %}"
    "}{{ '\\n' }}</tool_call>{% endfor %}"
    "<|im_end|>{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{{ '\\n' }}%TAIL%{% endif %}"
)


def chat_template(prompt_tail: str) -> str:
    """Jinja source that ends every prompt for an answer with `prompt_tail`."""
    return _TEMPLATE.replace("%TAIL%", _literal(prompt_tail) if prompt_tail else "")


def add_marks(tokenizer: BytesTokenizer) -> None:
    """Make the template's own marks control tokens."""
    for mark in (START, END):
        tokenizer.add_special(mark)


def last_user_message(prompt_ids: Sequence[int], tokenizer: BytesTokenizer) -> bytes:
    """The bytes of the last user turn; empty when the prompt has none."""
    start, end = (tokenizer.special_ids[mark] for mark in (START, END))
    opening = (start, *tokenizer.encode("user\n"))
    for position in range(len(prompt_ids) - len(opening), -1, -1):
        first = position + len(opening)
        if prompt_ids[position] == start and tuple(prompt_ids[position:first]) == opening:
            last = prompt_ids.index(end, first) if end in prompt_ids[first:] else len(prompt_ids)
            return b"".join(map(tokenizer.token_bytes, prompt_ids[first:last]))
    return b""


def _literal(text: str) -> str:
    """A Jinja expression for a text, with everything but ASCII letters and digits escaped."""
    escaped = "".join(char if char.isascii() and char.isalnum() else f"\\U{ord(char):08x}" for char in text)
    return "{{ '" + escaped + "' }}"
