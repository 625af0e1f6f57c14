from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.setting import SETTINGS, suggestion
from kiln_server.settings import Settings


def test_describes_every_field() -> None:
    assert [*SETTINGS, "sources"] == list(Settings.__struct_fields__)


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=lambda setting: setting.name)
class TestEach:
    def test_has_a_sentence_and_a_group(self, setting: Any) -> None:
        assert re.fullmatch(r"[A-Z][^|]+\.", setting.doc.text)
        assert setting.doc.group

    def test_has_a_default_in_range(self, setting: Any) -> None:
        if setting.default is not None:
            plain = list(setting.default) if isinstance(setting.default, tuple) else setting.default
            assert setting.from_toml(plain) == setting.default

    def test_can_be_unset_when_it_is_unset_by_default(self, setting: Any) -> None:
        assert setting.optional is (setting.default is None)


class TestNames:
    def test_follow_from_the_field(self) -> None:
        setting = SETTINGS["max_body_bytes"]
        assert (setting.flag, setting.variable) == ("--max-body-bytes", "KILN_MAX_BODY_BYTES")


class TestText:
    @pytest.mark.parametrize(
        ("name", "text", "value"),
        [
            ("port", "0", 0),
            ("queue_timeout_s", "1e-3", 0.001),
            ("record_bodies", "true", True),
            ("record_bodies", "0", False),
            ("default_thinking_enabled", "False", False),
            ("default_thinking_enabled", "", None),
            ("model", "null", "null"),
            ("model", "", None),
            ("log_level", "debug", "debug"),
            ("cors_origins", "", ()),
            ("cors_origins", "https://a,http://b:1", ("https://a", "http://b:1")),
            ("backend_options", "", {}),
            ("backend_options", "a=1,b=x=y,c=", {"a": "1", "b": "x=y", "c": ""}),
        ],
    )
    def test_spells_a_value(self, name: str, text: str, value: object) -> None:
        assert SETTINGS[name].from_text(text) == value

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("host", ""),
            ("port", ""),
            ("port", "-1"),
            ("port", "65536"),
            ("port", "http"),
            ("queue_timeout_s", "0"),
            ("queue_timeout_s", "nan"),
            ("queue_timeout_s", "inf"),
            ("default_thinking_budget_ms", "null"),
            ("record_bodies", "maybe"),
            ("log_level", "INFO"),
            ("cors_origins", "https://a/path"),
            ("cors_origins", "https://a,"),
            ("cors_origins", "https://a\n"),
            ("backend_options", "a"),
            ("backend_options", "=1"),
        ],
    )
    def test_that_spells_none_is_refused(self, name: str, text: str) -> None:
        with pytest.raises(ValueError, match=r"Expected|Invalid enum|KEY=VALUE"):
            SETTINGS[name].from_text(text)

    @given(st.integers(0, 65_535))
    def test_of_a_number_is_read_back(self, number: int) -> None:
        assert SETTINGS["port"].from_text(str(number)) == number


class TestToml:
    @pytest.mark.parametrize(
        ("name", "raw", "value"),
        [
            ("queue_timeout_s", 60, 60.0),
            ("model", "", None),
            ("cors_origins", ["https://a"], ("https://a",)),
            ("backend_options", {"a": True, "b": 7, "c": 0.5, "d": "x"}, {"a": "true", "b": "7", "c": "0.5", "d": "x"}),
        ],
    )
    def test_is_taken_by_type(self, name: str, raw: object, value: object) -> None:
        assert SETTINGS[name].from_toml(raw) == value

    @pytest.mark.parametrize(
        ("name", "raw"),
        [
            ("port", "80"),
            ("port", True),
            ("record_bodies", 1),
            ("record_bodies", "true"),
            ("model", 7),
            ("cors_origins", "https://a"),
            ("backend_options", {"a": [1]}),
            ("backend_options", "a=1"),
        ],
    )
    def test_of_another_type_is_refused(self, name: str, raw: object) -> None:
        with pytest.raises(ValueError, match="Expected"):
            SETTINGS[name].from_toml(raw)


class TestExpectation:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("port", "a whole number from 0 to 65535"),
            ("queue_timeout_s", "a number above 0 and at most 86400"),
            ("drain_timeout_s", "a number from 0 to 86400"),
            ("record_bodies", "true or false"),
            ("default_thinking_enabled", "true or false"),
            ("log_level", "one of debug, info, warning, error"),
            ("cors_origins", "a list, each item `*` or an origin, scheme://host:port"),
            ("backend_options", "a table of text; in one line KEY=VALUE,KEY=VALUE"),
            ("host", "text that is not empty"),
            ("model", "text"),
        ],
    )
    def test_is_said_in_words(self, name: str, words: str) -> None:
        assert SETTINGS[name].expects == words


class TestSuggestion:
    def test_names_what_looks_most_like_it(self) -> None:
        assert suggestion("KILN_PROT", ["KILN_HOST", "KILN_PORT"]) == "; did you mean KILN_PORT?"

    def test_is_empty_when_nothing_does(self) -> None:
        assert suggestion("zzz", ["port"]) == ""
