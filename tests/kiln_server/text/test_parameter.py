"""The value of a parameter that was written as plain text, by what the tool's schema says of it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from kiln_server.text.parameter import parameter_value

STRING, NULL, INTEGER, NUMBER = {"type": "string"}, {"type": "null"}, {"type": "integer"}, {"type": "number"}
BOOLEAN, OBJECT, ARRAY = {"type": "boolean"}, {"type": "object"}, {"type": "array"}
ROOT = {
    "$defs": {
        "Name": STRING,
        "Count": {"allOf": [{"description": "how many"}, INTEGER]},
        "Alias": {"$ref": "#/$defs/Name"},
        "a/b~c": BOOLEAN,
        "Endless": {"$ref": "#/$defs/Endless"},
        "Twice": {"anyOf": [{"$ref": "#/$defs/Twice"}, {"$ref": "#/$defs/Twice"}]},
        "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}},
    }
}
DEEP = '{"a":' * 50_000


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


SAME = object()
"""The text as it stands."""

TABLE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {
            "string": STRING,
            "list of string": {"type": ["string"]},
            "enum of strings": {"enum": ["12", "x"]},
            "const": {"const": "12"},
            "reference": ref("Name"),
            "reference to a reference": ref("Alias"),
            "one alternative": {"anyOf": [STRING]},
            "alternatives": {"oneOf": [STRING, {"enum": ["a"]}]},
            "all of": {"allOf": [{"description": "a name"}, ref("Name")]},
            "narrowed": {"type": "string", "anyOf": [{"minLength": 1}, {}]},
        },
        {"12": SAME, "true": SAME, "True": SAME, "null": SAME, '"a"': SAME, "{}": SAME, " 1 ": SAME},
    ),
    (
        {
            "string or null": {"type": ["string", "null"]},
            "null or string": {"type": ["null", "string"]},
            "optional": {"anyOf": [STRING, NULL], "default": None},
            "optional the other way round": {"oneOf": [NULL, STRING]},
            "optional reference": {"anyOf": [ref("Name"), NULL]},
            "optional in optional": {"anyOf": [{"anyOf": [STRING, NULL]}, NULL]},
            "enum with null": {"enum": ["a", None]},
        },
        {"12": SAME, "null": None, " null\n": None, "None": SAME, "True": SAME, "nulls": SAME, '"a"': SAME},
    ),
    (
        {
            "string or number": {"type": ["string", "number"]},
            "number or string": {"anyOf": [NUMBER, STRING]},
            "enum of both": {"enum": ["auto", 1.5, 2]},
        },
        {"12": 12, "-3.5": -3.5, "1e400": SAME, "True": SAME, "null": SAME, '"12"': SAME, "twelve": SAME, "[]": SAME},
    ),
    (
        {"boolean": BOOLEAN, "enum of booleans": {"enum": [True, False]}, "reference with escapes": ref("a~1b~0c")},
        {"true": True, "True": True, " False\n": False, "false": False, "TRUE": SAME, "1": 1, "None": SAME},
    ),
    (
        {"integer": INTEGER, "reference to all of": ref("Count")},
        {
            "12": 12,
            " 12 ": 12,
            "12.0": 12.0,
            "12.5": 12.5,
            "True": SAME,
            "None": SAME,
            "null": None,
            '"1"': "1",
            "a": SAME,
        },
    ),
    (
        {"integer or string": {"type": ["integer", "string"]}},
        {"12": 12, "12.0": 12.0, "12.5": SAME, "true": SAME, "None": SAME},
    ),
    ({"optional integer": {"anyOf": [INTEGER, NULL]}}, {"12": 12, "None": None, "null": None, "nil": SAME}),
    ({"number": NUMBER}, {"1": 1, "1e2": 100.0, "1e400": SAME, "NaN": SAME, "True": SAME}),
    ({"null": NULL}, {"null": None, "None": None, "x": SAME}),
    ({"object": OBJECT}, {'{"a": "1"}': {"a": "1"}, "{'a': 1}": SAME, DEEP: SAME, "": SAME}),
    ({"reference into itself, below a type": ref("Tree")}, {'{"left": {}}': {"left": {}}}),
    ({"array": ARRAY}, {"[1, true]": [1, True], "a, b": SAME}),
    ({"object or string": {"anyOf": [OBJECT, STRING]}}, {'{"a":1}': {"a": 1}, "[1]": SAME, "{": SAME}),
    ({"string or array": {"anyOf": [STRING, ARRAY]}}, {"[1]": [1], "{}": SAME}),
    ({"boolean or string": {"type": ["boolean", "string"]}}, {"True": True, "yes": SAME, "None": SAME}),
    (
        {
            "no schema": None,
            "no type": {"description": "anything"},
            "true": True,
            "an alternative without a type": {"anyOf": [STRING, {}]},
            "no alternative": {"anyOf": []},
            "empty enum": {"enum": []},
            "empty list of types": {"type": []},
            "no type of that kind": {"type": 1},
            "nothing referred to": ref("Nothing"),
            "a reference elsewhere": {"$ref": "https://example.com/schema"},
            "a reference to this": ref("Endless"),
            "references that double": ref("Twice"),
            "a reference through a string": ref("Name/type/x"),
            "all of nothing": {"allOf": [{"minLength": 1}]},
        },
        {"12": 12, "true": True, "True": SAME, "null": None, '"a"': "a", "a": SAME},
    ),
]


@pytest.mark.parametrize(
    ("schema", "values"),
    [pytest.param(schema, values, id=name) for schemas, values in TABLE for name, schema in schemas.items()],
)
def test_a_value_is_read_as_the_schema_says(schema: Any, values: dict[str, Any]) -> None:
    for text, wanted in values.items():
        value = parameter_value(text, schema, ROOT)
        assert (value, type(value)) == ((text, str) if wanted is SAME else (wanted, type(wanted)))


@pytest.mark.parametrize(
    ("schema", "definitions"),
    [
        ({"anyOf": [ref("a")] * 4000}, {"a": {"enum": ["x"] * 4000}}),
        ({"anyOf": [ref("a")] * 4000}, {"a": {"anyOf": [ref("a")] * 4000}}),
        ({"anyOf": [ref("a")] * 4000}, {"a": {"allOf": [{}] * 4000}}),
        ({"enum": ["x"] * 1_000_000}, {}),
        ({"$ref": "#" + "/a" * 1_000_000}, {}),
        (ref("0"), {str(number): ref(str(number + 1)) for number in range(100_000)}),
    ],
)
def test_a_huge_schema_costs_little(schema: Any, definitions: dict[str, Any]) -> None:
    """The limit is a generous guard: to look at all of these takes minutes."""
    before = time.process_time()
    assert parameter_value("12", schema, {"$defs": definitions}) == 12
    assert time.process_time() - before < 5


@pytest.mark.parametrize(("length", "wanted"), [(32, "12"), (33, 12)])
def test_a_reference_holds_at_most_32_names(length: int, wanted: Any) -> None:
    root: dict[str, Any] = {"type": "string"}
    for _ in range(length):
        root = {"a": root}
    assert parameter_value("12", {"$ref": "#" + "/a" * length}, root) == wanted
