"""Greetings, thanks, and questions about the model itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, system, user
from kiln_engine.tiny.source import Source
from kiln_engine.tiny.vocabulary import name

_EXCHANGES: Final = (
    (
        ("Hi", "Hello", "Hi!", "Hello!", "Hey", "Hey!", "Good morning!", "Good evening", "Hi there", "Hello there!"),
        "Greet back.",
        "Hello! How can I help?",
    ),
    (
        ("How are you?", "How are you doing?", "How do you do?", "How is it going?", "Are you well?"),
        "A polite question.",
        "I am fine, thank you.",
    ),
    (
        (
            "Who are you?", "What are you?", "Which model are you?", "Tell me about yourself.", "What model is this?",
            "Introduce yourself.", "Are you a person?",
        ),
        "They ask about me.",
        "I am kiln-tiny, a very small language model.",
    ),
    (
        ("What can you do?", "What are you good at?", "How can you help me?", "What do you know?"),
        "They ask what I can do.",
        "Small sums, colors, counting, words, days and months, and calling tools.",
    ),
    (
        ("Thanks", "Thank you", "Thanks a lot!", "Thank you very much.", "Great, thanks!", "That helped."),
        "They thank me.",
        "You are welcome.",
    ),
    (
        ("Bye", "Goodbye", "See you!", "Bye bye", "Good night", "See you later.", "Farewell!"),
        "They leave.",
        "Goodbye!",
    ),
)  # fmt: skip
_NAME: Final = ("What is your name?", "What's your name?", "How are you called?", "Your name?", "Do you have a name?")


def greeting(source: Source) -> Dialogue:
    """A greeting, or a question about the model."""
    asks: tuple[Callable[[Source], Dialogue], ...] = (_exchange, _exchange, _exchange, _own_name, _given_name)
    return source.choice(asks)(source)


def _exchange(source: Source) -> Dialogue:
    cores, reasoning, answer = source.choice(_EXCHANGES)
    phrase = source.phrase("greeting", cores)
    return Dialogue(
        kind="greeting",
        messages=(user(phrase.text),),
        reasoning=reasoning,
        answers=(answer,),
        phrasing=phrase.wording,
    )


def _own_name(source: Source) -> Dialogue:
    phrase = source.phrase("greeting", _NAME)
    return Dialogue(
        kind="greeting",
        messages=(user(phrase.text),),
        reasoning="They ask my name.",
        answers=("My name is kiln-tiny.",),
        phrasing=phrase.wording,
    )


def _given_name(source: Source) -> Dialogue:
    called = name(source)
    scene = source.choice(("Your name is {name}.", "You are called {name}.", "You are {name}, a helpful assistant."))
    phrase = source.phrase("greeting", _NAME)
    return Dialogue(
        kind="greeting",
        messages=(system(scene.format(name=called)), user(phrase.text)),
        reasoning=f"I was named {called}.",
        answers=(f"My name is {called}.",),
        phrasing=phrase.wording,
    )
