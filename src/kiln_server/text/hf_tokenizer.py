"""The port's `Tokenizer` over a Hugging Face tokenizer.json. Needs the package `tokenizers`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokenizers import AddedToken
from tokenizers import Tokenizer as Library

from kiln_server.backend import TextAssets
from kiln_server.text.control_tokens import ControlToken, ControlTokens
from kiln_server.text.plain_encoder import PlainEncoder
from kiln_server.text.token_bytes import TokenDecoder
from kiln_server.text.trusted import Span


class HfTokenizer:
    """Encodes as the `tokenizers` library does, but makes control tokens only of trusted text.

    `tokenizer_json` is the text of a tokenizer.json, `config` the content of a tokenizer_config.json: its
    `added_tokens_decoder` and `eos_token` count. `eos_ids` are further ids that end an answer, as a
    generation_config.json lists them. Every added token is a control token, except ordinary ones that are only white
    space: some vocabularies keep runs of spaces there. Threads may share it.

    Raises ValueError for a tokenizer of a kind that is not supported.
    """

    def __init__(
        self, tokenizer_json: str, config: Mapping[str, Any] | None = None, *, eos_ids: Iterable[int] = ()
    ) -> None:
        config = config or {}
        self._library = _load(tokenizer_json, config)
        spec = json.loads(self._library.to_str())
        added = spec["added_tokens"]
        control = [token for token in added if not _is_space(token)]
        special = {token["id"] for token in added if token["special"]}
        self._decoder = TokenDecoder(spec["decoder"])
        self._tokens = {id_: token for token, id_ in self.vocab.items() if id_ not in special}
        self._bytes: dict[int, bytes] = {}
        self._special_ids = {token["content"]: token["id"] for token in control}
        self._control = ControlTokens(map(_control_token, added))
        self._plain = PlainEncoder(self._library, spec, {token["id"] for token in control})
        eos = self._library.token_to_id(_content(config.get("eos_token")))
        self._eos_ids = frozenset(eos_ids) | ({eos} if eos is not None else set())

    @property
    def eos_ids(self) -> frozenset[int]:
        return self._eos_ids

    @property
    def special_ids(self) -> Mapping[str, int]:
        return self._special_ids

    @property
    def leading_space(self) -> bool:
        return self._decoder.leading_space

    @property
    def vocab(self) -> dict[str, int]:
        """Every token with its id, added ones included: what a tokenizer's identity is made of."""
        return self._library.get_vocab(with_added_tokens=True)

    @property
    def json(self) -> str:
        """The tokenizer.json as the library writes it."""
        return self._library.to_str()

    def encode(self, text: str) -> list[int]:
        return self.encode_rendered(text, ())

    def encode_prompt(self, text: str) -> list[int]:
        # The library leaves out what it cannot encode; this does not.
        self.encode_rendered(text, ((0, len(text)),))
        # As a batch of one: only then does the library let other threads run meanwhile.
        (encoded,) = self._library.encode_batch_fast([text])
        return list(encoded.ids)

    def encode_rendered(self, text: str, trusted_spans: Sequence[Span]) -> list[int]:
        """Encode a text in which control tokens count only inside the trusted spans.

        Raises ValueError for text that the vocabulary cannot express.
        """
        pieces = self._control.split(text, trusted_spans)
        plain = [piece for piece in pieces if isinstance(piece, str)]
        encoded = iter(self._plain.encode(plain, at_start=bool(pieces) and isinstance(pieces[0], str)))
        ids: list[int] = []
        for piece in pieces:
            if isinstance(piece, int):
                ids.append(piece)
            else:
                ids += next(encoded)
        return ids

    def token_bytes(self, token_id: int) -> bytes:
        known = self._bytes.get(token_id)
        if known is None:
            # Decoded when first asked for: a large vocabulary takes long, and most of it is never seen.
            token = self._tokens.get(token_id)
            if token is None:
                return b""
            known = self._bytes[token_id] = self._decoder.bytes_of(token)
        return known


def text_assets(
    tokenizer_json: str, config: Mapping[str, Any], *, chat_template: str | None = None, eos_ids: Iterable[int] = ()
) -> TextAssets:
    """A model's text side, from the files beside its weights; a `chat_template` of its own overrides the config's.

    Raises ValueError as HfTokenizer does.
    """
    return TextAssets(
        tokenizer=HfTokenizer(tokenizer_json, config, eos_ids=eos_ids),
        chat_template=_configured_template(config) if chat_template is None else chat_template,
        bos_token=_content(config.get("bos_token")),
        eos_token=_content(config.get("eos_token")),
    )


def _load(tokenizer_json: str, config: Mapping[str, Any]) -> Library:
    try:
        library = Library.from_str(tokenizer_json)
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"this is no tokenizer.json that can be read: {error}") from error
    library.no_truncation()
    library.no_padding()
    for _, token in sorted(config.get("added_tokens_decoder", {}).items(), key=lambda entry: int(entry[0])):
        _add(library, token)
    return library


def _add(library: Library, token: Mapping[str, Any]) -> None:
    flags = {name: bool(token.get(name)) for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
    library.add_tokens([AddedToken(token["content"], **flags)])


def _control_token(token: Mapping[str, Any]) -> ControlToken:
    flags = {name: token[name] for name in ("lstrip", "rstrip", "single_word")}
    return ControlToken(token["content"], token["id"], **flags, anywhere=_is_space(token))


def _is_space(token: Mapping[str, Any]) -> bool:
    text: str = token["content"].replace("▁", " ")
    return text.isspace() and not token["special"]


def _content(token: Any) -> str:
    """The text of a token in a configuration: a string, an object that holds one, or null for no token."""
    return str(token["content"]) if isinstance(token, Mapping) else token or ""


def _configured_template(config: Mapping[str, Any]) -> str | None:
    """The template of a tokenizer_config.json; of several named ones, the one called default."""
    template = config.get("chat_template")
    if not isinstance(template, list):
        return template
    return next((entry["template"] for entry in template if entry["name"] == "default"), None)
