"""The certificate chain and its private key, tried before anything uses them: what is wrong is told to people."""

from __future__ import annotations

import re
import ssl
from pathlib import Path
from shlex import quote
from typing import Final, NoReturn

_CERTIFICATE: Final = re.compile(rb"-----BEGIN [A-Z0-9 ]*CERTIFICATE-----")
_PRIVATE_KEY: Final = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")


class TlsError(Exception):
    """The certificate or the key cannot be used. The message says which, why, and what to do."""


def require_usable(certfile: str, keyfile: str | None) -> None:
    """Raise TlsError unless a server can use them; without `keyfile`, `certfile` holds the key too.

    Never asks for a passphrase, as OpenSSL would: where a server starts, there is mostly nobody to type it.
    """
    certificate = f"tls_certfile ({certfile})"
    key = certificate if keyfile is None else f"tls_keyfile ({keyfile})"
    files = certificate if keyfile is None else f"{certificate} or {key}"

    def refuse() -> NoReturn:
        raise TlsError(
            f"the private key in {key} is encrypted; decrypt it, say with "
            f"`openssl pkey -in {quote(keyfile or certfile)} -out decrypted.pem`, and set tls_keyfile to the result"
        )

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certfile, keyfile, password=refuse)
    except ssl.SSLError as error:
        raise TlsError(
            _missing(certificate, certfile, key, keyfile) or _reason(error, certificate, key, files)
        ) from error
    except OSError as error:
        raise TlsError(f"cannot read {files}: {error.strerror or error}") from error


def _missing(certificate: str, certfile: str, key: str, keyfile: str | None) -> str | None:
    """What the files lack altogether. OpenSSL has the same code for all of it."""
    if not _CERTIFICATE.search(Path(certfile).read_bytes()):
        return f"{certificate} holds no certificate; give the certificate chain as PEM, the server's own first"
    if not _PRIVATE_KEY.search(Path(keyfile or certfile).read_bytes()):
        remedy = "set tls_keyfile to the file that does" if keyfile is None else "give the certificate's own as PEM"
        return f"{key} holds no private key; {remedy}"
    return None


def _reason(error: ssl.SSLError, certificate: str, key: str, files: str) -> str:
    """What is wrong with files that hold what they should."""
    if error.reason == "KEY_VALUES_MISMATCH":
        return (
            f"the private key in {key} is not that of the first certificate in {certificate}; give the two that match"
        )
    if not error.reason:
        return f"{files} cannot be read: the PEM in it is damaged; copy it or make it again"
    return f"{files} cannot be used: {error.reason.lower().replace('_', ' ')}; make the certificate and its key again"
