"""Which schemas these are, and their defaults; Structs never apply them.

Generated from the schemas by `python -m codegen`. Do not edit: change the schema or the generator.
kiln-inference-v1.schema.json: sha256 752ed527b7228624bbd803216c4e9c7fb072a12f48e93721a0211f5c2834eb49
thinking-budget-v1.schema.json: sha256 29ca19dff417091f8a7f9b593f0fe5295854dd7ec7d834e7745777135613e00f
"""

from __future__ import annotations

from typing import Any, Final

SCHEMA_SHA256: Final = "752ed527b7228624bbd803216c4e9c7fb072a12f48e93721a0211f5c2834eb49"
THINKING_BUDGET_SCHEMA_SHA256: Final = "29ca19dff417091f8a7f9b593f0fe5295854dd7ec7d834e7745777135613e00f"
ENTRYPOINTS: Final = (
    "BatchCompletionRequest",
    "BatchCompletionResponse",
    "ChatCompletionChunkStream",
    "ChatCompletionRequest",
    "ChatCompletionResponse",
    "TextCompletionRequest",
    "TextCompletionResponse",
)
DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "BatchCompletionRequest": {"n": 1, "ignore_eos": False},
    "ChatCompletionRequest": {"n": 1, "ignore_eos": False, "stream": False, "rollout_provenance": False},
    "ChatMessageInput": {"content": ""},
    "StreamOptions": {"include_usage": False},
    "TextCompletionRequest": {"max_tokens": 1, "n": 1, "stream": False, "add_special_tokens": True},
}
