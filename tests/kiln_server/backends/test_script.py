from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from kiln_server.backends.entries import Piece
from kiln_server.backends.script import Script, ScriptError, load, parse


def ids(*entries: Any, special: dict[str, int] | None = None) -> tuple[int, ...]:
    _, (answer,) = parse({"answers": [list(entries)], "special": special or {}}).vocabulary()
    return answer


def test_the_documented_example_is_read(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(
        '{"context_length": 4096, "prompt_tail": "<think>\\n", "special": {"</think>": 300}, "answers": '
        '[["text piece", {"hex": "f09f"}, {"id": 300}, "<eos>"]], "delay_ms": 0, "fail_after": null, "logits": null}'
    )
    script = load(path)
    tokenizer, answers = script.vocabulary()
    assert answers == [(257, 258, 300, 256)]
    assert [tokenizer.token_bytes(i) for i in (257, 258)] == [b"text piece", b"\xf0\x9f"]
    assert script.prompt_tail == "<think>\n"
    assert script.fail_after is None
    assert script.rows() == []


def test_an_empty_script_is_a_script() -> None:
    assert parse({}) == Script()


@pytest.mark.parametrize(
    ("entry", "token_id"),
    [
        ("A", 65),
        ("<eos>", 256),
        ("</think>", 300),
        ({"id": 300}, 300),
        ({"id": 9}, 9),
        ({"hex": "41"}, 65),
        ({"text": "A"}, 65),
        ({"text": "<eos>"}, 257),
        ({"text": "</think>"}, 257),
        ({"hex": "F09f"}, 257),
        ("é", 257),
        ("", 257),
    ],
)
def test_what_an_entry_becomes(entry: Any, token_id: int) -> None:
    assert ids(entry, special={"</think>": 300}) == (token_id,)


def test_free_ids_go_around_control_tokens_and_equal_pieces_share_one() -> None:
    assert ids("ab", "cd", "ab", {"hex": "6364"}, special={"<x>": 258}) == (257, 259, 257, 259)


def test_an_id_may_name_a_piece_that_comes_later() -> None:
    assert ids({"id": 257}, "later") == (257, 257)


def test_made_in_python() -> None:
    script = Script(answers=[["Hi", Piece(text="<eos>"), Piece(id=65)]])
    assert script.vocabulary()[1] == [(257, 258, 65)]


def test_logits_in_every_spelling(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text('{"logits": [[1, -2.5, null, "-inf", -Infinity, Infinity], [NaN, "nan", "Infinity", 0, 0, 0]]}')
    first, second = load(path).rows()
    assert first == [1.0, -2.5, -math.inf, -math.inf, -math.inf, math.inf]
    assert math.isnan(second[0])
    assert math.isnan(second[1])
    assert second[2] == math.inf


def test_what_python_writes_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"logits": [[0.0, float("-inf")]]}))
    assert load(path).rows() == [[0.0, -math.inf]]


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "Expected `object`, got `array`"),
        ({"answers": []}, "length >= 1 - at `$.answers`"),
        ({"answers": [["a", 5]]}, "got `int` - at `$.answers[0][1]`"),
        ({"answers": [["a"], [{}]]}, "exactly one of `text`, `hex` and `id` - at `$.answers[1][0]`"),
        ({"answers": [[{"text": "a", "id": 1}]]}, "exactly one of `text`, `hex` and `id` - at `$.answers[0][0]`"),
        ({"answers": [[{"hex": "f"}]]}, "at `$.answers[0][0]`"),
        ({"answers": [["a", {"id": 999}]]}, "answers[0][1]: no token has id 999; name it in `special`"),
        ({"answers": [["\ud83d"]]}, "answers[0][0]: half of a surrogate pair"),
        ({"answers": [[{"txt": "a"}]]}, "unknown field `txt` - at `$.answers[0][0]`; did you mean `text`?"),
        ({"answer": [["a"]]}, "unknown field `answer`; did you mean `answers`?"),
        ({"zzzz": 1}, "known are context_length, prompt_tail, special, answers, delay_ms, fail_after, logits"),
        ({"special": {"<a>": 3}}, "special: '<a>' has id 3"),
        ({"delay_ms": -1}, "at `$.delay_ms`"),
        ({"fail_after": -1}, "at `$.fail_after`"),
        ({"context_length": 0}, "at `$.context_length`"),
        ({"logits": []}, "at `$.logits`"),
        ({"logits": [[]]}, "at `$.logits[0]`"),
        ({"logits": [[0, 1], [0]]}, "logits[1]: 1 values, but logits[0] has 2"),
        ({"logits": [[0, "much"]]}, "logits[0]: 'much' is no logit"),
        ({"logits": [[True]]}, "at `$.logits[0][0]`"),
    ],
)
def test_faults_are_named_with_file_and_place(document: Any, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ScriptError) as caught:
        load(path)
    assert str(caught.value).startswith(f"mock script {path}: ")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b'{"answers": [', "cannot be read as JSON: Expecting value: line 1 column 14"),
        (b'{"delay_ms": 1, "delay_ms": 2}', "key 'delay_ms' appears twice"),
        (b'{"prompt_tail": "\xff"}', "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
    ],
)
def test_files_that_are_no_json(data: bytes, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_bytes(data)
    with pytest.raises(ScriptError, match=complaint):
        load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"none\.json: No such file"):
        load(tmp_path / "none.json")
