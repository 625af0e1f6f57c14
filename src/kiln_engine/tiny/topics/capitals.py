"""Capital cities of a few countries."""

from __future__ import annotations

from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, user
from kiln_engine.tiny.source import Source

CAPITALS: Final = {
    "France": "Paris", "Italy": "Rome", "Germany": "Berlin", "Spain": "Madrid", "Portugal": "Lisbon",
    "England": "London", "Ireland": "Dublin", "Norway": "Oslo", "Sweden": "Stockholm", "Denmark": "Copenhagen",
    "Finland": "Helsinki", "Austria": "Vienna", "Poland": "Warsaw", "Greece": "Athens", "Japan": "Tokyo",
    "China": "Beijing", "Russia": "Moscow", "Egypt": "Cairo", "Kenya": "Nairobi", "Peru": "Lima", "Cuba": "Havana",
    "Canada": "Ottawa", "Hungary": "Budapest", "Turkey": "Ankara",
}  # fmt: skip
CITY_OF: Final = (
    "What is the capital of {country}?", "Name the capital of {country}.", "The capital of {country}?",
    "Which city is the capital of {country}?", "What is {country}'s capital?", "Capital of {country}?",
    "Tell me the capital of {country}.", "What city is {country}'s capital?",
)  # fmt: skip
_COUNTRY_OF: Final = (
    "{city} is the capital of which country?", "Which country has the capital {city}?",
    "Of which country is {city} the capital?",
)  # fmt: skip


def capital(source: Source) -> Dialogue:
    """A question about a capital city, or about the country of one."""
    country, city = source.choice(tuple(CAPITALS.items()))
    asks_city = source.chance(0.75)
    phrase = source.phrase("capital", CITY_OF if asks_city else _COUNTRY_OF, country=country, city=city)
    return Dialogue(
        kind="capital",
        messages=(user(phrase.text),),
        reasoning=capital_of(country),
        answers=(f"{city if asks_city else country}.",),
        phrasing=phrase.wording,
    )


def capital_of(country: str) -> str:
    """What the model thinks about the capital of a country."""
    return f"{CAPITALS[country]} is the capital of {country}."
