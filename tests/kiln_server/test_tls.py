"""Certificates and keys that a server cannot use, each told in words that say what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from kiln_server.tls import TlsError, require_usable

DAMAGED = "-----BEGIN {0}-----\nAAAA\n-----END {0}-----\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with files of every kind."""
    monkeypatch.chdir(tmp_path)
    authority = trustme.CA()
    one, other = authority.issue_cert("one"), authority.issue_cert("other")
    one.cert_chain_pems[0].write_to_path("cert.pem")
    one.private_key_pem.write_to_path("key.pem")
    one.private_key_and_cert_chain_pem.write_to_path("both.pem")
    other.private_key_pem.write_to_path("other.pem")
    key = load_pem_private_key(one.private_key_pem.bytes(), None)
    for name, form in (("pkcs8.pem", PrivateFormat.PKCS8), ("traditional.pem", PrivateFormat.TraditionalOpenSSL)):
        Path(name).write_bytes(key.private_bytes(Encoding.PEM, form, BestAvailableEncryption(b"secret")))
    Path("sealed.pem").write_bytes(Path("pkcs8.pem").read_bytes() + Path("cert.pem").read_bytes())
    Path("junk.pem").write_bytes(b"\xff\xfe junk")
    Path("broken-cert.pem").write_text(DAMAGED.format("CERTIFICATE"))
    Path("broken-key.pem").write_text(DAMAGED.format("PRIVATE KEY"))
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("certfile", "keyfile"), [("both.pem", None), ("cert.pem", "key.pem")])
def test_a_pair_can_be_used(certfile: str, keyfile: str | None) -> None:
    require_usable(certfile, keyfile)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("certfile", "keyfile", "wrong", "remedy"),
    [
        ("cert.pem", "pkcs8.pem", "tls_keyfile (pkcs8.pem) is encrypted", "openssl pkey -in pkcs8.pem"),
        ("cert.pem", "traditional.pem", "tls_keyfile (traditional.pem) is encrypted", "set tls_keyfile to the result"),
        ("sealed.pem", None, "tls_certfile (sealed.pem) is encrypted", "openssl pkey -in sealed.pem"),
        ("cert.pem", None, "tls_certfile (cert.pem) holds no private key", "set tls_keyfile"),
        ("cert.pem", "junk.pem", "tls_keyfile (junk.pem) holds no private key", "as PEM"),
        ("key.pem", None, "tls_certfile (key.pem) holds no certificate", "as PEM"),
        ("junk.pem", "key.pem", "tls_certfile (junk.pem) holds no certificate", "as PEM"),
        ("key.pem", "cert.pem", "tls_certfile (key.pem) holds no certificate", "as PEM"),
        ("cert.pem", "other.pem", "tls_keyfile (other.pem) is not that of the first certificate", "match"),
        ("broken-cert.pem", "key.pem", "tls_certfile (broken-cert.pem) or tls_keyfile (key.pem)", "make it again"),
        ("cert.pem", "broken-key.pem", "tls_certfile (cert.pem) or tls_keyfile (broken-key.pem)", "make it again"),
        ("none.pem", None, "cannot read tls_certfile (none.pem)", "No such file"),
    ],
)
def test_anything_else_is_told_to_people(certfile: str, keyfile: str | None, wrong: str, remedy: str) -> None:
    with pytest.raises(TlsError) as caught:
        require_usable(certfile, keyfile)
    message = str(caught.value)
    assert wrong in message
    assert remedy in message
    assert not [word for word in ("None", "_ssl.c", "[SSL]", "PEM lib") if word in message]
