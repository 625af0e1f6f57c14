"""The tools that kiln-tiny has learned to call: names, parameters, questions and answers of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kiln_engine.tiny.source import Source
from kiln_engine.tiny.tool import Maker, Parameter, Task
from kiln_engine.tiny.vocabulary import WORDS, city, made_up, name, word


def _text(*names: str, draw: Maker) -> Parameter:
    return Parameter(names, "string", draw)


def _number(*names: str, low: int, high: int) -> Parameter:
    return Parameter(names, "integer", _between(low, high))


def _between(low: int, high: int) -> Maker:
    return lambda source: source.integer(low, high)


def _one_of(*options: str) -> Maker:
    return lambda source: source.choice(options)


def _title(source: Source) -> str:
    return made_up(source, source.integer(1, 3)).capitalize() if source.chance(0.5) else word(source).capitalize()


def _words(source: Source) -> str:
    return " ".join(
        source.choice(WORDS) if source.chance(0.8) else made_up(source) for _ in range(source.integer(1, 3))
    )


def _errand(source: Source) -> str:
    return f"{source.choice(('buy', 'find', 'call', 'wash', 'bring', 'sell', 'paint', 'feed'))} the {word(source)}"


_CITY: Final = ("city", "place", "location", "town")
_ROOM: Final = _one_of("kitchen", "bedroom", "hall", "garden", "office", "bathroom", "garage", "cellar")
_MONEY: Final = _one_of("dollars", "euros", "pounds", "yen", "francs", "rupees", "pesos", "crowns")
_LANGUAGE: Final = _one_of("French", "German", "Spanish", "Italian", "Greek", "Dutch", "Danish", "Latin")
_DAY: Final = _one_of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

TASKS: Final[Mapping[str, Task]] = {
    "weather": Task(
        ("get_weather", "weather", "current_weather", "look_up_weather"),
        ("Get the weather of a city.", "Current weather in a place.", "Tells the weather.", "Get current weather"),
        {"city": _text(*_CITY, draw=city)},
        (
            "What is the weather in {city}?", "How is the weather in {city}?", "Is it raining in {city}?",
            "What's the weather like in {city}?", "Tell me the weather in {city}.", "Is it warm in {city} today?",
            "What is the weather in {city} today?", "Weather in {city}?", "How warm is it in {city}?",
        ),
        {"temperature": _between(0, 39), "sky": _one_of("sunny", "cloudy", "rainy", "windy", "clear")},
        "It is {temperature} degrees and {sky} in {city}.",
    ),
    "time": Task(
        ("get_time", "current_time", "clock", "time_in"),
        ("Get the time in a city.", "Current local time of a place.", "Tells what time it is."),
        {"city": _text(*_CITY, draw=city)},
        (
            "What time is it in {city}?", "What is the time in {city}?", "How late is it in {city}?",
            "Tell me the time in {city}.", "Time in {city}?",
        ),
        {"hour": _between(10, 23), "minute": _between(10, 59)},
        "It is {hour}:{minute} in {city}.",
    ),
    "add": Task(
        ("add", "add_numbers", "sum", "plus"),
        ("Add two numbers.", "Sum of two integers.", "Adds numbers."),
        {
            "a": _number("a", "x", "left", "first", low=0, high=999),
            "b": _number("b", "y", "right", "second", low=0, high=999),
        },
        (
            "What is {a} + {b}?", "Add {a} and {b}.", "What is {a} plus {b}?", "How much is {a} + {b}?",
            "Sum {a} and {b}.",
        ),
        {"result": _between(0, 999)},
        "The result is {result}.",
    ),
    "multiply": Task(
        ("multiply", "multiply_numbers", "product", "times"),
        ("Multiply two numbers.", "Product of two integers.", "Multiplies numbers."),
        {
            "a": _number("a", "x", "left", "first", low=0, high=999),
            "b": _number("b", "y", "right", "second", low=0, high=999),
        },
        ("What is {a} * {b}?", "Multiply {a} and {b}.", "What is {a} times {b}?", "How much is {a} x {b}?"),
        {"result": _between(0, 9999)},
        "The result is {result}.",
    ),
    "message": Task(
        ("send_message", "message", "send_text", "write_message"),
        ("Send a message to a person.", "Sends a text to someone.", "Message a contact."),
        {
            "to": _text("to", "recipient", "person", "name", draw=name),
            "text": _text("text", "message", "body", draw=_words),
        },
        (
            'Send {to} the message "{text}".', 'Tell {to}: "{text}".', 'Write to {to}: "{text}".',
            'Message {to} with "{text}".', 'Text {to} "{text}".',
        ),
        {"status": _one_of("sent", "delivered", "queued")},
        "Your message to {to} is {status}.",
    ),
    "timer": Task(
        ("set_timer", "timer", "start_timer"),
        ("Set a timer in minutes.", "Starts a timer.", "Timer for some minutes."),
        {"minutes": _number("minutes", "duration", "length", low=1, high=99)},
        (
            "Set a timer for {minutes} minutes.", "Start a timer of {minutes} minutes.",
            "Timer for {minutes} minutes!",
            "Tell me when {minutes} minutes are over.",
        ),
        {"status": _one_of("running", "started", "set")},
        "The timer of {minutes} minutes is {status}.",
    ),
    "alarm": Task(
        ("set_alarm", "alarm", "wake_up"),
        ("Set an alarm for an hour.", "Alarm at an hour of the day.", "Wakes the user."),
        {"hour": _number("hour", "time", "at", low=1, high=23)},
        (
            "Wake me at {hour}.", "Set an alarm for {hour}.", "Set the alarm to {hour} o'clock.",
            "Alarm at {hour}, please.",
        ),
        {"status": _one_of("set", "ready", "on")},
        "The alarm for {hour} is {status}.",
    ),
    "remind": Task(
        ("remind", "add_reminder", "create_reminder", "set_reminder"),
        ("Remind the user of something.", "Save a reminder.", "Creates a reminder with a text."),
        {"text": _text("text", "task", "what", "reminder", draw=_errand)},
        (
            "Remind me to {text}.", "I must not forget to {text}.", "Set a reminder to {text}.",
            "Add a reminder: {text}.",
        ),
        {"id": _between(1, 99)},
        "I saved reminder {id}.",
    ),
    "search": Task(
        ("search_web", "search", "web_search", "find_pages"),
        ("Search the web.", "Find web pages.", "Web search for a query."),
        {"query": _text("query", "q", "text", "words", draw=_words)},
        (
            'Search the web for "{query}".', 'Search for "{query}".', 'Look up "{query}".',
            'Find pages about "{query}".',
            'Google "{query}".',
        ),
        {"found": _between(0, 999)},
        "I found {found} pages.",
    ),
    "translate": Task(
        ("translate", "translate_text", "translation"),
        ("Translate a text into a language.", "Translates words.", "Text in another language."),
        {
            "text": _text("text", "words", "input", draw=_words),
            "language": _text("language", "to", "target", draw=_LANGUAGE),
        },
        (
            'Translate "{text}" into {language}.', 'What is "{text}" in {language}?',
            'How do I say "{text}" in {language}?',
            'Put "{text}" into {language}.',
        ),
        {"translation": _title},
        "It is {translation} in {language}.",
    ),
    "table": Task(
        ("book_table", "reserve_table", "reserve"),
        ("Book a table in a restaurant.", "Reserve seats to eat.", "Table for some people."),
        {
            "restaurant": _text("restaurant", "name", "where", draw=_title),
            "people": _number("people", "guests", "seats", low=1, high=19),
        },
        (
            "Book a table for {people} at {restaurant}.", "Reserve a table for {people} people at {restaurant}.",
            "A table at {restaurant} for {people}, please.", "We are {people} and want to eat at {restaurant}.",
        ),
        {"status": _one_of("booked", "reserved", "confirmed")},
        "Your table at {restaurant} is {status}.",
    ),
    "music": Task(
        ("play_music", "play_song", "play", "music"),
        ("Play music of an artist.", "Plays songs.", "Start music."),
        {"artist": _text("artist", "singer", "band", "by", draw=_title)},
        ("Play a song by {artist}.", "Play {artist}.", "I want to hear {artist}.", "Put on music by {artist}."),
        {"status": _one_of("playing", "started", "on")},
        "The music of {artist} is {status}.",
    ),
    "light_on": Task(
        ("turn_on_light", "light_on", "switch_on_light"),
        ("Turn on the light in a room.", "Switches a light on.", "Makes a room bright."),
        {"room": _text("room", "where", "place", draw=_ROOM)},
        (
            "Turn on the light in the {room}.", "Switch on the {room} light.", "Light in the {room} on!",
            "Make it bright in the {room}.",
        ),
        {"status": _one_of("on", "bright")},
        "The light in the {room} is {status}.",
    ),
    "light_off": Task(
        ("turn_off_light", "light_off", "switch_off_light"),
        ("Turn off the light in a room.", "Switches a light off.", "Makes a room dark."),
        {"room": _text("room", "where", "place", draw=_ROOM)},
        (
            "Turn off the light in the {room}.", "Switch off the {room} light.", "Light in the {room} off!",
            "Make it dark in the {room}.",
        ),
        {"status": _one_of("off", "dark")},
        "The light in the {room} is {status}.",
    ),
    "stock": Task(
        ("get_stock_price", "stock_price", "share_price", "get_quote"),
        ("Price of a share of a company.", "Get a stock price.", "Stock market price."),
        {"company": _text("company", "symbol", "stock", draw=_title)},
        (
            "What is the stock price of {company}?", "How much is a share of {company}?", "Share price of {company}?",
            "What does {company} stock cost?",
        ),
        {"price": _between(1, 999)},
        "A share of {company} costs {price} dollars.",
    ),
    "convert": Task(
        ("convert_currency", "convert_money", "exchange", "convert"),
        ("Convert money.", "Convert an amount between currencies.", "Exchange money of one currency."),
        {
            "amount": _number("amount", "value", low=1, high=999),
            "source": _text("from", "source", "from_currency", draw=_MONEY),
            "target": _text("to", "target", "to_currency", draw=_MONEY),
        },
        (
            "Convert {amount} {source} to {target}.", "How much are {amount} {source} in {target}?",
            "Change {amount} {source} into {target}.", "What are {amount} {source} in {target}?",
        ),
        {"result": _between(1, 999)},
        "That is {result} {target}.",
    ),
    "dice": Task(
        ("roll_dice", "roll_die", "dice"),
        ("Roll a die.", "Throws a die with some sides.", "A random throw."),
        {"sides": _number("sides", "faces", "n", low=4, high=30)},
        ("Roll a die with {sides} sides.", "Throw a {sides}-sided die.", "Roll a {sides}-sided die."),
        {"result": _between(1, 30)},
        "The die shows {result}.",
    ),
    "population": Task(
        ("get_population", "population", "count_people"),
        ("Number of people in a city.", "Get the population of a place.", "How many people live somewhere."),
        {"city": _text(*_CITY, draw=city)},
        (
            "How many people live in {city}?", "What is the population of {city}?", "How big is {city}?",
            "Population of {city}?",
        ),
        {"people": _between(1000, 99999)},
        "In {city} live {people} people.",
    ),
    "define": Task(
        ("define", "define_word", "dictionary", "look_up_word"),
        ("Explain a word.", "Meaning of a word.", "Look a word up in the dictionary."),
        {"word": _text("word", "term", "entry", draw=word)},
        (
            'What does "{word}" mean?', 'Define "{word}".', 'What is the meaning of "{word}"?',
            'Explain the word "{word}".',
        ),
        {"meaning": _words},
        "It means: {meaning}.",
    ),
    "event": Task(
        ("create_event", "add_event", "schedule", "add_meeting"),
        ("Add an event to the calendar.", "Plan a meeting on a day.", "Creates a calendar entry."),
        {"title": _text("title", "name", "event", draw=word), "day": _text("day", "date", "when", draw=_DAY)},
        (
            'Put "{title}" on {day}.', 'Add "{title}" on {day} to my calendar.', 'Plan "{title}" for {day}.',
            'Schedule "{title}" on {day}.',
        ),
        {"id": _between(1, 99)},
        "Event {id} is on {day}.",
    ),
    "distance": Task(
        ("get_distance", "distance", "measure_distance"),
        ("Distance between two cities.", "How far two places are apart.", "Kilometers between places."),
        {
            "source": _text("from", "start", "origin", draw=city),
            "target": _text("to", "end", "destination", draw=city),
        },
        (
            "How far is it from {source} to {target}?", "What is the distance from {source} to {target}?",
            "How many kilometers from {source} to {target}?",
        ),
        {"kilometers": _between(10, 9999)},
        "It is {kilometers} kilometers from {source} to {target}.",
    ),
    "order": Task(
        ("get_order", "order_status", "track_order", "find_order"),
        ("Status of an order.", "Find an order by its number.", "Tracks a parcel."),
        {"order": _number("id", "order_id", "number", "order", low=1, high=9999)},
        (
            "Where is order {order}?", "What is the status of order {order}?", "Track order {order}.",
            "Has order {order} been shipped?",
        ),
        {"status": _one_of("shipped", "lost", "packed", "delivered")},
        "Order {order} is {status}.",
    ),
    "flight": Task(
        ("find_flight", "search_flights", "flights", "book_flight"),
        ("Find a flight between cities.", "Searches flights.", "Flights from one city to another."),
        {
            "source": _text("from", "start", "origin", draw=city),
            "target": _text("to", "end", "destination", draw=city),
        },
        (
            "Find a flight from {source} to {target}.", "I want to fly from {source} to {target}.",
            "Flights from {source} to {target}?",
        ),
        {"flight": _between(100, 999), "hour": _between(10, 23)},
        "Flight {flight} to {target} leaves at {hour}.",
    ),
    "heat": Task(
        ("set_temperature", "set_heating", "thermostat"),
        ("Set the temperature of a room.", "Heating of a room.", "Makes a room warm or cold."),
        {
            "room": _text("room", "where", "zone", draw=_ROOM),
            "degrees": _number("degrees", "temperature", "value", low=10, high=30),
        },
        (
            "Set the {room} to {degrees} degrees.", "Heat the {room} to {degrees} degrees.",
            "Make it {degrees} degrees in the {room}.",
        ),
        {"status": _one_of("set", "done")},
        "The {room} will have {degrees} degrees.",
    ),
}  # fmt: skip
