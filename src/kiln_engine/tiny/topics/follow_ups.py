"""Second questions that only make sense after the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, Message, assistant, user
from kiln_engine.tiny.source import Phrase, Source
from kiln_engine.tiny.topics import arithmetic, words
from kiln_engine.tiny.topics.calendar import DAYS, MONTHS, after
from kiln_engine.tiny.topics.capitals import CAPITALS, capital_of
from kiln_engine.tiny.topics.colors import THINGS, color_of
from kiln_engine.tiny.vocabulary import name

_SUMS: Final = {
    "addition": ("And plus {b}?", "Plus {b}?", "Now add {b}.", "And {b} more?", "Add {b} to that.", "Then plus {b}?"),
    "subtraction": ("And minus {b}?", "Minus {b}?", "Now subtract {b}.", "Take away {b}.", "And without {b}?"),
    "multiplication": ("And times {b}?", "Times {b}?", "Now multiply by {b}.", "And that times {b}?"),
}
_AND: Final = ("And {thing}?", "And of {thing}?", "What about {thing}?", "And for {thing}?", "How about {thing}?")
_NEXT: Final = ("And after that?", "And then?", "What comes next?", "And the one after?", "And next?")
_AGAIN: Final = ("Say it again.", "Again.", "Once more.", "Repeat that.", "Please repeat it.", "One more time.")
_MY_NAME: Final = ("What is my name?", "Do you know my name?", "What am I called?", "Who am I?", "What's my name?")
_TOLD: Final = ("My name is {name}.", "I am {name}.", "I'm {name}.", "Call me {name}.", "Hi, I am {name}.")
_FIRST_SUM: Final = ("What is {a} + {b}?", "{a} plus {b}?", "{a}+{b}", "How much is {a} + {b}?", "Add {a} and {b}.")


def follow_up(source: Source) -> Dialogue:
    """A conversation of two questions or three, the last of which leans on the one before."""
    asks: tuple[Callable[[Source], Dialogue], ...] = (_sum, _sum, _sum, _color, _capital, _next, _again, _name)
    return source.choice(asks)(source)


def _sum(source: Source) -> Dialogue:
    a, b = source.integer(0, 9), source.integer(0, 9)
    result = a + b
    history = [user(source.choice(_FIRST_SUM).format(a=a, b=b)), assistant(str(result))]
    if source.chance(0.25):
        operation, b, result = _step(source, result)
        history += [user(source.choice(_SUMS[operation]).format(b=b)), assistant(str(result))]
    operation, b, _ = _step(source, result)
    work = arithmetic.calculate(operation, result, b)
    phrase = source.phrase("follow_up", _SUMS[operation], b=b)
    return _dialogue(history, phrase, f"Before: {result}. {work.steps}", str(work.result))


def _step(source: Source, before: int) -> tuple[str, int, int]:
    operation = source.choice(("addition", "subtraction", "multiplication") if before < 10 else ("addition",))
    b = source.integer(0, min(9, before) if operation == "subtraction" else 9)
    return operation, b, arithmetic.calculate(operation, before, b).result


def _color(source: Source) -> Dialogue:
    first, second = source.sample(tuple(THINGS), 2)
    history = [user(f"What {source.choice(('color', 'colour'))} is {first}?"), _answered(THINGS[first])]
    phrase = source.phrase("follow_up", _AND, thing=second)
    return _dialogue(history, phrase, color_of(second), _sentence(THINGS[second]))


def _capital(source: Source) -> Dialogue:
    first, second = source.sample(tuple(CAPITALS), 2)
    history = [user(f"What is the capital of {first}?"), _answered(CAPITALS[first])]
    phrase = source.phrase("follow_up", _AND, thing=second)
    return _dialogue(history, phrase, capital_of(second), _sentence(CAPITALS[second]))


def _next(source: Source) -> Dialogue:
    unit, cycle = source.choice((("day", DAYS), ("month", MONTHS)))
    first = source.choice(cycle)
    second = after(cycle, first)
    third = after(cycle, second)
    history = [user(f"What {unit} comes after {first}?"), _answered(second)]
    return _dialogue(history, source.phrase("follow_up", _NEXT), f"After {second} comes {third}.", _sentence(third))


def _again(source: Source) -> Dialogue:
    before = words.echo(source)
    history = [*before.messages, assistant(before.answer)]
    return _dialogue(history, source.phrase("follow_up", _AGAIN), "Repeat the words.", before.answer)


def _name(source: Source) -> Dialogue:
    called = name(source)
    history = [user(source.choice(_TOLD).format(name=called)), assistant(f"Nice to meet you, {called}.")]
    phrase = source.phrase("follow_up", _MY_NAME)
    return _dialogue(history, phrase, f"The user is {called}.", f"Your name is {called}.")


def introduction(source: Source) -> Dialogue:
    """The user tells a name."""
    called = name(source)
    phrase = source.phrase("introduction", _TOLD, name=called)
    return Dialogue(
        kind="greeting",
        messages=(user(phrase.text),),
        reasoning=f"The user is {called}.",
        answers=(f"Nice to meet you, {called}.",),
        phrasing=phrase.wording,
    )


def _answered(word: str) -> Message:
    return assistant(_sentence(word))


def _sentence(word: str) -> str:
    return f"{word.capitalize()}."


def _dialogue(history: list[Message], phrase: Phrase, reasoning: str, answer: str) -> Dialogue:
    return Dialogue(
        kind="follow_up",
        messages=(*history, user(phrase.text)),
        reasoning=reasoning,
        answers=(answer,),
        phrasing=phrase.wording,
    )
