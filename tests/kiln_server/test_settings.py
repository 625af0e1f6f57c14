from __future__ import annotations

import pytest

from kiln_server.settings import Settings, SettingsError


class TestDefaults:
    def test_serve_this_machine_alone(self) -> None:
        assert Settings().host == "127.0.0.1"

    def test_show_nothing_that_clients_sent(self) -> None:
        settings = Settings()
        assert (settings.error_values, settings.record_bodies, settings.cors_origins) == (False, False, ())

    def test_are_frozen(self) -> None:
        with pytest.raises(AttributeError):
            Settings().port = 1  # type: ignore[misc]  # that is the point


class TestRows:
    def test_have_every_setting_once_with_its_source(self) -> None:
        rows = Settings(port=1, sources={"port": "KILN_PORT"}).rows()
        found = {row.name: (row.value, row.source) for row in rows}
        assert found["port"] == (1, "KILN_PORT")
        assert found["host"] == ("127.0.0.1", "default")
        assert len(found) == len(rows) == len(Settings.__struct_fields__) - 1
        assert "sources" not in found

    @pytest.mark.parametrize("key", ["token", "api_key", "apikey", "hf_token", "DB-PASSWORD", "auth.secret", "key"])
    def test_hide_options_that_sound_secret(self, key: str) -> None:
        rows = Settings(backend_options={key: "hunter2", "dtype": "bf16"}).rows()
        value = next(row.value for row in rows if row.name == "backend_options")
        assert value == {key: "(redacted)", "dtype": "bf16"}

    @pytest.mark.parametrize("key", ["max_tokens", "tokenizer", "keyboard", "author"])
    def test_show_options_that_only_look_like_it(self, key: str) -> None:
        rows = Settings(backend_options={key: "7"}).rows()
        assert next(row.value for row in rows if row.name == "backend_options") == {key: "7"}

    def test_hide_the_password_of_a_url(self) -> None:
        settings = Settings(model="https://me:hunter2@host/m", backend_options={"url": "http://me:hunter2@x/"})
        assert "hunter2" not in repr(settings.rows())
        assert "https://(redacted)@host/m" in repr(settings.rows())


class TestOptionsForBackend:
    def test_hold_what_is_meant_for_the_backend(self) -> None:
        settings = Settings(model="m", mock_script="s.json", backend_options={"dtype": "bf16"})
        assert settings.options_for_backend() == {"model": "m", "script": "s.json", "dtype": "bf16"}

    def test_leave_out_what_is_unset(self) -> None:
        assert Settings().options_for_backend() == {}


def test_an_error_holds_every_problem() -> None:
    error = SettingsError("one", "two")
    assert (error.problems, str(error)) == (("one", "two"), "one; two")
