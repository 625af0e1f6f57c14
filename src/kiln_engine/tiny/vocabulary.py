"""Words that dialogues speak of, and made-up ones."""

from __future__ import annotations

from typing import Final

from kiln_engine.tiny.source import Source

WORDS: Final = tuple(
    """apple arm art baby back ball banana bank basket bear bed bee bell bird blanket boat body bone book bottle box boy
    branch bread brick bridge brother brush bucket bus butter button cake camel camera candle car card cat chair cheese
    cherry chicken child circle city clock cloud coat coffee coin cook copper corn cotton cow cup dance day desk dinner
    doctor dog door dragon dream dress drum duck dust eagle ear earth egg engine evening eye face farm feather field fig
    finger fire fish flag floor flower fly fog food foot forest fork fox friend frog fruit garden gate ghost girl glass
    glove goat gold goose grain grape grass green ground hair hammer hand hat head heart hello hill home honey horse
    hotel hour house ice idea ink iron island jacket jam jar juice jump key king kitchen kite knee knife ladder lake
    lamp leaf leg lemon letter light lion lip list lizard lock love lunch machine magic mango map market mask meal
    mirror money monkey moon morning mother mountain mouse mouth movie mud music nail name nest night noise nose number
    nurse nut ocean oil onion orange oven owl page paint pan panda paper park party path peach pear pen pencil penguin
    people pepper piano picture pig pillow pilot pipe planet plant plate pocket pond potato prince pump pupil queen
    question quiet rabbit radio rain rat red rice ring river road robot rock roof room rope rose ruler salad salt sand
    school scissors sea seed sheep shell ship shirt shoe shop silver sister sky sleep snail snake snow soap sock song
    soup space spider spoon spring square star stone storm story stove street sugar summer sun table tail tea teacher
    tent thunder ticket tiger time tin toast toe tomato tool tooth tower town toy train tree truck tulip turtle uncle
    van vase village violin voice wagon wall water wave wheel whistle wind window wing winter wolf wood wool word world
    yard year yellow zebra zoo""".split()  # noqa: SIM905 - as in the next three, words read better without quotes
)
NAMES: Final = tuple(
    """Ada Alan Alice Amir Anna Ben Bob Carla Carol Chen Clara Dan Diana Emma Eva Felix Grace Hana Hugo Ivan Jane John
    Julia Karl Kim Lena Leo Lily Linus Lucy Maria Mark Max Mia Nina Noah Olga Oscar Paul Peter Rosa Sam Sara Tom Vera
    Yuki Zoe""".split()  # noqa: SIM905
)
CITIES: Final = tuple(
    """Amsterdam Athens Berlin Boston Cairo Chicago Delhi Denver Dublin Geneva Hamburg Havana Kyoto Lagos Lima Lisbon
    London Lyon Madrid Miami Milan Moscow Mumbai Munich Nairobi Naples Osaka Oslo Paris Porto Prague Quito Rome Seattle
    Seoul Sydney Tokyo Toronto Venice Vienna Warsaw Zurich""".split()  # noqa: SIM905
)

_ONSETS: Final = tuple("b c d f g h j k l m n p r s t v w z bl br cr dr fl gr kl pl pr sh st tr th qu x y".split())  # noqa: SIM905
_VOWELS: Final = tuple("a e i o u a e i o ai ee oo ou".split())  # noqa: SIM905
_CODAS: Final = ("", "", "", "n", "r", "l", "s", "t", "m", "k", "p", "nd", "x", "ck")


def made_up(source: Source, num_syllables: int = 2) -> str:
    """A word that nobody has heard, in lower case."""
    syllables = (source.choice(_ONSETS) + source.choice(_VOWELS) + source.choice(_CODAS) for _ in range(num_syllables))
    return "".join(syllables)


def word(source: Source) -> str:
    """A noun, or now and then a made-up word."""
    return made_up(source, source.integer(1, 3)) if source.chance(0.25) else source.choice(WORDS)


def name(source: Source) -> str:
    """The first name of a person, some of them made up."""
    return made_up(source).capitalize() if source.chance(0.3) else source.choice(NAMES)


def city(source: Source) -> str:
    """A city, some of them made up."""
    return made_up(source).capitalize() if source.chance(0.3) else source.choice(CITIES)
