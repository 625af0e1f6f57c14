"""What the model does not know, or cannot do, and says so."""

from __future__ import annotations

from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, user
from kiln_engine.tiny.source import Source
from kiln_engine.tiny.topics.capitals import CITY_OF
from kiln_engine.tiny.vocabulary import city, made_up, name, word

_QUESTIONS: Final = (
    "Who won the {word} cup in {year}?", "Who invented the {word}?", "When was {name} born?",
    "Where does {name} live?",
    "What is the phone number of {name}?", "How tall is {name}?", "Who is the president of {land}?",
    "What happened in {year}?", "How old is {name}?", "What is the price of a {word}?",
    "How much does a {word} cost?",
    "Why does the {word} like the {word2}?", "How does a {word} work?", "What is a {made}?", "Who wrote {made}?",
    "What is the weather in {city}?", "How is the weather in {city} today?", "What time is it?",
    "What time is it in {city}?", "How many people live in {city}?", "What did {name} say?", "Who is {name} {made}?",
    "What is the meaning of {made}?", "Where is {land}?", "How far is it from {city} to {land}?",
    "Why is the {word} so old?", "What is the news from {city}?", "Where did I put my {word}?",
    "What will happen in {year}?",
    "Explain {made}.", "What is the history of {city}?", "How heavy is a {word}?", "What is quantum {word}?",
    "Who was the first {word} on the moon?", "Why do {word}s exist?", "What is the best {word} in {city}?",
)  # fmt: skip
_TASKS: Final = (
    "Write a poem about a {word}.", "Write a story about {name}.", "Translate {word} into French.",
    "Write a program that sorts {word}s.", "Write code for a {word}.", "Draw a {word}.", "Summarize the book {made}.",
    "Tell me a joke.", "Tell me a story.", "Sing a song about a {word}.", "Write a letter to {name}.",
    "Translate this into German: {word}", "Write an essay about {city}.", "Compose a song.",
    "Make a picture of a {word}.",
    "Plan a trip to {city}.", "Write a poem.", "Fix my code.",
)  # fmt: skip

UNKNOWN: Final = "I do not know."
IMPOSSIBLE: Final = "I cannot do that."
UNKNOWN_REASONING: Final = "I never learned this."


def limit(source: Source) -> Dialogue:
    """A question that the model cannot answer, or a task that it cannot do."""
    is_task = source.chance(0.3)
    cores = _TASKS if is_task else (_QUESTIONS + CITY_OF[:2])
    land = made_up(source).capitalize() + source.choice(("", "ia", "land"))
    phrase = source.phrase(
        "limit", cores, word=word(source), word2=word(source), name=name(source), made=made_up(source).capitalize(),
        city=city(source), land=land, country=land, year=source.integer(1200, 2090),
    )  # fmt: skip
    return Dialogue(
        kind="limit",
        messages=(user(phrase.text),),
        reasoning="This is too hard for me." if is_task else UNKNOWN_REASONING,
        answers=(IMPOSSIBLE if is_task else UNKNOWN,),
        phrasing=phrase.wording,
    )
