"""The command line: arguments in, an exit code out. Whatever is heavy is imported by the command that needs it."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Final

import kiln_contract
from kiln_contract.cli import commands
from kiln_contract.cli.exits import Exit
from kiln_contract.cli.names import UsageError
from kiln_contract.errors import DEFAULT_MAX_ERRORS

EXIT_CODES: Final = """\
exit codes:
  0  every document conforms
  1  a document breaks the contract, whatever else could not be read
  2  the command line is wrong
  3  a document could not be read: no such file, not JSON, too large, no counterpart
  4  nothing was checked: no file, or an empty one
"""

VERSION: Final = f"""\
kiln-contract {kiln_contract.__version__}
kiln-inference-v1 sha256 {kiln_contract.SCHEMA_SHA256}
thinking-budget-v1 sha256 {kiln_contract.THINKING_BUDGET_SCHEMA_SHA256}"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with `argv` (by default the process's arguments) and return its exit code.

    Wrong arguments, --help and --version raise SystemExit with theirs, as argparse does.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    run: Callable[[Namespace], Exit] = arguments.run
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a name must not fail for want of a character
        code = run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        parser.error(str(error))
    except OSError as error:
        return _unwritable(error)
    except KeyboardInterrupt:
        return 128 + 2  # as a shell reports SIGINT
    return code


def _unwritable(error: OSError) -> Exit:
    """The report did not reach its reader, so the verdict did not either."""
    # What is still buffered must not fail a second time while the interpreter ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if sys.stderr is not None and not isinstance(error, BrokenPipeError):
        sys.stderr.write(f"kiln-contract: {error}\n")
    return Exit.UNREADABLE


class _Help(RawDescriptionHelpFormatter):
    """Help of one width everywhere. (Asking the terminal loads archive codecs, at every start.)"""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="kiln-contract",
        description="Check recorded requests, responses and event streams against the inference contract.",
        epilog=EXIT_CODES,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", action="version", version=VERSION, help="print the version and the schemas' sha256"
    )
    subparsers = parser.add_subparsers(prog="kiln-contract", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Namespace], Exit], text: str, epilog: str = "") -> ArgumentParser:
        made: ArgumentParser = subparsers.add_parser(
            name, help=text, description=text, epilog=epilog, formatter_class=_Help, allow_abbrev=False
        )
        made.set_defaults(run=run)
        return made

    _validate(command("validate", commands.validate, "check documents and say what is wrong with them", EXIT_CODES))
    _schema(command("schema", commands.schema, "print the JSON Schema of one definition, or the whole file"))
    _explain(command("explain", commands.explain, "say what a rule asks for, or list all rules"))
    _vectors(command("vectors", commands.vectors, "print a definition's test vectors, one JSON object a line"))
    return parser


def _validate(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="what to check; - is standard input")
    add(
        "--as",
        dest="definition",
        metavar="NAME",
        help="the definition to check against (default: by the object member)",
    )
    add("--input", choices=("auto", "json", "jsonl", "sse"), default="auto", help="default: by extension, then content")
    add("--request", metavar="FILE", help="the request (or, by line, the requests) that FILE answers")
    add("--format", choices=("text", "json"), default="text", help="for people, or for programs")
    add(
        "--max-errors",
        type=_positive,
        default=DEFAULT_MAX_ERRORS,
        metavar="N",
        help="a document (default: %(default)s)",
    )
    add("--no-semantics", dest="semantics", action="store_false", help="check the JSON Schema rules alone")
    add("--show-values", action="store_true", help="show shortened values of the document, such as prompts")


def _schema(parser: ArgumentParser) -> None:
    either = parser.add_mutually_exclusive_group()
    either.add_argument("name", nargs="?", metavar="NAME", help="a definition, such as Usage")
    either.add_argument("--list", action="store_true", dest="names", help="list the names of all definitions")


def _explain(parser: ArgumentParser) -> None:
    parser.add_argument("rule", nargs="?", metavar="RULE", help="a rule's id, such as usage.total")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="for people, or for programs")


def _vectors(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a definition, such as Usage")
    parser.add_argument("--refused", action="store_true", help="the documents to refuse, with the rules they break")
    parser.add_argument("--expand", action="store_true", help="write out the documents that are stored as recipes")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        shown = text if len(text) <= 20 else text[:20] + "…"
        raise ArgumentTypeError(f"must be a whole number from 1 to 999999999, got {shown!r}")
    return int(text)
