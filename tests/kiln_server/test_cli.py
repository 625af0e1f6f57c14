from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx2
import pytest

import kiln_contract
from kiln_server import cli, registry
from kiln_server.backend import Backend, Progress
from kiln_server.backends.mock import MockBackend
from kiln_server.cli import main
from tests.kiln_server.running import PATIENCE_S, ROOT, Running

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
    "PYTHONUNBUFFERED": "",
}


def run(words: list[str], cwd: Path, stdout: int, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "kiln_server", *words],
        cwd=cwd,
        env={**ENVIRONMENT, **variables},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestConfig:
    def test_prints_a_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["config", "--port", "1"]) == 0
        assert "port 1 --port" in [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    def test_shows_the_file_of_the_working_directory(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (here / "kiln.toml").write_text("port = 1")
        assert main(["config", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["port"] == {"value": 1, "source": "kiln.toml"}

    def test_prints_a_file_that_sets_the_same(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        main(["config", "--format", "toml", "--port", "1"])
        (here / "again.toml").write_text(capsys.readouterr().out)
        main(["config", "--format", "json", "--config", "again.toml"])
        assert json.loads(capsys.readouterr().out)["port"] == {"value": 1, "source": "again.toml"}

    def test_complains_in_a_line_a_problem(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("KILN_PROT", "1")
        assert main(["config", "--log-level", "loud"]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.splitlines() == [
            "kiln-server: KILN_PROT is no setting of this server; did you mean KILN_PORT?",
            "kiln-server: --log-level must be one of debug, info, warning, error, not 'loud'",
        ]

    def test_needs_nothing_of_the_server(self) -> None:
        code = "import sys; from kiln_server.cli import main; main(['config']); print(*sys.modules, file=sys.stderr)"
        ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        modules = ended.stderr
        assert "kiln_server.cli" in modules
        assert not {"uvicorn", "starlette", "rich", "structlog", "anyio"} & set(modules.split())


class TestBackends:
    def test_are_listed(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["backends"]) == 0
        assert {"mock", "replay"} <= set(capsys.readouterr().out.split())

    def test_take_no_arguments(self) -> None:
        with pytest.raises(SystemExit, match="2"):
            main(["backends", "--port", "1"])


class TestCommands:
    def test_an_unknown_one_gets_a_suggestion(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["confg"]) == 2
        assert capsys.readouterr().err == "kiln-server: there is no command confg; did you mean config?\n"

    def test_an_unknown_one_that_looks_like_none(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["zzz"]) == 2
        assert capsys.readouterr().err == "kiln-server: there is no command zzz; see --help\n"

    @pytest.mark.parametrize("words", [[], ["serve"]])
    def test_none_means_serve(self, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[Sequence[str]] = []

        def serve(argv: Sequence[str]) -> int:
            seen.append(argv)
            return 7

        monkeypatch.setitem(cli.COMMANDS, "serve", serve)
        assert main([*words, "--port", "1"]) == 7
        assert seen == [["--port", "1"]]

    def test_help_names_commands_and_exit_codes(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit, match="0"):
            main(["--help"])
        text = capsys.readouterr().out
        assert all(f"\n  {name} " in text for name in cli.COMMANDS)
        assert "exit codes:" in text

    def test_version(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit, match="0"):
            main(["--version"])
        assert capsys.readouterr().out == f"kiln-server {kiln_contract.__version__}\n"


class TestMissingPackage:
    def fail(self, name: str | None, monkeypatch: pytest.MonkeyPatch) -> int:
        def command(_: Sequence[str]) -> int:
            raise ModuleNotFoundError("missing", name=name)

        monkeypatch.setitem(cli.COMMANDS, "serve", command)
        return main([])

    def test_is_told_with_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.fail("uvicorn", monkeypatch) == 1
        assert "uvicorn is missing; try pip install 'kiln-inference[server]'" in capsys.readouterr().err

    @pytest.mark.parametrize("name", ["kiln_server.nothing", None])
    def test_a_fault_of_ours_stays_one(self, name: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ModuleNotFoundError):
            self.fail(name, monkeypatch)


class TestReaderThatLeft:
    """Of standard output; a shell reports such an end as 128 + SIGPIPE."""

    COMMANDS = (["config"], ["backends"], ["models"], ["generate", "--backend", "mock", "hello"])

    @pytest.mark.parametrize("words", [*COMMANDS, ["--help"], ["--version"]])
    def test_is_no_fault(self, words: list[str], here: Path) -> None:
        self.check(words, here)

    @pytest.mark.parametrize("words", COMMANDS)
    def test_is_none_where_nothing_is_buffered(self, words: list[str], here: Path) -> None:
        self.check(words, here, PYTHONUNBUFFERED="1")

    def check(self, words: list[str], here: Path, **variables: str) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            ended = run(words, here, stdout=writer, **variables)
        finally:
            os.close(writer)
        assert (ended.returncode, ended.stderr) == (128 + signal.SIGPIPE, "")

    def test_an_output_that_was_never_open_hides_no_message(self) -> None:
        code = "import sys; sys.stdout = None; from kiln_server.cli import main; sys.exit(main(['config', '--port=x']))"
        ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
        assert ended.returncode == 2
        assert ended.stderr == "kiln-server: --port must be a whole number from 0 to 65535, not 'x'\n"


class TestInterrupt:
    def test_ends_an_answer_quietly(self, here: Path) -> None:
        (here / "script.json").write_text(json.dumps({"answers": [["a"] * 1000], "delay_ms": 50}))
        words = ["generate", "--backend", "mock", "--mock-script", "script.json", "x"]
        command, pipe = [sys.executable, "-m", "kiln_server", *words], subprocess.PIPE
        with subprocess.Popen(command, cwd=here, env=ENVIRONMENT, text=True, stdout=pipe, stderr=pipe) as process:
            assert process.stdout is not None
            assert process.stdout.read(1) == "a"
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, told) == (128 + signal.SIGINT, "")

    def test_does_not_wait_for_a_thread_that_loads(self, here: Path) -> None:
        code = """
import os, signal, threading, time
from kiln_server import cli
def command(_):
    threading.Thread(target=time.sleep, args=(60,)).start()
    print("written", end="")
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
cli.COMMANDS["serve"] = command
cli.main([])
"""
        ended = subprocess.run(
            [sys.executable, "-c", code], cwd=here, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE_S
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (128 + signal.SIGINT, "written", "")


class TestFaultOfABackend:
    """One that no BackendError tells of."""

    class InStart(MockBackend):
        async def start(self, progress: Callable[[Progress], None]) -> None:  # noqa: ARG002 - the port's
            raise ZeroDivisionError("layers")

    class InClose(MockBackend):
        async def close(self) -> None:
            raise ZeroDivisionError("layers")

    class InMaking(MockBackend):
        def __init__(self) -> None:
            raise ZeroDivisionError("layers")

    class Lacking(MockBackend):
        async def start(self, progress: Callable[[Progress], None]) -> None:  # noqa: ARG002 - the port's
            raise ModuleNotFoundError("missing", name="numbers_of_others")

    def generate(self, kind: Callable[[], Backend], monkeypatch: pytest.MonkeyPatch) -> int:
        monkeypatch.setattr(registry, "create_backend", lambda *_: kind())
        return main(["generate", "--backend", "mock", "--log-format", "json", "hello"])

    @pytest.mark.parametrize("kind", [InStart, InClose, InMaking])
    def test_is_told_in_words(
        self, kind: Callable[[], Backend], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.generate(kind, monkeypatch) == 1
        logged, told = capsys.readouterr().err.splitlines()[-2:]
        assert json.loads(logged)["exception"] == "ZeroDivisionError"
        assert told.startswith("kiln-server: no answer, by a fault of the backend mock or of this program: ")
        assert told.endswith("ZeroDivisionError('layers')")

    def test_a_missing_package_is_told_as_one(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.generate(self.Lacking, monkeypatch) == 1
        assert "the package numbers_of_others is missing" in capsys.readouterr().err


class TestServe:
    def test_plays_a_script_with_settings_of_every_source(self, here: Path) -> None:
        (here / "script.json").write_text(json.dumps({"answers": [["scripted"]]}))
        (here / "kiln.toml").write_text('served_model_id = "from-file"')
        flags = ("--backend", "mock", "--mock-script", "script.json")
        with Running("kiln_server", *flags, cwd=here, KILN_PORT="0") as server:
            address = server.address()
            server.event("ready")
            request = {"messages": [{"role": "user", "content": "Hi"}]}
            reply = httpx2.post(f"{address}/v1/chat/completions", json=request).json()
            assert reply["choices"][0]["message"]["content"] == "scripted"
            assert reply["model"] == "from-file"
            shown = httpx2.get(f"{address}/v1/config").json()["settings"]
            sources = {shown[name]["source"] for name in ("mock_script", "port", "served_model_id", "host")}
            assert sources == {"--mock-script", "KILN_PORT", "kiln.toml", "default"}
            server.send(signal.SIGTERM)
            assert server.end() == 0

    @pytest.mark.parametrize(
        ("flags", "message"),
        [
            (["--backend", "mokc"], "did you mean 'mock'?"),
            (["--backend", "mock", "--backend-options", "sript=x"], "did you mean 'script'?"),
            (["--backend-options", "dtpe=x"], "did you mean 'dtype'?"),
            (["--port", "x"], "--port must be a whole number"),
        ],
    )
    def test_wrong_settings_end_with_2(
        self, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(flags) == 2
        assert message in capsys.readouterr().err

    def test_wrong_keys_end_with_2(self, here: Path) -> None:
        (here / "keys").touch()
        with Running("kiln_server", "--api-keys-file", "keys", cwd=here) as server:
            assert server.end() == 2
            assert "api_keys_file keys: holds no key" in server.lines[-1]
