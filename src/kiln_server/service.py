"""Everything that a request handler works with, in one place."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import anyio

from kiln_contract import ConfigHashes
from kiln_server.admission import Admission
from kiln_server.backend import Backend
from kiln_server.config_hash import effective_config_hash
from kiln_server.lifecycle import Lifecycle
from kiln_server.metrics import Metrics
from kiln_server.plan import Planner
from kiln_server.recent import RecentRequests
from kiln_server.settings import Settings
from kiln_server.text.prompt import PromptBuilder

MAX_THREADS: Final = 2
"""Threads for what would keep the event loop too long. Templates are Python, so more of them would gain nothing."""


class Service:
    """One running server. What depends on the loaded backend is made with its first use, after loading."""

    def __init__(
        self,
        settings: Settings,
        backend: Backend,
        lifecycle: Lifecycle,
        admission: Admission,
        metrics: Metrics,
        recent: RecentRequests,
    ) -> None:
        self.settings = settings
        self.backend = backend
        self.lifecycle = lifecycle
        self.admission = admission
        self.metrics = metrics
        self.recent = recent

    @classmethod
    def create(cls, settings: Settings, backend: Backend, lifecycle: Lifecycle) -> Service:
        """A service with new counters and an empty waiting room."""
        admission = Admission(
            max_running_requests=settings.max_running_requests,
            max_waiting_requests=settings.max_waiting_requests,
            max_waiting_tokens=settings.max_waiting_tokens,
            queue_timeout_s=settings.queue_timeout_s,
        )
        return cls(settings, backend, lifecycle, admission, Metrics(), RecentRequests())

    @property
    def model_id(self) -> str:
        """The id that clients see."""
        return self.settings.served_model_id or self.backend.identity.served_model_id

    @cached_property
    def planner(self) -> Planner:
        """Plans chat and batch requests for the loaded model."""
        prompts = PromptBuilder(self.backend.text, default_thinking_enabled=self.settings.default_thinking_enabled)
        return Planner(self.settings, self.backend, prompts, self.model_id)

    @cached_property
    def threads(self) -> anyio.CapacityLimiter:
        """How many long requests are planned at the same time; the rest wait. Made inside the event loop."""
        return anyio.CapacityLimiter(MAX_THREADS)

    @cached_property
    def hashes(self) -> ConfigHashes:
        """Content hashes of what is loaded; one that the backend cannot know is left out."""
        identity = self.backend.identity
        known = {
            "tokenizer_config_hash": identity.tokenizer_config_sha256,
            "chat_template_hash": identity.chat_template_sha256,
            "model_config_hash": identity.model_config_sha256,
            "effective_config_hash": effective_config_hash(self.settings),
        }
        return ConfigHashes(**{name: value for name, value in known.items() if value is not None})

    @property
    def source(self) -> str:
        """Which path a token's times were taken on, as the contract names it."""
        return "batching_engine" if self.backend.capabilities.batching else "direct"
