"""What kiln-tiny is asked in an evaluation, and how its answers count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple

from tokenizers import Tokenizer

from kiln_engine.tiny.chat import CLOSE
from kiln_engine.tiny.dialogue import Dialogue
from kiln_engine.tiny.dialogues import TOPICS
from kiln_engine.tiny.encoding import Encoder
from kiln_engine.tiny.generate import generate
from kiln_engine.tiny.interval import Share
from kiln_engine.tiny.judgement import Written, is_fitting, is_right, read
from kiln_engine.tiny.lexicon import END, token_id
from kiln_engine.tiny.network import Network
from kiln_engine.tiny.sampler import GENERAL, GREEDY, WITH_TOOLS
from kiln_engine.tiny.source import Source, Split
from kiln_engine.tiny.topics.tools import tool_call

Way = Literal["greedy", "defaults", "direct", "cut"]
"""Greedy and thinking; with the server's default sampling; greedy without thinking; with reasoning closed early."""

ONE_DIGIT: Final = ("addition", "subtraction", "multiplication")
TWO_TOOLS: Final = "two tools"
_KINDS: Final[Mapping[str, Callable[[Source], Dialogue]]] = {
    **{name: topic for name, (topic, _) in TOPICS.items() if name not in ("introduction", "tool_call")},
    TWO_TOOLS: partial(tool_call, num_tools=2),
}
KINDS: Final = tuple(_KINDS)
_MAX_TOKENS: Final = 96
_BUDGET: Final = 3
"""Tokens of reasoning before "cut" closes it."""


class Result(NamedTuple):
    """Of one kind in one way: right answers, answers after reasoning, calls of the fitting tool."""

    right: Share
    thought: Share
    fitting: Share


class Examination:
    """Asks one network. Questions are the same for every network and every way of asking."""

    def __init__(self, network: Network, tokenizer: Tokenizer, *, num_questions: int = 500) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._encoder = Encoder(tokenizer)
        self._count = num_questions

    def questions(self, kind: str, operands: Split = "train") -> list[Dialogue]:
        """Dialogues of a kind in wordings that training never used, and with operand pairs of one side."""
        names = (f"unseen:{operands}:{kind}:{index}" for index in range(self._count))
        return [_KINDS[kind](Source(name, "unseen", operands)) for name in names]

    def result(self, kind: str, way: Way, operands: Split = "train") -> Result:
        """Ask all questions of a kind."""
        asked = self.questions(kind, operands)
        answers = self.answers(asked, way)
        pairs = list(zip(asked, answers, strict=True))
        return Result(
            Share(sum(is_right(dialogue, written.answer) for dialogue, written in pairs), self._count),
            Share(sum(bool((written.reasoning or "").strip()) for written in answers), self._count),
            Share(sum(is_fitting(dialogue, written.answer) for dialogue, written in pairs), self._count),
        )

    def answers(self, asked: Sequence[Dialogue], way: Way) -> list[Written]:
        """What the network answers to each dialogue."""
        thinking = way != "direct"
        prompts = [self._encoder.prompt(dialogue, thinking=thinking) for dialogue in asked]
        if way == "cut":
            prompts = self._cut(prompts)
        sampling = GREEDY if way != "defaults" else WITH_TOOLS if asked[0].tools else GENERAL
        ids = generate(self._network, prompts, end_id=self._id(END), max_tokens=_MAX_TOKENS, sampling=sampling)
        texts = self._tokenizer.decode_batch(ids, skip_special_tokens=False)
        if way == "cut":
            return [Written(None, text.removeprefix("\n\n")) for text in texts]
        return [read(text, thinking=thinking) for text in texts]

    def _cut(self, prompts: Sequence[list[int]]) -> list[list[int]]:
        begun = generate(self._network, prompts, end_id=self._id(END), max_tokens=_BUDGET)
        return [prompt + ids + [self._id(CLOSE)] for prompt, ids in zip(prompts, begun, strict=True)]

    def _id(self, token: str) -> int:
        return token_id(self._tokenizer, token)
