from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from kiln_server.resolution import resolve
from kiln_server.settings import Settings, SettingsError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problems(
    flags: dict[str, str] | None = None, environ: dict[str, str] | None = None, config: str | None = None
) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        resolve(flags or {}, environ or {}, config)
    return list(caught.value.problems)


class TestPrecedence:
    @pytest.mark.parametrize(("flag", "variable", "file"), list(product([True, False], repeat=3)))
    def test_the_first_source_that_has_it_decides(self, here: Path, flag: bool, variable: bool, file: bool) -> None:
        if file:
            (here / "kiln.toml").write_text("port = 3")
        settings = resolve({"port": "1"} if flag else {}, {"KILN_PORT": "2"} if variable else {})
        decided = {
            (True, True): (1, "--port"),
            (True, False): (1, "--port"),
            (False, True): (2, "KILN_PORT"),
            (False, False): (3, "kiln.toml") if file else (8000, "default"),
        }
        assert (settings.port, settings.source("port")) == decided[flag, variable]

    def test_a_list_is_taken_whole(self, here: Path) -> None:
        (here / "kiln.toml").write_text('cors_origins = ["https://file"]')
        assert resolve({}, {"KILN_CORS_ORIGINS": "https://variable"}).cors_origins == ("https://variable",)

    def test_an_empty_text_unsets_what_a_later_source_sets(self, here: Path) -> None:
        (here / "kiln.toml").write_text('model = "m"')
        settings = resolve({}, {"KILN_MODEL": ""})
        assert (settings.model, settings.source("model")) == (None, "KILN_MODEL")

    def test_without_any_source_all_is_default(self) -> None:
        assert resolve({}, {}) == Settings()


class TestEnvironment:
    def test_other_variables_are_none_of_our_business(self) -> None:
        assert resolve({}, {"PATH": "/bin", "MY_KILN_PORT": "1"}) == Settings()

    def test_an_unknown_variable_is_refused_with_a_suggestion(self) -> None:
        assert problems(environ={"KILN_PROT": "1"}) == [
            "KILN_PROT is no setting of this server; did you mean KILN_PORT?"
        ]

    def test_an_unknown_variable_that_looks_like_nothing_is_refused_too(self) -> None:
        assert problems(environ={"KILN_XYZZY_QUUX": "1"}) == ["KILN_XYZZY_QUUX is no setting of this server; unset it"]


class TestFile:
    def test_of_the_command_line_wins_over_the_variable_and_the_default(self, here: Path) -> None:
        for number, name in enumerate(["kiln.toml", "variable.toml", "flag.toml"]):
            (here / name).write_text(f"port = {number}")
        environ = {"KILN_CONFIG": "variable.toml"}
        assert resolve({}, environ, "flag.toml").port == 2
        assert resolve({}, environ).port == 1
        assert resolve({}, {}).port == 0

    @pytest.mark.parametrize("flag", [None, ""])
    def test_an_empty_name_is_none(self, here: Path, flag: str | None) -> None:
        assert resolve({}, {"KILN_CONFIG": ""}, flag) == Settings()
        (here / "kiln.toml").write_text("port = 3")
        assert resolve({}, {"KILN_CONFIG": ""}, flag).source("port") == "kiln.toml"

    def test_an_empty_flag_unsets_the_variable(self) -> None:
        assert resolve({}, {"KILN_CONFIG": "none.toml"}, "") == Settings()

    def test_may_begin_with_a_byte_order_mark(self, here: Path) -> None:
        (here / "kiln.toml").write_bytes(b"\xef\xbb\xbfport = 3")
        assert resolve({}, {}).port == 3

    def test_that_is_named_must_be_there(self) -> None:
        assert problems(config="none.toml") == [
            "cannot read the configuration file none.toml: No such file or directory"
        ]
        assert len(problems(environ={"KILN_CONFIG": "none.toml"})) == 1

    def test_that_is_not_toml_is_refused_with_the_place(self, here: Path) -> None:
        (here / "kiln.toml").write_text("port = \n")
        assert problems() == ["kiln.toml is not TOML: Invalid value (at line 1, column 8)"]

    def test_that_is_not_utf8_is_refused(self, here: Path) -> None:
        (here / "kiln.toml").write_bytes(b"model = '\xff'")
        assert problems()[0].startswith("kiln.toml is not TOML: 'utf-8' codec")

    def test_with_an_unknown_key_is_refused_with_a_suggestion(self, here: Path) -> None:
        (here / "kiln.toml").write_text("max-body-bytes = 7\n[server]\nport = 1")
        assert problems() == [
            "max-body-bytes in kiln.toml is no setting of this server; did you mean max_body_bytes?",
            "server in kiln.toml is no setting of this server; remove it",
        ]


class TestValues:
    def test_out_of_range_are_refused_in_the_words_of_their_source(self, here: Path) -> None:
        (here / "kiln.toml").write_text("max_body_bytes = 0")
        assert problems({"port": "x"}, {"KILN_LOG_LEVEL": "loud"}) == [
            "--port must be a whole number from 0 to 65535, not 'x'",
            "max_body_bytes in kiln.toml must be a whole number from 1024 to 1073741824, not '0'",
            "KILN_LOG_LEVEL must be one of debug, info, warning, error, not 'loud'",
        ]

    def test_of_a_table_are_not_repeated(self) -> None:
        [problem] = problems({"backend_options": "hunter2"})
        assert problem == "--backend-options must be a table of text; in one line KEY=VALUE,KEY=VALUE"

    def test_that_are_long_are_cut(self) -> None:
        assert len(problems({"port": "9" * 500})[0]) < 200


class TestFiles:
    @pytest.mark.parametrize("name", ["api_keys_file", "mock_script", "tls_certfile"])
    def test_that_are_missing_are_told_with_their_source(self, name: str) -> None:
        variable = "KILN_" + name.upper()
        assert problems({"backend": "mock"}, environ={variable: "none"}) == [
            f"{name} (set by {variable}) names none, which is no file that can be read"
        ]

    def test_a_directory_is_no_file(self, here: Path) -> None:
        assert len(problems({"api_keys_file": str(here)})) == 1


class TestCombinations:
    @pytest.fixture(autouse=True)
    def files(self, here: Path) -> None:
        for name in ("s.json", "key.pem"):
            (here / name).touch()

    def test_a_script_needs_the_mock_backend(self) -> None:
        assert problems({"mock_script": "s.json"}, {"KILN_BACKEND": "replay"}) == [
            "mock_script (set by --mock-script) needs the backend mock, but backend (set by KILN_BACKEND) is replay"
        ]

    def test_a_key_needs_a_certificate(self) -> None:
        assert problems({"tls_keyfile": "key.pem"}) == [
            "tls_keyfile (set by --tls-keyfile) needs a certificate; set tls_certfile too"
        ]

    def test_any_origin_goes_with_no_other(self) -> None:
        assert len(problems({"cors_origins": "*,https://a"})) == 1

    @pytest.mark.parametrize(("name", "option"), [("model", "model"), ("mock_script", "script"), ("dtype", "dtype")])
    def test_an_option_must_not_say_what_a_setting_says(self, name: str, option: str) -> None:
        assert len(problems({"backend": "mock", name: "s.json", "backend_options": f"{option}=x"})) == 1
        assert resolve({"backend_options": f"{option}=x"}, {}).options_for_backend() == {option: "x"}

    def test_a_wrong_value_starts_no_false_alarm(self, here: Path) -> None:
        (here / "kiln.toml").write_text("tls_certfile = 7")
        assert problems({"tls_keyfile": "key.pem"}) == ["tls_certfile in kiln.toml must be text, not '7'"]
