"""Constraints that others imply: deleting one of them alone changes no verdict, so no vector can show it.

They stay in the schemas for the reader, and for tools that look at one keyword only. The tests hold this table to be
complete, and each pair to be real: once the implying constraint is gone, the implied one decides.
"""

from __future__ import annotations

from typing import Final

_BUDGET: Final = "thinking-budget-v1.schema.json#/$defs"
_METADATA: Final = "#/$defs/ChatCompletionMetadata/properties"
_TIMING: Final = "#/$defs/StreamingTokenTiming/properties"

IMPLIED: Final[dict[str, str]] = {
    # Every value of the enumeration has the type.
    "#/$defs/FinishReason/type": "#/$defs/FinishReason/enum",
    f"{_METADATA}/thinking_mode/type": f"{_METADATA}/thinking_mode/enum",
    f"{_METADATA}/thinking_source/type": f"{_METADATA}/thinking_source/enum",
    f"{_METADATA}/content_empty_reason/type": f"{_METADATA}/content_empty_reason/enum",
    f"{_TIMING}/source/type": f"{_TIMING}/source/enum",
    f"{_TIMING}/blocking_phase/type": f"{_TIMING}/blocking_phase/enum",
    f"{_BUDGET}/source/type": f"{_BUDGET}/source/enum",
    f"{_BUDGET}/trigger/type": f"{_BUDGET}/trigger/enum",
    # The pattern wants a character.
    "#/$defs/RolloutIdentityText/minLength": "#/$defs/RolloutIdentityText/pattern",
    "#/$defs/RolloutProvenanceV1/properties/generation_backend/minLength": (
        "#/$defs/RolloutProvenanceV1/properties/generation_backend/pattern"
    ),
    # What is no object has no members, meets every condition on members, and so the negated ones.
    "#/$defs/BatchCompletionRequest/type": "#/$defs/BatchCompletionRequest/allOf/0/not",
    "#/$defs/ChatCompletionRequest/type": "#/$defs/ChatCompletionRequest/allOf",
    # The base is an object already.
    f"{_BUDGET}/record/type": f"{_BUDGET}/effective/type",
    f"{_BUDGET}/recentRecord/type": f"{_BUDGET}/effective/type",
    # Both branches of the condition name the values that are left.
    f"{_BUDGET}/effective/properties/configured": f"{_BUDGET}/effective/allOf/0",
    f"{_BUDGET}/effective/properties/configured/type": f"{_BUDGET}/effective/allOf/0",
    f"{_BUDGET}/effective/properties/tokens_source": f"{_BUDGET}/effective/allOf/1",
    f"{_BUDGET}/effective/properties/tokens_source/$ref": f"{_BUDGET}/effective/allOf/1",
    f"{_BUDGET}/effective/properties/time_source": f"{_BUDGET}/effective/allOf/2",
    f"{_BUDGET}/effective/properties/time_source/$ref": f"{_BUDGET}/effective/allOf/2",
    # The member that the condition asks for is required anyway.
    f"{_BUDGET}/outcome/allOf/0/if/required": f"{_BUDGET}/outcome/required/0",
    f"{_BUDGET}/outcome/allOf/0/if/required/0": f"{_BUDGET}/outcome/required/0",
    f"{_BUDGET}/record/allOf/1/if/required": f"{_BUDGET}/record/required/0",
    f"{_BUDGET}/record/allOf/1/if/required/0": f"{_BUDGET}/record/required/0",
    f"{_BUDGET}/record/allOf/2/then/allOf/0/if/required": f"{_BUDGET}/record/required/1",
    f"{_BUDGET}/record/allOf/2/then/allOf/0/if/required/0": f"{_BUDGET}/record/required/1",
}
"""By reference, the constraint that implies each implied one."""
