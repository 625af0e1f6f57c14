"""What each command does with its arguments."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from kiln_contract.cli.exits import Exit
from kiln_contract.cli.names import STREAM, UsageError, definition, request_of
from kiln_contract.cli.readers import STDIN

if TYPE_CHECKING:
    from kiln_contract.cli.report import Report


def validate(arguments: Namespace) -> Exit:
    """Check files. Raises UsageError when the options do not go together."""
    from kiln_contract.cli.judge import Options
    from kiln_contract.cli.report import print_report
    from kiln_contract.cli.session import judge_files, judge_pairs

    _check_options(arguments)
    options = Options(
        definition=arguments.definition,
        form=None if arguments.input == "auto" else arguments.input,
        semantics=arguments.semantics,
        max_errors=arguments.max_errors,
        show_values=arguments.show_values,
    )
    if arguments.request is None:
        judgements = judge_files(arguments.files, options)
    else:
        judgements = judge_pairs(arguments.request, arguments.files[0], options)
    return print_report(judgements, _report(arguments))


def schema(arguments: Namespace) -> Exit:
    """Print a schema, or the names of all definitions. The whole file is printed byte for byte."""
    from kiln_contract._generated.structs import DEFINITIONS
    from kiln_contract.schema import INFERENCE, schema_bytes
    from kiln_contract.schema import schema as schema_of

    if arguments.names:
        sys.stdout.writelines(f"{name}\n" for name in DEFINITIONS)
    elif arguments.name is None:
        sys.stdout.buffer.write(schema_bytes(INFERENCE))
    else:
        _print_json(schema_of(definition(arguments.name)), indent=2)
    return Exit.CONFORMS


def explain(arguments: Namespace) -> Exit:
    """Print one rule, or all of them."""
    import msgspec

    from kiln_contract.cli import explain as rules

    found = rules.every_rule() if arguments.rule is None else [rules.explain(arguments.rule)]
    if arguments.format == "json":
        plain = [msgspec.to_builtins(rule) for rule in found]
        _print_json(plain if arguments.rule is None else plain[0], indent=2)
    else:
        lines = rules.index(found) if arguments.rule is None else rules.page(found[0])
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return Exit.CONFORMS


def vectors(arguments: Namespace) -> Exit:
    """Print a definition's accepted vectors, or the refused ones, one JSON object a line. None at all is no success."""
    from kiln_contract.vectors import vectors as vectors_of

    name = definition(arguments.name)
    chosen = [vector for vector in vectors_of(name) if vector.accepted is not arguments.refused]
    for vector in chosen:
        line = {"constraints": vector.constraints, **vector.stored}
        if arguments.expand and line.pop("recipe", None):
            line["document"] = vector.document
        _print_json(line)
    if not chosen:
        sys.stderr.write(f"kiln-contract: {name} has no {'refused' if arguments.refused else 'accepted'} vectors\n")
    return Exit.CONFORMS if chosen else Exit.NOTHING_CHECKED


def _check_options(arguments: Namespace) -> None:
    """Refuse what does not go together before anything is read, so that no verdict rests on a misunderstanding."""
    if arguments.definition is not None:
        definition(arguments.definition)
        if arguments.input == "sse" and arguments.definition != STREAM:
            raise UsageError(f"an event stream is checked --as {STREAM}, not {arguments.definition}")
    if [*arguments.files, arguments.request].count(STDIN) > 1:
        raise UsageError("standard input can be read once only; name one file '-'")
    if arguments.request is not None:
        _check_request(arguments)


def _check_request(arguments: Namespace) -> None:
    if len(arguments.files) != 1:
        raise UsageError(f"--request goes with one FILE, not with {len(arguments.files)}")
    if arguments.definition is not None and request_of(arguments.definition) is None:
        raise UsageError(f"{arguments.definition} answers no request; leave --request out")
    if not arguments.semantics:
        raise UsageError("--request adds semantic rules; leave it or --no-semantics out")


def _report(arguments: Namespace) -> Report:
    if arguments.format == "json":
        from kiln_contract.cli.json_report import JsonReport

        return JsonReport(sys.stdout, semantics=arguments.semantics)
    from kiln_contract.cli.style import Style, wants_colour
    from kiln_contract.cli.text_report import TextReport

    style = Style(colour=wants_colour(sys.stdout))
    return TextReport(sys.stdout, style, semantics=arguments.semantics, show_values=arguments.show_values)


def _print_json(value: Any, *, indent: int | None = None) -> None:
    sys.stdout.write(json.dumps(value, indent=indent) + "\n")
