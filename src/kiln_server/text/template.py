"""Chat templates: messages and other variables in, the text of a prompt out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Final

from jinja2 import TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError

from kiln_server.text.template_environment import ChatEnvironment, Overrun
from kiln_server.text.template_globals import Raised
from kiln_server.text.trusted import TooLong, TrustedText

CHATML: Final = """\
{% for message in messages %}
{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{% if add_generation_prompt %}
{{ '<|im_start|>assistant\n' }}
{%- endif %}
"""
"""The template of a model that has none."""

MAX_CHARS: Final = 16 << 20
MAX_SECONDS: Final = 5.0

_REASONS: Final[Mapping[type[Exception], str]] = {
    UndefinedError: "it uses a value that these messages do not have",
    SecurityError: "it does what templates may not do",
    RecursionError: "it calls itself too deeply",
    TypeError: "it meets a value of a kind that it cannot use",
}


class TemplateRefusal(ValueError):  # noqa: N818 - named for what happened
    """The template cannot be used, or does not take these messages. Says why and on which of its lines.

    The message holds nothing of the request, only the template's own words.
    """


class ChatTemplate:
    """A compiled template, to be rendered any number of times, by several threads at once.

    `source` is Jinja as Hugging Face's tokenizers hold it; None means ChatML. A rendering is refused when it takes
    longer than `max_seconds` or makes a text longer than `max_chars`. Raises TemplateRefusal for a source that is no
    template.
    """

    def __init__(
        self,
        source: str | None = None,
        *,
        max_chars: int = MAX_CHARS,
        max_seconds: float = MAX_SECONDS,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._environment = ChatEnvironment(max_chars=max_chars, max_seconds=max_seconds, now=now)
        try:
            self._template = self._environment.from_string(CHATML if source is None else source)
        except TemplateSyntaxError as error:
            raise TemplateRefusal(f"the chat template cannot be read: line {error.lineno}: {error.message}") from None
        except RecursionError:
            raise TemplateRefusal("the chat template cannot be read: it is nested too deeply") from None
        # Jinja keeps a chain of mappings, to see later changes; every rendering copies them, and one is faster.
        self._template.globals = dict(self._template.globals)

    def render(self, variables: Mapping[str, Any]) -> TrustedText:
        """The prompt's text. What the template itself wrote is trusted, and so are variables that are TrustedText.

        Raises TemplateRefusal, whatever went wrong.
        """
        try:
            self._environment.start_clock()
            context = self._template.new_context(dict(variables))
            return self._environment.concat(self._template.root_render_func(context))
        except Exception as error:
            raise TemplateRefusal(self._explain(error)) from None

    def _explain(self, error: Exception) -> str:
        line = self._line(error.__traceback__)
        if isinstance(error, Raised):
            return f"the chat template refused the messages (line {line}): {error.message}"
        if isinstance(error, (Overrun, TooLong)):
            return f"the chat template was stopped on line {line}: {error}"
        reason = next((text for type_, text in _REASONS.items() if isinstance(error, type_)), type(error).__name__)
        return f"the chat template failed on line {line}: {reason}"

    def _line(self, traceback: TracebackType | None) -> int:
        """The template's line that an exception came from, the innermost one."""
        line = 1
        while traceback is not None:
            if traceback.tb_frame.f_globals.get("__jinja_template__") is self._template:
                line = self._template.get_corresponding_lineno(traceback.tb_lineno)
            traceback = traceback.tb_next
        return line
