"""API keys: read from a file, kept as digests, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, get_args

import structlog

from kiln_server.edge.exchange import Access
from kiln_server.private_file import warn_if_shared
from kiln_server.settings import SettingsError

log = structlog.get_logger("kiln_server.keys")

ACCESS: Final[tuple[Access, ...]] = get_args(Access)

_KEY: Final = re.compile(r"[!-~]+")
"""What a header carries unharmed: visible ASCII."""


class KeyRing:
    """The keys of a server and what each allows. The keys themselves are not kept."""

    def __init__(self, keys: Mapping[str, Access]) -> None:
        self._digests = [(_digest(key.encode()), access) for key, access in keys.items()]

    def access(self, credential: bytes) -> Access | None:
        """What a credential allows, or None when it is no key of this server.

        Takes the same time for every credential of a length: each key is compared, none ends the search.
        """
        digest = _digest(credential)
        found: Access | None = None
        for known, access in self._digests:
            if hmac.compare_digest(known, digest):
                found = access
        return found


def load_keys(path: str) -> KeyRing:
    """Read a file of keys, one a line: the key, or `admin` or `use` and the key. `#` begins a comment.

    A key without a word allows use. Warns when others than the owner may read the file. Raises SettingsError with every
    problem, and never repeats a key.
    """
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SettingsError(f"api_keys_file {path}: cannot be read ({reason})") from None
    keys = _parse(path, text.splitlines())
    warn_if_shared(log, "keys_readable_by_others", path)
    return KeyRing(keys)


def _parse(path: str, lines: Iterable[str]) -> dict[str, Access]:
    keys: dict[str, Access] = {}
    problems = []
    for number, line in enumerate(lines, start=1):
        words = _words(line)
        if not words:
            continue
        access, key = ("use", words[0]) if len(words) == 1 else (words[0], words[1])
        if problem := _problem(words, access, key, keys):
            problems.append(f"api_keys_file {path}, line {number}: {problem}")
        elif access in ACCESS:
            keys[key] = access
    if not keys and not problems:
        problems.append(f"api_keys_file {path}: holds no key; add one, or leave the setting out to let every client in")
    if problems:
        raise SettingsError(*problems)
    return keys


def _words(line: str) -> list[str]:
    """The words of a line up to a comment."""
    words = line.split()
    comment = next((index for index, word in enumerate(words) if word.startswith("#")), len(words))
    return words[:comment]


def _problem(words: list[str], access: str, key: str, keys: Mapping[str, Access]) -> str | None:
    if len(words) > 2 or access not in ACCESS:
        return "write a key alone, or `use` or `admin` and a key"
    if key in ACCESS:
        return f"the key after `{key}` is missing"
    if not _KEY.fullmatch(key):
        return "a key may hold visible ASCII characters only"
    return "this key is given twice" if key in keys else None


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
