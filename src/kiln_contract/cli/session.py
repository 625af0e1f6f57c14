"""Walk the files that were asked for, alone or request by response, and judge every document in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import msgspec

from kiln_contract.cli.exits import Exit
from kiln_contract.cli.judge import Options, judge, read_record, unreadable
from kiln_contract.cli.judgement import Judgement
from kiln_contract.cli.names import request_of
from kiln_contract.cli.readers import Record, Unreadable, records


def judge_files(paths: Sequence[str], options: Options) -> Iterator[Judgement]:
    """Judge every document of every file; a file without any gets a judgement of its own."""
    for path in paths:
        yield from _complete(path, _alone(path, options))


def judge_pairs(request_path: str, path: str, options: Options) -> Iterator[Judgement]:
    """Judge the requests in one file, and in the other their responses: document by document, in order."""
    return _complete(path, _paired(request_path, path, options))


def _complete(path: str, judgements: Iterator[Judgement]) -> Iterator[Judgement]:
    """Turn what cannot be read, and the absence of anything, into judgements."""
    nothing = True
    try:
        for judgement in judgements:
            nothing = False
            yield judgement
    except Unreadable as error:
        yield unreadable(error)
    else:
        if nothing:
            yield Judgement(path=path, exit=Exit.NOTHING_CHECKED)


def _alone(path: str, options: Options) -> Iterator[Judgement]:
    for record in records(path, options.form):
        yield judge(read_record(path, record, options.definition, options), options)


def _paired(request_path: str, path: str, options: Options) -> Iterator[Judgement]:
    requests, responses = records(request_path, None), records(path, options.form)
    for count, (request, response) in enumerate(zip_longest(requests, responses)):
        if request is None or response is None:
            yield _unpaired(request_path, path, request, response, count)
            return
        if None not in (request.line, response.line) and request.line != response.line:
            reason = f"has no request on this line: the next one is on line {request.line} of {request_path}"
            raise Unreadable(path, reason, response.line)
        yield from _pair(request_path, request, path, response, options)


def _pair(request_path: str, request: Record, path: str, response: Record, options: Options) -> Iterator[Judgement]:
    answer = read_record(path, response, options.definition, options)
    if answer.definition is None:  # that is said in the judgement, and leaves open what the request should be
        yield judge(answer, options)
        return
    asked_as = request_of(answer.definition)
    if asked_as is None:
        problem = f"is a {answer.definition}, which answers no request; check it without --request"
        yield judge(msgspec.structs.replace(answer, problem=problem, violations=[]), options)
        return
    asked = read_record(request_path, request, asked_as, options)
    yield judge(asked, options)
    yield judge(answer, options, asked.value if asked.is_clean else None)


def _unpaired(request_path: str, path: str, request: Record | None, response: Record | None, count: int) -> Judgement:
    """One file is at its end and the other is not. A file that never had a document was not checked at all."""
    ended, other, record = (request_path, path, response) if request is None else (path, request_path, request)
    if count == 0:
        return Judgement(path=ended, exit=Exit.NOTHING_CHECKED)
    reason = f"has no counterpart: {ended} ends after document {count}"
    return unreadable(Unreadable(other, reason, record.line if record else None))
