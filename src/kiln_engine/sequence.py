"""One answer, or one prompt to be scored, on its way through the steps."""

from __future__ import annotations

from collections.abc import Sequence as Tokens
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kiln_engine.lease import Lease


class Sequence:
    """Known tokens, and how many of them are computed. Compared by identity.

    `prompt_ids` has at least one token; `max_tokens` bounds the generated ones. Sequences of one `group` with the same
    prompt share its computation. `adapter_slot` is carried to the step; `adapter_revision` and `salt` separate cached
    prefixes: only sequences with equal ones share blocks. With `scores`, all logits of the prompt are wanted and no
    token is generated; it neither uses nor feeds the prefix cache.

    The scheduler alone changes what is not a token. Raises ValueError for an empty prompt.
    """

    __slots__ = (
        "adapter_revision",
        "adapter_slot",
        "arrival",
        "group",
        "lease",
        "max_tokens",
        "num_computed",
        "num_hit_tokens",
        "num_preemptions",
        "num_prompt",
        "prefill_stop",
        "prompt_ids",
        "request_id",
        "salt",
        "scores",
        "token_ids",
    )

    def __init__(
        self,
        request_id: str,
        prompt_ids: Tokens[int],
        *,
        max_tokens: int,
        group: str | None = None,
        adapter_slot: int = 0,
        adapter_revision: str = "",
        salt: str = "",
        scores: bool = False,
    ) -> None:
        if not prompt_ids:
            raise ValueError(f"request {request_id!r} has an empty prompt: there is nothing to compute")
        self.request_id = request_id
        self.prompt_ids = tuple(prompt_ids)
        self.max_tokens = max_tokens
        self.group = group
        self.adapter_slot = adapter_slot
        self.adapter_revision = adapter_revision
        self.salt = salt
        self.scores = scores
        self.token_ids = list(prompt_ids)
        self.num_prompt = len(self.prompt_ids)
        self.num_computed = 0
        """Positions whose key and value are written."""
        self.prefill_stop = self.num_prompt
        """Rows before this position are prompt rows: all that was known when it was last admitted."""
        self.num_hit_tokens = 0
        """Positions that the prefix cache spared it when it was first admitted."""
        self.num_preemptions = 0
        self.arrival = -1
        """Its place in the order of arrival; set by the scheduler."""
        self.lease: Lease | None = None
        """What it holds while it runs."""

    @property
    def num_generated(self) -> int:
        return len(self.token_ids) - self.num_prompt

    @property
    def block_ids(self) -> list[int]:
        """Its block table; empty while it waits."""
        return [] if self.lease is None else self.lease.block_ids

    @property
    def state_slot(self) -> int:
        """The slot of its recurrent state; 0 while it waits, and where there are no states."""
        return 0 if self.lease is None else self.lease.state_slot

    @property
    def is_prefilling(self) -> bool:
        """Whether it runs and has not computed all that was known when it was admitted."""
        return self.lease is not None and self.num_computed < self.prefill_stop

    def append(self, token_id: int) -> None:
        """Add a generated token; it is computed in the next step."""
        self.token_ids.append(token_id)

    def __repr__(self) -> str:
        return f"Sequence({self.request_id!r}, {self.num_computed} of {len(self.token_ids)} tokens computed)"
