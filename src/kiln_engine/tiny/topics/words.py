"""Saying words again, spelling them, and turning them round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kiln_engine.tiny.dialogue import SEAM, Dialogue, user
from kiln_engine.tiny.source import Source
from kiln_engine.tiny.vocabulary import WORDS, city, made_up, name, word

_ECHO: Final = (
    "Say {text}.", "Repeat {text}.", "Repeat after me: {text}.", "Echo {text}.", "Say this: {text}.", "Write {text}.",
    "Repeat the words {text}.", "Please say {text}.", "Echo: {text}.", "Repeat: {text}.", "Say it after me: {text}.",
    'Say "{text}".', 'Repeat "{text}".', 'Write "{text}".', 'Echo "{text}".',
)  # fmt: skip
_SPELL: Final = (
    "Spell {word}.", "Spell the word {word}.", "How do you spell {word}?", "What are the letters of {word}?",
    "Which letters are in {word}?", "Can you spell {word}?", "Give me the letters of {word}.", 'Spell "{word}".',
)  # fmt: skip
_REVERSE: Final = (
    "Reverse {word}.", "Reverse the word {word}.", "What is {word} backwards?", "Write {word} backwards.",
    "Spell {word} backwards.", "Turn {word} around.", "What is {word} reversed?", 'Reverse "{word}".',
    "Say {word} backwards.", "How does {word} read backwards?",
)  # fmt: skip


_ITEMS: Final[tuple[Callable[[Source], str], ...]] = (
    word,
    made_up,
    name,
    city,
    lambda source: str(source.integer(0, 9)),
    lambda source: str(source.integer(10, 999)),
    lambda source: f"{source.choice(WORDS)}_{source.choice(WORDS)}",
)


def echo(source: Source) -> Dialogue:
    """Words to be said again, word for word."""
    text = " ".join(word(source) for _ in range(source.integer(1, 5)))
    text = text.capitalize() if source.chance(0.2) else name(source) if source.chance(0.1) else text
    phrase = source.phrase("echo", _ECHO, text=text)
    # The last full stop is not to be said, so it may as well be missing.
    question = phrase.text.removesuffix(".") if phrase.text.endswith(f"{text}.") and source.chance(0.4) else phrase.text
    return Dialogue(
        kind="echo",
        messages=(user(question),),
        reasoning="Repeat the words.",
        answers=(text,),
        phrasing=phrase.wording,
    )


def copy(source: Source) -> Dialogue:
    """A long list of words, names and numbers to be said again: nothing teaches faster to look back."""
    items = [source.choice(_ITEMS)(source) for _ in range(source.integer(8, 16))]
    text = source.choice((" ", ", ")).join(items)
    phrase = source.phrase("echo", _ECHO, text=text)
    return Dialogue(
        kind="echo",
        messages=(user(phrase.text),),
        reasoning="Repeat the words.",
        answers=(text,),
        phrasing=phrase.wording,
    )


def spell(source: Source) -> Dialogue:
    """A word to be spelled."""
    spelled = _short_word(source)
    phrase = source.phrase("spell", _SPELL, word=spelled)
    return Dialogue(
        kind="spell",
        messages=(user(phrase.text),),
        reasoning="Letter by letter.",
        answers=(" ".join(spelled),),
        phrasing=phrase.wording,
    )


def reverse(source: Source) -> Dialogue:
    """A word to be turned round; the model spells it first, both ways."""
    forwards = _short_word(source)
    backwards = forwards[::-1]
    phrase = source.phrase("reverse", _REVERSE, word=forwards)
    return Dialogue(
        kind="reverse",
        messages=(user(phrase.text),),
        reasoning=f"{SEAM.join(forwards)}. Back: {SEAM.join(backwards)}.",
        answers=(SEAM.join(backwards),),
        phrasing=phrase.wording,
    )


def _short_word(source: Source) -> str:
    while True:
        drawn = word(source)
        if 2 <= len(drawn) <= 7:
            return drawn
