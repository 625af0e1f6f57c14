from __future__ import annotations

import pytest

from kiln_server.command_line import CommandParser, flags_of
from kiln_server.setting import SETTINGS

SWITCH = "{} takes no value; write --record-bodies or --no-record-bodies"


@pytest.fixture
def parser() -> CommandParser:
    parser = CommandParser("serve", "Serve.")
    parser.add_settings()
    return parser


def test_every_setting_has_a_flag_with_its_text(parser: CommandParser) -> None:
    text = " ".join(parser.format_help().split())
    for setting in SETTINGS.values():
        assert setting.flag in text
        assert setting.doc.text.split("(")[0] in text


def test_help_names_defaults_that_say_something(parser: CommandParser) -> None:
    text = " ".join(parser.format_help().split())
    assert "(default: 8000)" in text
    assert "(default: false)" in text
    assert "None" not in text


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        ([], {}),
        (["--port", "80", "--port=81"], {"port": "81"}),
        (["--record-bodies"], {"record_bodies": "true"}),
        (["--no-record-bodies"], {"record_bodies": "false"}),
        (["--no-default-thinking-enabled"], {"default_thinking_enabled": "false"}),
        (["--cors-origins", "https://a", "--cors-origins", "https://b"], {"cors_origins": "https://a,https://b"}),
        (["--backend-options", "a=1,b=2", "--backend-options", "c=3"], {"backend_options": "a=1,b=2,c=3"}),
        (["--config", "x.toml"], {}),
    ],
)
def test_flags_stay_text(parser: CommandParser, arguments: list[str], flags: dict[str, str]) -> None:
    assert flags_of(parser.read(arguments)) == flags


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prot", "1"], "unknown flag --prot; did you mean --port?"),
        (["--prot=1"], "unknown flag --prot; did you mean --port?"),
        (["--max-body", "1"], "unknown flag --max-body; did you mean --max-body-bytes?"),
        (["--zzz"], "unknown flag --zzz"),
        (["serve"], "unexpected argument 'serve'; serve takes none, and a command comes first"),
        (["--record-bodies=true"], SWITCH.format("--record-bodies")),
        (["--record-bodies="], SWITCH.format("--record-bodies")),
        (["--port", "1", "--no-record-bodies=1"], SWITCH.format("--no-record-bodies")),
        (["--help=x"], "--help takes no value; write -h or --help"),
        (["--port"], "argument --port: expected one argument"),
    ],
)
def test_a_wrong_line_ends_with_2_and_one_sentence(
    parser: CommandParser, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parser.read(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err == f"kiln-server: {message} (kiln-server serve --help)\n"


@pytest.mark.parametrize(
    ("takes", "usage", "message"),
    [
        ("", "kiln-server models [FLAG]…", "models takes none"),
        ("TEXT", "kiln-server models [FLAG]… TEXT", "models takes one, TEXT: put quotes around it"),
    ],
)
def test_an_argument_too_many_is_told_by_what_the_command_takes(
    takes: str, usage: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = CommandParser("models", "List.", takes=takes)
    if takes:
        parser.add_argument("text", metavar=takes)
    assert parser.format_usage() == f"usage: {usage}\n"
    with pytest.raises(SystemExit, match="2"):
        parser.read(["a", "b"])
    assert f"; {message} (" in capsys.readouterr().err
