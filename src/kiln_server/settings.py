"""What an operator can set: one frozen type, whose fields say everything that help, documentation and errors repeat.

Each field carries its range (`msgspec.Meta`) and its text (`Doc`); `setting.py` reads both, so that no option is
described a second time. `resolution.py` fills this type from flags, environment and file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args, get_type_hints

from msgspec import Meta, Struct

DEFAULT_SOURCE: Final = "default"
REDACTED: Final = "(redacted)"

_ADDRESS: Final = "Address"
_MODEL: Final = "Model"
_ENGINE: Final = "Engine (for the backend `engine`; unset, it decides by itself)"
_LIMITS: Final = "Limits"
_DEADLINES: Final = "Deadlines"
_ANSWERS: Final = "Defaults of answers"
_REPORTS: Final = "What is reported"

Port = Annotated[int, Meta(ge=0, le=65_535)]
Count = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Budget = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Name = Annotated[str, Meta(min_length=1)]
Origin = Annotated[str, Meta(pattern=r"\A(\*|https?://[^/\s]+)\Z", description="`*` or an origin, scheme://host:port")]

_SECRET_WORD: Final = re.compile(
    r"(\A|[_.-])(api_?key|key|token|secret|password|passwd|passphrase|credentials?|auth|authorization)(\Z|[_.-])",
    re.IGNORECASE,
)
_USERINFO: Final = re.compile(r"://[^/@\s]+@")


class Doc(NamedTuple):
    """What people read about a setting, and whether it names a file that must be there."""

    group: str
    text: str
    file: bool = False


class SettingsError(Exception):
    """What is wrong with the settings, one sentence a problem; each says where it was set and what to do."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Row(NamedTuple):
    """One setting as it may be shown: its value without secrets, and the source that set it."""

    name: str
    value: Any
    source: str


class Settings(Struct, frozen=True, kw_only=True):
    """Everything that is set for one run of the server. Made by `resolution.resolve`; tests may make their own."""

    host: Annotated[Name, Doc(_ADDRESS, "Address or name to listen on; 0.0.0.0 or :: for every address.")] = "127.0.0.1"
    port: Annotated[Port, Doc(_ADDRESS, "TCP port to listen on; 0 takes a free one.")] = 8000
    tls_certfile: Annotated[
        Name | None, Doc(_ADDRESS, "PEM file with the certificate chain; turns HTTPS on.", file=True)
    ] = None
    tls_keyfile: Annotated[
        Name | None, Doc(_ADDRESS, "PEM file with the private key, when tls_certfile does not hold it.", file=True)
    ] = None
    api_keys_file: Annotated[
        Name | None, Doc(_ADDRESS, "File of API keys; without it every client is let in.", file=True)
    ] = None
    cors_origins: Annotated[
        tuple[Origin, ...], Doc(_ADDRESS, "Web origins whose pages may call this server; empty turns CORS off.")
    ] = ()

    backend: Annotated[Name, Doc(_MODEL, "What computes tokens; `kiln-server backends` lists the choices.")] = "engine"
    model: Annotated[
        Name | None,
        Doc(_MODEL, "Model to load: a name that `kiln-server models` lists, a folder, or a GGUF file."),
    ] = None
    served_model_id: Annotated[Name | None, Doc(_MODEL, "Model id that clients see; unset, the backend's own.")] = None
    backend_options: Annotated[dict[Name, str], Doc(_MODEL, "Further options of the backend, KEY=VALUE each.")] = {}
    mock_script: Annotated[
        Name | None, Doc(_MODEL, "JSON file that the mock backend plays; only for that backend.", file=True)
    ] = None

    device: Annotated[Name | None, Doc(_ENGINE, "Where to compute: auto, cpu, cuda or cuda:N.")] = None
    dtype: Annotated[Name | None, Doc(_ENGINE, "Number format of weights and cache: auto, float32 or bfloat16.")] = None
    kernels: Annotated[Name | None, Doc(_ENGINE, "Implementation of the numeric core: auto, or a name.")] = None
    kv_cache_memory: Annotated[Name | None, Doc(_ENGINE, "Memory of the key-value cache, such as 2GiB.")] = None
    max_model_len: Annotated[
        Count | None, Doc(_ENGINE, "Longest context in tokens; never more than the model and the cache allow.")
    ] = None
    max_num_seqs: Annotated[Count | None, Doc(_ENGINE, "Answers computed side by side; 64 by default.")] = None
    block_size: Annotated[Count | None, Doc(_ENGINE, "Positions in a block of the cache; 16 by default.")] = None
    prefix_cache: Annotated[bool | None, Doc(_ENGINE, "Reuse what prompts have in common; on by default.")] = None
    threads: Annotated[Count | None, Doc(_ENGINE, "CPU threads to compute with; all cores by default.")] = None
    prefill_chunk: Annotated[
        Count | None,
        Doc(_ENGINE, "Prompt tokens in a step while answers run; by default what max_step_ms leaves time for."),
    ] = None
    max_step_ms: Annotated[
        Annotated[float, Meta(gt=0, le=60_000)] | None,
        Doc(_ENGINE, "Longest step while answers run, in milliseconds; 200 by default."),
    ] = None

    max_body_bytes: Annotated[
        Annotated[int, Meta(ge=1_024, le=1_073_741_824)], Doc(_LIMITS, "Largest request body, in bytes.")
    ] = 8 * 1024 * 1024
    max_running_requests: Annotated[Count, Doc(_LIMITS, "Requests that run at once; others wait.")] = 64
    max_waiting_requests: Annotated[
        Annotated[int, Meta(ge=0, le=1_000_000_000)],
        Doc(_LIMITS, "Requests that may wait for a place; more are answered 429."),
    ] = 256
    max_waiting_tokens: Annotated[
        Count, Doc(_LIMITS, "Prompt tokens of all waiting requests together; more are answered 429.")
    ] = 1_000_000

    queue_timeout_s: Annotated[Seconds, Doc(_DEADLINES, "Longest wait for a place, in seconds; then 503.")] = 60.0
    request_timeout_s: Annotated[Seconds, Doc(_DEADLINES, "Longest work on one request, in seconds.")] = 600.0
    stall_timeout_s: Annotated[
        Seconds, Doc(_DEADLINES, "Longest pause between two tokens of a running answer, in seconds.")
    ] = 120.0
    drain_timeout_s: Annotated[
        Annotated[float, Meta(ge=0, le=86_400)],
        Doc(_DEADLINES, "Time that running requests get to finish after SIGTERM, in seconds."),
    ] = 30.0
    header_timeout_s: Annotated[
        Seconds, Doc(_DEADLINES, "Time for a client to send a request's head, in seconds; then it is cut off.")
    ] = 10.0
    body_stall_timeout_s: Annotated[
        Seconds, Doc(_DEADLINES, "Longest pause while a client sends a body, in seconds; then 408.")
    ] = 30.0
    idle_timeout_s: Annotated[
        Seconds, Doc(_DEADLINES, "Time that a client may leave a connection idle between requests, in seconds.")
    ] = 75.0
    keep_alive_s: Annotated[
        Seconds, Doc(_DEADLINES, "Silence in an event stream after which a comment is sent, in seconds.")
    ] = 15.0

    default_max_tokens: Annotated[
        Count, Doc(_ANSWERS, "Token limit of a request that names none; clamped to the context.")
    ] = 2048
    default_thinking_enabled: Annotated[
        bool | None, Doc(_ANSWERS, "The template's enable_thinking when the request does not set it.")
    ] = None
    default_thinking_budget_tokens: Annotated[
        Budget | None, Doc(_ANSWERS, "Tokens of thinking per answer when the request sets no limit.")
    ] = None
    default_thinking_budget_ms: Annotated[
        Budget | None, Doc(_ANSWERS, "Time of thinking per answer when the request sets no limit, in milliseconds.")
    ] = None
    default_adapter: Annotated[Name | None, Doc(_ANSWERS, "Adapter of a request that names none.")] = None
    fold_reasoning_into_content: Annotated[
        bool, Doc(_ANSWERS, "Also put the reasoning into the content, between <think> and </think>.")
    ] = False
    include_performance: Annotated[
        bool, Doc(_ANSWERS, "Add performance metadata when the request does not say whether to.")
    ] = False
    include_config_hashes: Annotated[
        bool, Doc(_ANSWERS, "Add configuration hashes when the request does not say whether to.")
    ] = False

    error_values: Annotated[
        bool, Doc(_REPORTS, "Let errors repeat the values that clients sent; they may hold prompts.")
    ] = False
    record_bodies: Annotated[
        bool, Doc(_REPORTS, "Keep the bodies of recent requests in memory for the admin API; they hold prompts.")
    ] = False
    log_format: Annotated[
        Literal["auto", "json", "text"], Doc(_REPORTS, "Form of log lines; auto is text on a terminal, else json.")
    ] = "auto"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Doc(_REPORTS, "Least important log lines to write.")
    ] = "info"

    sources: Mapping[str, str] = {}
    """Not a setting: who set each field, by name; a field that is missing here has its default."""

    def source(self, name: str) -> str:
        """Who set a field, in words for a person, such as `--port`, `KILN_PORT` or `kiln.toml`."""
        return self.sources.get(name, DEFAULT_SOURCE)

    def rows(self) -> tuple[Row, ...]:
        """Every setting in order, with its source and without secrets."""
        names = (name for name in self.__struct_fields__ if name != "sources")
        return tuple(Row(name, _shown(getattr(self, name)), self.source(name)) for name in names)

    def options_for_backend(self) -> dict[str, str]:
        """The options that the backend's factory takes: backend_options, and the settings that are meant for it."""
        named = {"model": self.model, "script": self.mock_script}
        named |= {name: getattr(self, name) for name in ENGINE_SETTINGS}
        return self.backend_options | {key: spelled(value) for key, value in named.items() if value is not None}


ENGINE_SETTINGS: Final = tuple(
    name
    for name, hint in get_type_hints(Settings, include_extras=True).items()
    if any(isinstance(note, Doc) and note.group == _ENGINE for note in get_args(hint))
)
"""Settings that the backend gets as options of the same names."""


def spelled(value: bool | float | str) -> str:
    """A plain value as flags, variables and options spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: REDACTED if _SECRET_WORD.search(key) else _shown(item) for key, item in value.items()}
    if isinstance(value, str):
        return _USERINFO.sub(f"://{REDACTED}@", value)
    return value
