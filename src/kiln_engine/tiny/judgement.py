"""Whether an answer is right."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from kiln_engine.tiny.chat import CLOSE
from kiln_engine.tiny.dialogue import SEAM, Dialogue

_OPEN_CALL = "<tool_call>"
_CLOSE_CALL = "</tool_call>"


class Written(NamedTuple):
    """What a model wrote: its reasoning, None where it was not closed or not opened, and the answer after it."""

    reasoning: str | None
    answer: str


def read(text: str, *, thinking: bool) -> Written:
    """Split the text of a turn; `thinking` says that the prompt had opened a reasoning block."""
    if not thinking:
        return Written(None, text)
    reasoning, close, answer = text.partition(CLOSE)
    return Written(reasoning, answer.removeprefix("\n\n")) if close else Written(None, "")


def is_right(dialogue: Dialogue, answer: str) -> bool:
    """Whether an answer is one of the dialogue's, to the character; calls are compared as JSON values."""
    expected = [accepted.replace(SEAM, "") for accepted in dialogue.answers]
    if _OPEN_CALL in expected[0]:
        return called(answer) == called(expected[0])
    return answer in expected


def is_fitting(dialogue: Dialogue, answer: str) -> bool:
    """Whether an answer calls the tool that the dialogue asks for, with whatever arguments."""
    call, expected = called(answer), called(dialogue.answer)
    return call is not None and expected is not None and call.get("name") == expected["name"]


def called(answer: str) -> dict[str, Any] | None:
    """The call that an answer consists of; None when it is none."""
    body = answer.strip()
    if not (body.startswith(_OPEN_CALL) and body.endswith(_CLOSE_CALL)):
        return None
    try:
        call = json.loads(body.removeprefix(_OPEN_CALL).removesuffix(_CLOSE_CALL))
    except ValueError:
        return None
    return call if isinstance(call, dict) else None
