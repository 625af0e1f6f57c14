"""The command `kiln-server`: arguments in, an exit code out. Whatever is heavy waits for the command that needs it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import kiln_contract
from kiln_server.command_line import DEFAULT_COMMAND, PROGRAM, CommandParser, flags_of
from kiln_server.resolution import resolve
from kiln_server.setting import suggestion
from kiln_server.settings import DEFAULT_SOURCE, SettingsError

if TYPE_CHECKING:
    from kiln_server.backend import Backend
    from kiln_server.lifecycle import Lifecycle
    from kiln_server.settings import Settings

_EPILOG: Final = """\
commands:
  serve      serve requests (without a command too)
  generate   answer one question on the terminal: kiln-server generate "What is the capital of France?"
  models     list the models that are found on this machine
  config     print the settings in force, each with the source that set it
  backends   list what can compute tokens

A setting comes from its flag, else from its variable (--max-body-bytes is KILN_MAX_BODY_BYTES), else from the
TOML file (max_body_bytes), else it has its default. Lists are ITEM,ITEM and tables KEY=VALUE,KEY=VALUE.

exit codes:
  0  asked to stop, and did
  1  could not start: the address, the certificate or the backend
  2  the command line or the settings are wrong
  130  interrupted, by Ctrl-C say, before it served or while it answered
  141  whoever read the output went away
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with `argv` (by default the process's arguments) and return its exit code.

    A wrong command line, --help and --version raise SystemExit with theirs, as argparse does. An interrupt ends the
    process at once.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(words)
    except KeyboardInterrupt:
        # Not by returning: the interpreter would wait for a thread that goes on loading, and that takes minutes.
        os._exit(128 + signal.SIGINT)
    except BrokenPipeError:
        # What is still buffered must not fail a second time while the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 128 + signal.SIGPIPE


def _run(words: list[str]) -> int:
    name = words.pop(0) if words and not words[0].startswith("-") else DEFAULT_COMMAND
    if name not in COMMANDS:
        return _complain(2, f"there is no command {name}{suggestion(name, list(COMMANDS)) or '; see --help'}")
    try:
        return COMMANDS[name](words)
    except SettingsError as error:
        return _complain(2, *error.problems)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("kiln_"):
            raise  # a fault of ours
        return _complain(1, f"the package {error.name} is missing; try pip install 'kiln-inference[server]'")
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def serve(argv: Sequence[str]) -> int:
    """Serve until a signal comes."""
    parser = CommandParser("serve", "Serve the inference API.", _EPILOG)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {kiln_contract.__version__}")
    parser.add_settings()
    arguments = parser.read(argv)
    settings = resolve(flags_of(arguments), config=arguments.config)

    from kiln_server.backend import BackendError
    from kiln_server.logs import configure_logs
    from kiln_server.process import run
    from kiln_server.registry import create_backend

    configure_logs(settings.log_format, settings.log_level, sys.stderr)
    try:
        backend = create_backend(settings.backend, settings.options_for_backend())
    except BackendError as error:
        return _complain(2, str(error))
    return run(settings, backend, _make_app)


def config(argv: Sequence[str]) -> int:
    """Print the settings that `serve` would have with the same arguments."""
    from kiln_server.config_report import FORMATS

    parser = CommandParser("config", "Print the settings in force, each with the source that set it.")
    parser.add_argument("--format", choices=FORMATS, default="table", help="for people, or for programs")
    parser.add_settings()
    arguments = parser.read(argv)
    settings = resolve(flags_of(arguments), config=arguments.config)
    sys.stdout.write(FORMATS[arguments.format](settings))
    return 0


def backends(argv: Sequence[str]) -> int:
    """List the registered backends."""
    from kiln_server.registry import backend_names

    CommandParser("backends", "List what can compute tokens; --backend takes one of them.").read(argv)
    sys.stdout.writelines(f"{name}\n" for name in backend_names())
    return 0


def generate(argv: Sequence[str]) -> int:
    """Answer one question, without a server."""
    description = "Give the likeliest answer on standard output; thinking goes to standard error."
    parser = CommandParser("generate", description, takes="TEXT")
    parser.add_argument("text", metavar="TEXT", help="what to ask")
    parser.add_settings()
    arguments = parser.read(argv)
    settings = resolve(flags_of(arguments), config=arguments.config)

    import structlog

    from kiln_server.backend import BackendError
    from kiln_server.logs import configure_logs
    from kiln_server.one_answer import answer
    from kiln_server.registry import create_backend

    # What a server tells in passing would stand between question and answer.
    level = "warning" if settings.source("log_level") == DEFAULT_SOURCE else settings.log_level
    configure_logs(settings.log_format, level, sys.stderr)
    try:
        return answer(settings, create_backend(settings.backend, settings.options_for_backend()), arguments.text)
    except BackendError as error:
        return _complain(1, str(error))
    except (BrokenPipeError, ModuleNotFoundError):
        raise  # no fault; `main` has words for it
    except Exception as error:
        structlog.get_logger(__name__).error("generate_failed", exc_info=error)
        return _complain(1, f"no answer, by a fault of the backend {settings.backend} or of this program: {error!r}")


def models(argv: Sequence[str]) -> int:
    """List the models that `--model` can name."""
    from kiln_server.backend import BackendError
    from kiln_server.model_list import write_models
    from kiln_server.registry import offers

    CommandParser("models", "List the models found on this machine; --model takes one of them.").read(argv)
    try:
        write_models(offers(), sys.stdout)
    except BackendError as error:
        return _complain(1, str(error))
    return 0


COMMANDS: Final[dict[str, Callable[[Sequence[str]], int]]] = {
    "serve": serve,
    "generate": generate,
    "models": models,
    "config": config,
    "backends": backends,
}


def _make_app(settings: Settings, backend: Backend, lifecycle: Lifecycle) -> Any:
    from kiln_server.app import create_app
    from kiln_server.service import Service

    return create_app(Service.create(settings, backend, lifecycle))


def _complain(code: int, *problems: str) -> int:
    sys.stderr.writelines(f"{PROGRAM}: {problem}\n" for problem in problems)
    return code
