"""The validator that names every violation.

Generated from the schemas by `python -m codegen`. Do not edit: change the schema or the generator.
kiln-inference-v1.schema.json: sha256 752ed527b7228624bbd803216c4e9c7fb072a12f48e93721a0211f5c2834eb49
thinking-budget-v1.schema.json: sha256 29ca19dff417091f8a7f9b593f0fe5295854dd7ec7d834e7745777135613e00f
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from kiln_contract import semantics
from kiln_contract._generated import structs
from kiln_contract.collector import (
    BoundCheck,
    Context,
    Failure,
    Failures,
    M,
    Site,
    broken,
    found,
    opaque,
    put,
    run_checks,
    settled,
    suspects,
)
from kiln_contract.number import integer_of, is_finite, is_integer, is_number

INF: Final = float("inf")


# fmt: off
FINITE: Final = Site('number.finite', 'type', '', 'use a finite number: NaN, infinities and numbers beyond a double are refused', 'a finite number')
NOT_JSON: Final = Site('json.value', 'type', '', 'use a JSON value here, got {got}', 'a JSON value with string keys')
S0: Final = Site('schema.type', 'type', '#/$defs/AdapterRef/type', 'use an object, got {got}', 'an object')
S1: Final = Site('schema.type', 'type', '#/$defs/AdapterRef/properties/name/type', 'use a string, got {got}', 'a string')
S2: Final = Site('schema.minLength', 'minLength', '#/$defs/AdapterRef/properties/name/minLength', 'give it at least 1 character', 'at least 1 character')
S3: Final = Site('schema.required', 'required', '#/$defs/AdapterRef/required', 'add the required member "name"', 'member "name" present')
S4: Final = Site('adapter.name', 'description', '#/$defs/AdapterRef/properties/name', 'An adapter is named by a plain name, never by a path.', 'An adapter is named by a plain name, never by a path.')
S5: Final = Site('schema.type', 'type', '#/$defs/AdapterRef/properties/scale/type', 'use a number, got {got}', 'a number')
S6: Final = Site('schema.required', 'required', '#/$defs/AdapterRef/required', 'add the required member "scale"', 'member "scale" present')
S7: Final = Site('schema.type', 'type', '#/$defs/FinishReason/type', 'use one of "error", "length", "stop", "tool_calls", got {got}', 'one of "error", "length", "stop", "tool_calls"')
S8: Final = Site('schema.enum', 'enum', '#/$defs/FinishReason/enum', 'use one of "error", "length", "stop", "tool_calls"', 'one of "error", "length", "stop", "tool_calls"')
S9: Final = Site('schema.type', 'type', '#/$defs/NonNegativeInteger/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S10: Final = Site('schema.minimum', 'minimum', '#/$defs/NonNegativeInteger/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S11: Final = Site('schema.type', 'type', '#/$defs/ToolCallArray/type', 'use an array, got {got}', 'an array')
S12: Final = Site('schema.type', 'type', '#/$defs/Usage/type', 'use an object, got {got}', 'an object')
S13: Final = Site('schema.required', 'required', '#/$defs/Usage/required', 'add the required member "prompt_tokens"', 'member "prompt_tokens" present')
S14: Final = Site('schema.required', 'required', '#/$defs/Usage/required', 'add the required member "completion_tokens"', 'member "completion_tokens" present')
S15: Final = Site('schema.required', 'required', '#/$defs/Usage/required', 'add the required member "total_tokens"', 'member "total_tokens" present')
S16: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/Usage/additionalProperties', 'remove this member: Usage is closed (a newer contract revision may know it)', 'no unknown member')
S17: Final = Site('usage.total', 'x-kiln-semantic-constraints', '#/$defs/Usage/x-kiln-semantic-constraints/0', 'total_tokens is prompt_tokens plus completion_tokens.', 'total_tokens is prompt_tokens plus completion_tokens.')
S18: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/trigger/type', 'use one of "tokens", "time", "max_tokens", got {got}', 'one of "tokens", "time", "max_tokens"')
S19: Final = Site('schema.enum', 'enum', 'thinking-budget-v1.schema.json#/$defs/trigger/enum', 'use one of "tokens", "time", "max_tokens"', 'one of "tokens", "time", "max_tokens"')
S20: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/outcome/type', 'use an object, got {got}', 'an object')
S21: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/outcome/properties/triggered/type', 'use true or false, got {got}', 'true or false')
S22: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/outcome/required', 'add the required member "triggered"', 'member "triggered" present')
S23: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/outcome/properties/closed/type', 'use true or false, got {got}', 'true or false')
S24: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/outcome/required', 'add the required member "closed"', 'member "closed" present')
S25: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/outcome/properties/thinking_tokens/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S26: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/outcome/properties/thinking_tokens/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S27: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/outcome/required', 'add the required member "thinking_tokens"', 'member "thinking_tokens" present')
S28: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/outcome/properties/thinking_time_ms/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S29: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/outcome/properties/thinking_time_ms/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S30: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/outcome/required', 'add the required member "thinking_time_ms"', 'member "thinking_time_ms" present')
S31: Final = Site('schema.additionalProperties', 'additionalProperties', 'thinking-budget-v1.schema.json#/$defs/outcome/additionalProperties', 'remove this member: ThinkingBudgetOutcome is closed (a newer contract revision may know it)', 'no unknown member')
S32: Final = Site('budget.trigger', 'then', 'thinking-budget-v1.schema.json#/$defs/outcome/allOf/0/then/required/0', 'name the trigger, since triggered is true', 'trigger present')
S33: Final = Site('budget.trigger', 'else', 'thinking-budget-v1.schema.json#/$defs/outcome/allOf/0/else/not', 'leave trigger out unless triggered is true', 'trigger absent')
S34: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionItem/type', 'use an object, got {got}', 'an object')
S35: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionItem/properties/prompt_index/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S36: Final = Site('schema.minimum', 'minimum', '#/$defs/BatchCompletionItem/properties/prompt_index/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S37: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionItem/required', 'add the required member "prompt_index"', 'member "prompt_index" present')
S38: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionItem/properties/completion_index/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S39: Final = Site('schema.minimum', 'minimum', '#/$defs/BatchCompletionItem/properties/completion_index/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S40: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionItem/required', 'add the required member "completion_index"', 'member "completion_index" present')
S41: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionItem/properties/text/type', 'use a string, got {got}', 'a string')
S42: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionItem/required', 'add the required member "text"', 'member "text" present')
S43: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionItem/properties/reasoning_content/type', 'use a string, got {got}', 'a string')
S44: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionItem/required', 'add the required member "finish_reason"', 'member "finish_reason" present')
S45: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionItem/required', 'add the required member "usage"', 'member "usage" present')
S46: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/BatchCompletionItem/additionalProperties', 'remove this member: BatchCompletionItem is closed (a newer contract revision may know it)', 'no unknown member')
S47: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/source/type', 'use one of "unlimited", "server_default", "request", "request_unlimited", "suite", "suite_unlimited", "run_override", "run_override_unlimited", "example", "example_unlimited", "unknown", got {got}', 'one of "unlimited", "server_default", "request", "request_unlimited", "suite", "suite_unlimited", "run_override", "run_override_unlimited", "example", "example_unlimited", "unknown"')
S48: Final = Site('schema.enum', 'enum', 'thinking-budget-v1.schema.json#/$defs/source/enum', 'use one of "unlimited", "server_default", "request", "request_unlimited", "suite", "suite_unlimited", "run_override", "run_override_unlimited", "example", "example_unlimited", "unknown"', 'one of "unlimited", "server_default", "request", "request_unlimited", "suite", "suite_unlimited", "run_override", "run_override_unlimited", "example", "example_unlimited", "unknown"')
S49: Final = Site('schema.type', 'type', '#/$defs/ThinkingBudgetConfigurationMetadata/type', 'use an object, got {got}', 'an object')
S50: Final = Site('schema.type', 'type', '#/$defs/ThinkingBudgetConfigurationMetadata/properties/configured/type', 'use true or false, got {got}', 'true or false')
S51: Final = Site('schema.required', 'required', '#/$defs/ThinkingBudgetConfigurationMetadata/required', 'add the required member "configured"', 'member "configured" present')
S52: Final = Site('schema.required', 'required', '#/$defs/ThinkingBudgetConfigurationMetadata/required', 'add the required member "tokens_source"', 'member "tokens_source" present')
S53: Final = Site('schema.required', 'required', '#/$defs/ThinkingBudgetConfigurationMetadata/required', 'add the required member "time_source"', 'member "time_source" present')
S54: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ThinkingBudgetConfigurationMetadata/additionalProperties', 'remove this member: ThinkingBudgetConfigurationMetadata is closed (a newer contract revision may know it)', 'no unknown member')
S55: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionMetadata/type', 'use an object, got {got}', 'an object')
S56: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionMetadata/required', 'add the required member "thinking_budget"', 'member "thinking_budget" present')
S57: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/BatchCompletionMetadata/additionalProperties', 'remove this member: BatchCompletionMetadata is closed (a newer contract revision may know it)', 'no unknown member')
S58: Final = Site('schema.type', 'type', '#/$defs/NullableString/oneOf/1/type', 'use a string, or null, got {got}', 'a string, or null')
S59: Final = Site('schema.type', 'type', '#/$defs/ChatMessageInput/type', 'use an object, got {got}', 'an object')
S60: Final = Site('schema.type', 'type', '#/$defs/ChatMessageInput/properties/role/type', 'use a string, got {got}', 'a string')
S61: Final = Site('schema.required', 'required', '#/$defs/ChatMessageInput/required', 'add the required member "role"', 'member "role" present')
S62: Final = Site('schema.type', 'type', '#/$defs/ChatMessageInput/properties/content/oneOf/1/type', 'use a string, got {got}', 'a string')
S63: Final = Site('schema.type', 'type', '#/$defs/ChatMessageInput/properties/content/oneOf/2/type', 'use an array, got {got}', 'an array')
S64: Final = Site('schema.oneOf', 'oneOf', '#/$defs/ChatMessageInput/properties/content/oneOf', 'use a string or an array or null, got {got}', 'a string or an array or null')
S65: Final = Site('schema.type', 'type', '#/$defs/ToolCallArray/type', 'use an array, or null, got {got}', 'an array, or null')
S66: Final = Site('schema.type', 'type', '#/$defs/NonNegativeInteger/type', 'use an integer, at least 0, or null, got {got}', 'an integer, at least 0, or null')
S67: Final = Site('schema.minimum', 'minimum', '#/$defs/NonNegativeInteger/minimum', 'use an integer, at least 0, or null', 'an integer, at least 0, or null')
S68: Final = Site('schema.type', 'type', '#/$defs/NullableSamplingNumber/oneOf/1/type', 'use a number, or null, got {got}', 'a number, or null')
S69: Final = Site('schema.type', 'type', '#/$defs/NullableTemplateKwargs/oneOf/1/type', 'use an object, or null, got {got}', 'an object, or null')
S70: Final = Site('schema.type', 'type', '#/$defs/NullableToolArray/oneOf/1/type', 'use an array, or null, got {got}', 'an array, or null')
S71: Final = Site('schema.type', 'type', '#/$defs/NullableUint32/oneOf/1/type', 'use an integer from 0 to 4294967295, or null, got {got}', 'an integer from 0 to 4294967295, or null')
S72: Final = Site('schema.minimum', 'minimum', '#/$defs/NullableUint32/oneOf/1/minimum', 'use an integer from 0 to 4294967295, or null', 'an integer from 0 to 4294967295, or null')
S73: Final = Site('schema.maximum', 'maximum', '#/$defs/NullableUint32/oneOf/1/maximum', 'use an integer from 0 to 4294967295, or null', 'an integer from 0 to 4294967295, or null')
S74: Final = Site('schema.type', 'type', '#/$defs/NullableUint64/oneOf/1/type', 'use an integer from 0 to 18446744073709551615, or null, got {got}', 'an integer from 0 to 18446744073709551615, or null')
S75: Final = Site('schema.minimum', 'minimum', '#/$defs/NullableUint64/oneOf/1/minimum', 'use an integer from 0 to 18446744073709551615, or null', 'an integer from 0 to 18446744073709551615, or null')
S76: Final = Site('schema.maximum', 'maximum', '#/$defs/NullableUint64/oneOf/1/maximum', 'use an integer from 0 to 18446744073709551615, or null', 'an integer from 0 to 18446744073709551615, or null')
S77: Final = Site('schema.type', 'type', '#/$defs/SamplingPreset/oneOf/1/type', 'use a string, or null, got {got}', 'a string, or null')
S78: Final = Site('schema.type', 'type', '#/$defs/StopInput/oneOf/1/type', 'use a string, got {got}', 'a string')
S79: Final = Site('schema.type', 'type', '#/$defs/StopInput/oneOf/2/type', 'use an array, got {got}', 'an array')
S80: Final = Site('schema.type', 'type', '#/$defs/StopInput/oneOf/2/items/type', 'use a string, got {got}', 'a string')
S81: Final = Site('schema.oneOf', 'oneOf', '#/$defs/StopInput/oneOf', 'use a string or an array or null, got {got}', 'a string or an array or null')
S82: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/limitOverride/oneOf/1/type', 'use an integer, at least 0, or null, got {got}', 'an integer, at least 0, or null')
S83: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/limitOverride/oneOf/1/minimum', 'use an integer, at least 0, or null', 'an integer, at least 0, or null')
S84: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionRequest/type', 'use an object, got {got}', 'an object')
S85: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionRequest/properties/prompts/type', 'use an array, got {got}', 'an array')
S86: Final = Site('schema.minItems', 'minItems', '#/$defs/BatchCompletionRequest/properties/prompts/minItems', 'give it at least 1 item', 'at least 1 item')
S87: Final = Site('schema.maxItems', 'maxItems', '#/$defs/BatchCompletionRequest/properties/prompts/maxItems', 'give it at most 64 items', 'at most 64 items')
S88: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionRequest/properties/prompts/items/type', 'use an array, got {got}', 'an array')
S89: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionRequest/required', 'add the required member "prompts"', 'member "prompts" present')
S90: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionRequest/properties/n/oneOf/1/type', 'use an integer from 1 to 64, or null, got {got}', 'an integer from 1 to 64, or null')
S91: Final = Site('schema.minimum', 'minimum', '#/$defs/BatchCompletionRequest/properties/n/oneOf/1/minimum', 'use an integer from 1 to 64, or null', 'an integer from 1 to 64, or null')
S92: Final = Site('schema.maximum', 'maximum', '#/$defs/BatchCompletionRequest/properties/n/oneOf/1/maximum', 'use an integer from 1 to 64, or null', 'an integer from 1 to 64, or null')
S93: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionRequest/properties/ignore_eos/type', 'use true or false, got {got}', 'true or false')
S94: Final = Site('adapter.name', 'description', '#/$defs/BatchCompletionRequest/properties/adapter', 'An adapter is named by a plain name, never by a path.', 'An adapter is named by a plain name, never by a path.')
S95: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionRequest/properties/adapters/oneOf/1/type', 'use an array, or null, got {got}', 'an array, or null')
S96: Final = Site('schema.minItems', 'minItems', '#/$defs/BatchCompletionRequest/properties/adapters/oneOf/1/minItems', 'give it at least 1 item', 'at least 1 item, or null')
S97: Final = Site('schema.maxItems', 'maxItems', '#/$defs/BatchCompletionRequest/properties/adapters/oneOf/1/maxItems', 'give it at most 16 items', 'at most 16 items, or null')
S98: Final = Site('batch.adapter-exclusive', 'not', '#/$defs/BatchCompletionRequest/allOf/0/not', 'send either adapter or adapters, not both', 'adapter as a string or adapters as an array')
S99: Final = Site('batch.outputs', 'x-kiln-semantic-constraints', '#/$defs/BatchCompletionRequest/x-kiln-semantic-constraints/0', 'A batch has at most 64 outputs: prompts times n.', 'A batch has at most 64 outputs: prompts times n.')
S100: Final = Site('schema.type', 'type', '#/$defs/UnixSeconds/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S101: Final = Site('schema.minimum', 'minimum', '#/$defs/UnixSeconds/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S102: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionResponse/type', 'use an object, got {got}', 'an object')
S103: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionResponse/properties/id/type', 'use a string, got {got}', 'a string')
S104: Final = Site('schema.pattern', 'pattern', '#/$defs/BatchCompletionResponse/properties/id/pattern', 'write text that matches ^batchcmpl-', 'text matching ^batchcmpl-')
S105: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionResponse/required', 'add the required member "id"', 'member "id" present')
S106: Final = Site('schema.const', 'const', '#/$defs/BatchCompletionResponse/properties/object/const', 'use "batch.completion"', '"batch.completion"')
S107: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionResponse/required', 'add the required member "object"', 'member "object" present')
S108: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionResponse/required', 'add the required member "created"', 'member "created" present')
S109: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionResponse/properties/model/type', 'use a string, got {got}', 'a string')
S110: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionResponse/required', 'add the required member "model"', 'member "model" present')
S111: Final = Site('schema.type', 'type', '#/$defs/BatchCompletionResponse/properties/completions/type', 'use an array, got {got}', 'an array')
S112: Final = Site('schema.minItems', 'minItems', '#/$defs/BatchCompletionResponse/properties/completions/minItems', 'give it at least 1 item', 'at least 1 item')
S113: Final = Site('schema.maxItems', 'maxItems', '#/$defs/BatchCompletionResponse/properties/completions/maxItems', 'give it at most 64 items', 'at most 64 items')
S114: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionResponse/required', 'add the required member "completions"', 'member "completions" present')
S115: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionResponse/required', 'add the required member "usage"', 'member "usage" present')
S116: Final = Site('schema.required', 'required', '#/$defs/BatchCompletionResponse/required', 'add the required member "metadata"', 'member "metadata" present')
S117: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/BatchCompletionResponse/additionalProperties', 'remove this member: BatchCompletionResponse is closed (a newer contract revision may know it)', 'no unknown member')
S118: Final = Site('usage.sum', 'description', '#/$defs/BatchCompletionResponse', "A batch's usage is the sum over its completions.", "A batch's usage is the sum over its completions.")
S119: Final = Site('index.order', 'description', '#/$defs/BatchCompletionResponse', 'Choices and completions are numbered in order, each once.', 'Choices and completions are numbered in order, each once.')
S120: Final = Site('schema.type', 'type', '#/$defs/NullableNonNegativeNumber/oneOf/1/type', 'use a number, at least 0, or null, got {got}', 'a number, at least 0, or null')
S121: Final = Site('schema.minimum', 'minimum', '#/$defs/NullableNonNegativeNumber/oneOf/1/minimum', 'use a number, at least 0, or null', 'a number, at least 0, or null')
S122: Final = Site('schema.type', 'type', '#/$defs/LatencyPhaseTimings/type', 'use an object, got {got}', 'an object')
S123: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "actor_queue_ms"', 'member "actor_queue_ms" present')
S124: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "actor_admission_ms"', 'member "actor_admission_ms" present')
S125: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "tokenization_ms"', 'member "tokenization_ms" present')
S126: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "prefill_ms"', 'member "prefill_ms" present')
S127: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "decode_ms"', 'member "decode_ms" present')
S128: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "actor_cycle_idle_ms"', 'member "actor_cycle_idle_ms" present')
S129: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "sampling_ms"', 'member "sampling_ms" present')
S130: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "readback_ms"', 'member "readback_ms" present')
S131: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "response_delivery_ms"', 'member "response_delivery_ms" present')
S132: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "handler_queue_ms"', 'member "handler_queue_ms" present')
S133: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "client_delivery_ms"', 'member "client_delivery_ms" present')
S134: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "gpu_lock_wait_ms"', 'member "gpu_lock_wait_ms" present')
S135: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "graph_capture_ms"', 'member "graph_capture_ms" present')
S136: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "graph_replay_ms"', 'member "graph_replay_ms" present')
S137: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "synchronization_ms"', 'member "synchronization_ms" present')
S138: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "resize_ms"', 'member "resize_ms" present')
S139: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "trim_ms"', 'member "trim_ms" present')
S140: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "adapter_ms"', 'member "adapter_ms" present')
S141: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "training_ms"', 'member "training_ms" present')
S142: Final = Site('schema.required', 'required', '#/$defs/LatencyPhaseTimings/required', 'add the required member "unexplained_ms"', 'member "unexplained_ms" present')
S143: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/LatencyPhaseTimings/additionalProperties', 'remove this member: LatencyPhaseTimings is closed (a newer contract revision may know it)', 'no unknown member')
S144: Final = Site('schema.type', 'type', '#/$defs/LatencyStallReasonCounts/type', 'use an object, got {got}', 'an object')
S145: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "actor_queue"', 'member "actor_queue" present')
S146: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "actor_admission"', 'member "actor_admission" present')
S147: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "actor_prefill"', 'member "actor_prefill" present')
S148: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "actor_decode"', 'member "actor_decode" present')
S149: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "actor_cycle_idle"', 'member "actor_cycle_idle" present')
S150: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "response_delivery"', 'member "response_delivery" present')
S151: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "handler_queue"', 'member "handler_queue" present')
S152: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "client_delivery"', 'member "client_delivery" present')
S153: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "sampling"', 'member "sampling" present')
S154: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "readback"', 'member "readback" present')
S155: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "gpu_lock_wait"', 'member "gpu_lock_wait" present')
S156: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "graph_capture"', 'member "graph_capture" present')
S157: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "graph_replay"', 'member "graph_replay" present')
S158: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "synchronization"', 'member "synchronization" present')
S159: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "resize"', 'member "resize" present')
S160: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "trim"', 'member "trim" present')
S161: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "adapter"', 'member "adapter" present')
S162: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "training"', 'member "training" present')
S163: Final = Site('schema.required', 'required', '#/$defs/LatencyStallReasonCounts/required', 'add the required member "unexplained"', 'member "unexplained" present')
S164: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/LatencyStallReasonCounts/additionalProperties', 'remove this member: LatencyStallReasonCounts is closed (a newer contract revision may know it)', 'no unknown member')
S165: Final = Site('schema.type', 'type', '#/$defs/NullableBoolean/oneOf/1/type', 'use true or false, or null, got {got}', 'true or false, or null')
S166: Final = Site('schema.type', 'type', '#/$defs/RequestLatencyDiagnostics/type', 'use an object, got {got}', 'an object')
S167: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "emitted_tokens"', 'member "emitted_tokens" present')
S168: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "gap_samples"', 'member "gap_samples" present')
S169: Final = Site('schema.type', 'type', '#/$defs/RequestLatencyDiagnostics/properties/retained_gap_samples/type', 'use an integer from 0 to 8192, got {got}', 'an integer from 0 to 8192')
S170: Final = Site('schema.minimum', 'minimum', '#/$defs/RequestLatencyDiagnostics/properties/retained_gap_samples/minimum', 'use an integer from 0 to 8192', 'an integer from 0 to 8192')
S171: Final = Site('schema.maximum', 'maximum', '#/$defs/RequestLatencyDiagnostics/properties/retained_gap_samples/maximum', 'use an integer from 0 to 8192', 'an integer from 0 to 8192')
S172: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "retained_gap_samples"', 'member "retained_gap_samples" present')
S173: Final = Site('schema.type', 'type', '#/$defs/RequestLatencyDiagnostics/properties/gap_samples_truncated/type', 'use true or false, got {got}', 'true or false')
S174: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "gap_samples_truncated"', 'member "gap_samples_truncated" present')
S175: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "ttft_ms"', 'member "ttft_ms" present')
S176: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "itl_ms_p50"', 'member "itl_ms_p50" present')
S177: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "itl_ms_p99"', 'member "itl_ms_p99" present')
S178: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "itl_ms_p999"', 'member "itl_ms_p999" present')
S179: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "max_itl_ms"', 'member "max_itl_ms" present')
S180: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "stall_threshold_ms"', 'member "stall_threshold_ms" present')
S181: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "stall_count"', 'member "stall_count" present')
S182: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "unexplained_stall_count"', 'member "unexplained_stall_count" present')
S183: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "stall_reasons"', 'member "stall_reasons" present')
S184: Final = Site('schema.required', 'required', '#/$defs/RequestLatencyDiagnostics/required', 'add the required member "phases"', 'member "phases" present')
S185: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RequestLatencyDiagnostics/additionalProperties', 'remove this member: RequestLatencyDiagnostics is closed (a newer contract revision may know it)', 'no unknown member')
S186: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionPerformanceMetadata/type', 'use an object, got {got}', 'an object')
S187: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "prompt_tokens"', 'member "prompt_tokens" present')
S188: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "completion_tokens"', 'member "completion_tokens" present')
S189: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "ttft_ms"', 'member "ttft_ms" present')
S190: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "prefill_ms"', 'member "prefill_ms" present')
S191: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "actor_queue_ms"', 'member "actor_queue_ms" present')
S192: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "actor_admission_ms"', 'member "actor_admission_ms" present')
S193: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "actor_prefill_wall_ms"', 'member "actor_prefill_wall_ms" present')
S194: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "resident_prefill_used"', 'member "resident_prefill_used" present')
S195: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "decode_ms"', 'member "decode_ms" present')
S196: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionPerformanceMetadata/properties/total_latency_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S197: Final = Site('schema.minimum', 'minimum', '#/$defs/ChatCompletionPerformanceMetadata/properties/total_latency_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S198: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "total_latency_ms"', 'member "total_latency_ms" present')
S199: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "decode_tokens_per_sec"', 'member "decode_tokens_per_sec" present')
S200: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionPerformanceMetadata/properties/adapter_used/type', 'use a string, got {got}', 'a string')
S201: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "adapter_used"', 'member "adapter_used" present')
S202: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionPerformanceMetadata/properties/thinking_mode/type', 'use a string, got {got}', 'a string')
S203: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "thinking_mode"', 'member "thinking_mode" present')
S204: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "finish_reason"', 'member "finish_reason" present')
S205: Final = Site('schema.type', 'type', '#/$defs/RequestLatencyDiagnostics/type', 'use an object, or null, got {got}', 'an object, or null')
S206: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionPerformanceMetadata/required', 'add the required member "latency"', 'member "latency" present')
S207: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ChatCompletionPerformanceMetadata/additionalProperties', 'remove this member: ChatCompletionPerformanceMetadata is closed (a newer contract revision may know it)', 'no unknown member')
S208: Final = Site('schema.type', 'type', '#/$defs/Delta/type', 'use an object, got {got}', 'an object')
S209: Final = Site('schema.type', 'type', '#/$defs/Delta/properties/role/type', 'use a string, got {got}', 'a string')
S210: Final = Site('schema.type', 'type', '#/$defs/Delta/properties/content/type', 'use a string, got {got}', 'a string')
S211: Final = Site('schema.type', 'type', '#/$defs/Delta/properties/reasoning_content/type', 'use a string, got {got}', 'a string')
S212: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/Delta/additionalProperties', 'remove this member: Delta is closed (a newer contract revision may know it)', 'no unknown member')
S213: Final = Site('schema.type', 'type', '#/$defs/ChunkChoice/type', 'use an object, got {got}', 'an object')
S214: Final = Site('schema.required', 'required', '#/$defs/ChunkChoice/required', 'add the required member "index"', 'member "index" present')
S215: Final = Site('schema.required', 'required', '#/$defs/ChunkChoice/required', 'add the required member "delta"', 'member "delta" present')
S216: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ChunkChoice/additionalProperties', 'remove this member: ChunkChoice is closed (a newer contract revision may know it)', 'no unknown member')
S217: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/effective/type', 'use an object, got {got}', 'an object')
S218: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/effective/properties/configured/type', 'use true or false, got {got}', 'true or false')
S219: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/effective/required', 'add the required member "configured"', 'member "configured" present')
S220: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/effective/properties/max_tokens/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S221: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/effective/properties/max_tokens/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S222: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/effective/properties/max_time_ms/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S223: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/effective/properties/max_time_ms/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S224: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/effective/required', 'add the required member "tokens_source"', 'member "tokens_source" present')
S225: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/effective/required', 'add the required member "time_source"', 'member "time_source" present')
S226: Final = Site('budget.configured', 'then', 'thinking-budget-v1.schema.json#/$defs/effective/allOf/0/then/properties/configured', 'set configured to true: max_tokens or max_time_ms is present', 'true')
S227: Final = Site('budget.configured', 'else', 'thinking-budget-v1.schema.json#/$defs/effective/allOf/0/else/properties/configured', 'set configured to false: neither max_tokens nor max_time_ms is present', 'false')
S228: Final = Site('budget.finite-source', 'then', 'thinking-budget-v1.schema.json#/$defs/effective/allOf/1/then/properties/tokens_source', 'tokens_source must name who set max_tokens: server_default, request, suite, run_override, example or unknown', 'server_default, request, suite, run_override, example or unknown')
S229: Final = Site('budget.unlimited-source', 'else', 'thinking-budget-v1.schema.json#/$defs/effective/allOf/1/else/properties/tokens_source', 'without max_tokens, tokens_source must be one of unlimited, request_unlimited, suite_unlimited, run_override_unlimited, example_unlimited or unknown', 'unlimited, request_unlimited, suite_unlimited, run_override_unlimited, example_unlimited or unknown')
S230: Final = Site('budget.finite-source', 'then', 'thinking-budget-v1.schema.json#/$defs/effective/allOf/2/then/properties/time_source', 'time_source must name who set max_time_ms: server_default, request, suite, run_override, example or unknown', 'server_default, request, suite, run_override, example or unknown')
S231: Final = Site('budget.unlimited-source', 'else', 'thinking-budget-v1.schema.json#/$defs/effective/allOf/2/else/properties/time_source', 'without max_time_ms, time_source must be one of unlimited, request_unlimited, suite_unlimited, run_override_unlimited, example_unlimited or unknown', 'unlimited, request_unlimited, suite_unlimited, run_override_unlimited, example_unlimited or unknown')
S232: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/record/type', 'use an object, got {got}', 'an object')
S233: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/record/properties/applied/type', 'use true or false, got {got}', 'true or false')
S234: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/record/required', 'add the required member "applied"', 'member "applied" present')
S235: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/record/properties/triggered/type', 'use true or false, got {got}', 'true or false')
S236: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/record/required', 'add the required member "triggered"', 'member "triggered" present')
S237: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/record/properties/closed/type', 'use true or false, got {got}', 'true or false')
S238: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/record/properties/thinking_tokens/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S239: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/record/properties/thinking_tokens/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S240: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/record/properties/thinking_time_ms/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S241: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/record/properties/thinking_time_ms/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S242: Final = Site('schema.unevaluatedProperties', 'unevaluatedProperties', 'thinking-budget-v1.schema.json#/$defs/record/unevaluatedProperties', 'remove this member: ThinkingBudgetRecord is closed (a newer contract revision may know it)', 'no unknown member')
S243: Final = Site('budget.applied', 'then', 'thinking-budget-v1.schema.json#/$defs/record/allOf/1/then/properties/configured', 'set configured to true: only a configured budget applies', 'configured true')
S244: Final = Site('budget.counters', 'then', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/then/required/0', 'add thinking_tokens: a budget with closed has an outcome', 'thinking_tokens present')
S245: Final = Site('budget.counters', 'then', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/then/required/1', 'add thinking_time_ms: a budget with closed has an outcome', 'thinking_time_ms present')
S246: Final = Site('budget.trigger', 'then', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/then/allOf/0/then/required/0', 'name the trigger, since triggered is true', 'trigger present')
S247: Final = Site('budget.trigger', 'else', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/then/allOf/0/else/not', 'leave trigger out unless triggered is true', 'trigger absent')
S248: Final = Site('budget.no-outcome', 'else', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/else/properties/triggered', 'set triggered to false while closed is absent: there is no outcome yet', 'triggered false')
S249: Final = Site('budget.no-outcome', 'not', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/else/allOf/0/not', 'leave trigger out while closed is absent: there is no outcome yet', 'trigger absent')
S250: Final = Site('budget.no-outcome', 'not', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/else/allOf/1/not', 'leave thinking_tokens out while closed is absent: there is no outcome yet', 'thinking_tokens absent')
S251: Final = Site('budget.no-outcome', 'not', 'thinking-budget-v1.schema.json#/$defs/record/allOf/2/else/allOf/2/not', 'leave thinking_time_ms out while closed is absent: there is no outcome yet', 'thinking_time_ms absent')
S252: Final = Site('budget.outcome-applied', 'description', 'thinking-budget-v1.schema.json#/$defs/record', 'Only a budget that applied has an outcome.', 'Only a budget that applied has an outcome.')
S253: Final = Site('schema.type', 'type', '#/$defs/StreamingTerminalMetadata/type', 'use an object, got {got}', 'an object')
S254: Final = Site('schema.required', 'required', '#/$defs/StreamingTerminalMetadata/required', 'add the required member "thinking_budget"', 'member "thinking_budget" present')
S255: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/StreamingTerminalMetadata/additionalProperties', 'remove this member: StreamingTerminalMetadata is closed (a newer contract revision may know it)', 'no unknown member')
S256: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionChunk/type', 'use an object, got {got}', 'an object')
S257: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionChunk/properties/id/type', 'use a string, got {got}', 'a string')
S258: Final = Site('schema.pattern', 'pattern', '#/$defs/ChatCompletionChunk/properties/id/pattern', 'write text that matches ^chatcmpl-', 'text matching ^chatcmpl-')
S259: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionChunk/required', 'add the required member "id"', 'member "id" present')
S260: Final = Site('schema.const', 'const', '#/$defs/ChatCompletionChunk/properties/object/const', 'use "chat.completion.chunk"', '"chat.completion.chunk"')
S261: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionChunk/required', 'add the required member "object"', 'member "object" present')
S262: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionChunk/required', 'add the required member "created"', 'member "created" present')
S263: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionChunk/properties/model/type', 'use a string, got {got}', 'a string')
S264: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionChunk/required', 'add the required member "model"', 'member "model" present')
S265: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionChunk/properties/choices/type', 'use an array, got {got}', 'an array')
S266: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionChunk/required', 'add the required member "choices"', 'member "choices" present')
S267: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ChatCompletionChunk/additionalProperties', 'remove this member: ChatCompletionChunk is closed (a newer contract revision may know it)', 'no unknown member')
S268: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionChunkStream/type', 'use a string, got {got}', 'a string')
S269: Final = Site('schema.type', 'type', '#/$defs/Sha256/type', 'use a string, got {got}', 'a string')
S270: Final = Site('schema.pattern', 'pattern', '#/$defs/Sha256/pattern', 'write text that matches ^sha256:[0-9a-f]{64}$', 'text matching ^sha256:[0-9a-f]{64}$')
S271: Final = Site('schema.type', 'type', '#/$defs/ConfigHashes/type', 'use an object, got {got}', 'an object')
S272: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ConfigHashes/additionalProperties', 'remove this member: ConfigHashes is closed (a newer contract revision may know it)', 'no unknown member')
S273: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/type', 'use an object, got {got}', 'an object')
S274: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/properties/thinking_enabled/type', 'use true or false, got {got}', 'true or false')
S275: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionMetadata/required', 'add the required member "thinking_enabled"', 'member "thinking_enabled" present')
S276: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/properties/thinking_mode/type', 'use one of "non_reasoning", "reasoning", got {got}', 'one of "non_reasoning", "reasoning"')
S277: Final = Site('schema.enum', 'enum', '#/$defs/ChatCompletionMetadata/properties/thinking_mode/enum', 'use one of "non_reasoning", "reasoning"', 'one of "non_reasoning", "reasoning"')
S278: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionMetadata/required', 'add the required member "thinking_mode"', 'member "thinking_mode" present')
S279: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/properties/thinking_source/type', 'use one of "custom", "request", "server_default", "template_default", got {got}', 'one of "custom", "request", "server_default", "template_default"')
S280: Final = Site('schema.enum', 'enum', '#/$defs/ChatCompletionMetadata/properties/thinking_source/enum', 'use one of "custom", "request", "server_default", "template_default"', 'one of "custom", "request", "server_default", "template_default"')
S281: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionMetadata/required', 'add the required member "thinking_source"', 'member "thinking_source" present')
S282: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/properties/default_thinking_enabled/type', 'use true or false, got {got}', 'true or false')
S283: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/properties/final_content_empty/type', 'use true or false, got {got}', 'true or false')
S284: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionMetadata/required', 'add the required member "final_content_empty"', 'member "final_content_empty" present')
S285: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/properties/content_empty_reason/type', 'use one of "no_content", "reasoning_without_final_content", "tool_call", got {got}', 'one of "no_content", "reasoning_without_final_content", "tool_call"')
S286: Final = Site('schema.enum', 'enum', '#/$defs/ChatCompletionMetadata/properties/content_empty_reason/enum', 'use one of "no_content", "reasoning_without_final_content", "tool_call"', 'one of "no_content", "reasoning_without_final_content", "tool_call"')
S287: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionMetadata/properties/reasoning_folded_into_content/type', 'use true or false, got {got}', 'true or false')
S288: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionMetadata/required', 'add the required member "reasoning_folded_into_content"', 'member "reasoning_folded_into_content" present')
S289: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionMetadata/required', 'add the required member "thinking_budget"', 'member "thinking_budget" present')
S290: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ChatCompletionMetadata/additionalProperties', 'remove this member: ChatCompletionMetadata is closed (a newer contract revision may know it)', 'no unknown member')
S291: Final = Site('schema.type', 'type', '#/$defs/StreamOptions/type', 'use an object, got {got}', 'an object')
S292: Final = Site('schema.type', 'type', '#/$defs/StreamOptions/properties/include_usage/type', 'use true or false, got {got}', 'true or false')
S293: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionRequest/type', 'use an object, got {got}', 'an object')
S294: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionRequest/properties/messages/type', 'use an array, got {got}', 'an array')
S295: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionRequest/required', 'add the required member "messages"', 'member "messages" present')
S296: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionRequest/properties/n/oneOf/1/type', 'use an integer from 1 to 64, or null, got {got}', 'an integer from 1 to 64, or null')
S297: Final = Site('schema.minimum', 'minimum', '#/$defs/ChatCompletionRequest/properties/n/oneOf/1/minimum', 'use an integer from 1 to 64, or null', 'an integer from 1 to 64, or null')
S298: Final = Site('schema.maximum', 'maximum', '#/$defs/ChatCompletionRequest/properties/n/oneOf/1/maximum', 'use an integer from 1 to 64, or null', 'an integer from 1 to 64, or null')
S299: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionRequest/properties/ignore_eos/type', 'use true or false, got {got}', 'true or false')
S300: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionRequest/properties/stream/type', 'use true or false, got {got}', 'true or false')
S301: Final = Site('schema.type', 'type', '#/$defs/StreamOptions/type', 'use an object, or null, got {got}', 'an object, or null')
S302: Final = Site('adapter.name', 'description', '#/$defs/ChatCompletionRequest/properties/adapter', 'An adapter is named by a plain name, never by a path.', 'An adapter is named by a plain name, never by a path.')
S303: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionRequest/properties/adapters/oneOf/1/type', 'use an array, or null, got {got}', 'an array, or null')
S304: Final = Site('schema.minItems', 'minItems', '#/$defs/ChatCompletionRequest/properties/adapters/oneOf/1/minItems', 'give it at least 1 item', 'at least 1 item, or null')
S305: Final = Site('schema.maxItems', 'maxItems', '#/$defs/ChatCompletionRequest/properties/adapters/oneOf/1/maxItems', 'give it at most 16 items', 'at most 16 items, or null')
S306: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionRequest/properties/rollout_provenance/type', 'use true or false, got {got}', 'true or false')
S307: Final = Site('chat.adapter-exclusive', 'not', '#/$defs/ChatCompletionRequest/allOf/0/not', 'leave adapter out when adapters is an array (even null selects an adapter)', 'adapter absent beside an adapters array')
S308: Final = Site('chat.stream-one-choice', 'then', '#/$defs/ChatCompletionRequest/allOf/1/then/not', 'set n to 1, or stream to false: a stream has one choice', 'n <= 1')
S309: Final = Site('chat.rollout-ignore-eos', 'then', '#/$defs/ChatCompletionRequest/allOf/2/then/properties/ignore_eos', 'set ignore_eos to false when rollout_provenance is true', 'ignore_eos false or absent')
S310: Final = Site('chat.rollout-stream', 'then', '#/$defs/ChatCompletionRequest/allOf/2/then/properties/stream', 'set stream to false when rollout_provenance is true', 'stream false or absent')
S311: Final = Site('chat.rollout-one-choice', 'then', '#/$defs/ChatCompletionRequest/allOf/2/then/properties/n', 'ask for one choice when rollout_provenance is true', 'n null, 1 or absent')
S312: Final = Site('chat.rollout-max-tokens', 'then', '#/$defs/ChatCompletionRequest/allOf/2/then/properties/max_tokens', 'ask for at least one token when rollout_provenance is true', 'max_tokens null, at least 1 or absent')
S313: Final = Site('rollout.no-tools', 'x-kiln-semantic-constraints', '#/$defs/ChatCompletionRequest/x-kiln-semantic-constraints/1', 'A request for rollout provenance has no tools and no tool choice.', 'A request for rollout provenance has no tools and no tool choice.')
S314: Final = Site('rollout.capacity', 'description', '#/$defs/ChatCompletionRequest', 'A request for rollout provenance generates at least one token.', 'A request for rollout provenance generates at least one token.')
S315: Final = Site('rollout.sampling', 'description', '#/$defs/ChatCompletionRequest', 'With rollout provenance, the sampling values fit the record that reports them.', 'With rollout provenance, the sampling values fit the record that reports them.')
S316: Final = Site('schema.type', 'type', '#/$defs/ChatMessageOutput/type', 'use an object, got {got}', 'an object')
S317: Final = Site('schema.type', 'type', '#/$defs/ChatMessageOutput/properties/role/type', 'use a string, got {got}', 'a string')
S318: Final = Site('schema.required', 'required', '#/$defs/ChatMessageOutput/required', 'add the required member "role"', 'member "role" present')
S319: Final = Site('schema.type', 'type', '#/$defs/ChatMessageOutput/properties/content/type', 'use a string, got {got}', 'a string')
S320: Final = Site('schema.required', 'required', '#/$defs/ChatMessageOutput/required', 'add the required member "content"', 'member "content" present')
S321: Final = Site('schema.type', 'type', '#/$defs/ChatMessageOutput/properties/reasoning_content/type', 'use a string, got {got}', 'a string')
S322: Final = Site('schema.type', 'type', '#/$defs/ChatMessageOutput/properties/name/type', 'use a string, got {got}', 'a string')
S323: Final = Site('schema.type', 'type', '#/$defs/ChatMessageOutput/properties/tool_call_id/type', 'use a string, got {got}', 'a string')
S324: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ChatMessageOutput/additionalProperties', 'remove this member: ChatMessageOutput is closed (a newer contract revision may know it)', 'no unknown member')
S325: Final = Site('schema.type', 'type', '#/$defs/RolloutActionTokenV1/oneOf/0/type', 'use an object, got {got}', 'an object')
S326: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/0/required', 'add the required member "sequence_index"', 'member "sequence_index" present')
S327: Final = Site('schema.type', 'type', '#/$defs/RolloutActionTokenV1/oneOf/0/properties/token_id/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S328: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutActionTokenV1/oneOf/0/properties/token_id/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S329: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutActionTokenV1/oneOf/0/properties/token_id/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S330: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/0/required', 'add the required member "token_id"', 'member "token_id" present')
S331: Final = Site('schema.const', 'const', '#/$defs/RolloutActionTokenV1/oneOf/0/properties/source/const', 'use "sampled"', '"sampled"')
S332: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/0/required', 'add the required member "source"', 'member "source" present')
S333: Final = Site('schema.type', 'type', '#/$defs/RolloutActionTokenV1/oneOf/0/properties/behavior_logprob/type', 'use a number, at most 1e-06, got {got}', 'a number, at most 1e-06')
S334: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutActionTokenV1/oneOf/0/properties/behavior_logprob/maximum', 'use a number, at most 1e-06', 'a number, at most 1e-06')
S335: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/0/required', 'add the required member "behavior_logprob"', 'member "behavior_logprob" present')
S336: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutActionTokenV1/oneOf/0/additionalProperties', 'remove this member: RolloutActionTokenV1 is closed (a newer contract revision may know it)', 'no unknown member')
S337: Final = Site('schema.type', 'type', '#/$defs/RolloutActionTokenV1/oneOf/1/type', 'use an object, got {got}', 'an object')
S338: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/1/required', 'add the required member "sequence_index"', 'member "sequence_index" present')
S339: Final = Site('schema.type', 'type', '#/$defs/RolloutActionTokenV1/oneOf/1/properties/token_id/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S340: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutActionTokenV1/oneOf/1/properties/token_id/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S341: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutActionTokenV1/oneOf/1/properties/token_id/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S342: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/1/required', 'add the required member "token_id"', 'member "token_id" present')
S343: Final = Site('schema.const', 'const', '#/$defs/RolloutActionTokenV1/oneOf/1/properties/source/const', 'use "forced"', '"forced"')
S344: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/1/required', 'add the required member "source"', 'member "source" present')
S345: Final = Site('schema.type', 'type', '#/$defs/RolloutActionTokenV1/oneOf/1/properties/behavior_logprob/type', 'use null, got {got}', 'null')
S346: Final = Site('schema.required', 'required', '#/$defs/RolloutActionTokenV1/oneOf/1/required', 'add the required member "behavior_logprob"', 'member "behavior_logprob" present')
S347: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutActionTokenV1/oneOf/1/additionalProperties', 'remove this member: RolloutActionTokenV1 is closed (a newer contract revision may know it)', 'no unknown member')
S348: Final = Site('schema.oneOf', 'oneOf', '#/$defs/RolloutActionTokenV1/oneOf', 'use one of "sampled", "forced" for source', 'one of "sampled", "forced"')
S349: Final = Site('schema.type', 'type', '#/$defs/RolloutIdentityText/type', 'use a string, got {got}', 'a string')
S350: Final = Site('schema.minLength', 'minLength', '#/$defs/RolloutIdentityText/minLength', 'give it at least 1 character', 'at least 1 character')
S351: Final = Site('schema.maxLength', 'maxLength', '#/$defs/RolloutIdentityText/maxLength', 'give it at most 256 characters', 'at most 256 characters')
S352: Final = Site('schema.pattern', 'pattern', '#/$defs/RolloutIdentityText/pattern', 'write text that matches ^[^\\u0000-\\u001f\\u007f]+$', 'text matching ^[^\\u0000-\\u001f\\u007f]+$')
S353: Final = Site('identity-text', 'x-kiln-max-utf8-bytes', '#/$defs/RolloutIdentityText/x-kiln-max-utf8-bytes', 'Identity text is trimmed, free of control characters and bounded in UTF-8 bytes.', 'Identity text is trimmed, free of control characters and bounded in UTF-8 bytes.')
S354: Final = Site('schema.type', 'type', '#/$defs/RolloutAdapterIdentityV1/type', 'use an object, got {got}', 'an object')
S355: Final = Site('schema.required', 'required', '#/$defs/RolloutAdapterIdentityV1/required', 'add the required member "name"', 'member "name" present')
S356: Final = Site('schema.required', 'required', '#/$defs/RolloutAdapterIdentityV1/required', 'add the required member "content_sha256"', 'member "content_sha256" present')
S357: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutAdapterIdentityV1/additionalProperties', 'remove this member: RolloutAdapterIdentityV1 is closed (a newer contract revision may know it)', 'no unknown member')
S358: Final = Site('schema.type', 'type', '#/$defs/RolloutBehaviorPolicyIdentityV1/type', 'use an object, got {got}', 'an object')
S359: Final = Site('schema.required', 'required', '#/$defs/RolloutBehaviorPolicyIdentityV1/required', 'add the required member "served_model_id"', 'member "served_model_id" present')
S360: Final = Site('schema.required', 'required', '#/$defs/RolloutBehaviorPolicyIdentityV1/required', 'add the required member "base_model_sha256"', 'member "base_model_sha256" present')
S361: Final = Site('schema.required', 'required', '#/$defs/RolloutBehaviorPolicyIdentityV1/required', 'add the required member "inference_config_sha256"', 'member "inference_config_sha256" present')
S362: Final = Site('schema.required', 'required', '#/$defs/RolloutBehaviorPolicyIdentityV1/required', 'add the required member "implementation"', 'member "implementation" present')
S363: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutBehaviorPolicyIdentityV1/additionalProperties', 'remove this member: RolloutBehaviorPolicyIdentityV1 is closed (a newer contract revision may know it)', 'no unknown member')
S364: Final = Site('schema.type', 'type', '#/$defs/RolloutChatTemplateInvocationV1/type', 'use an object, got {got}', 'an object')
S365: Final = Site('schema.type', 'type', '#/$defs/RolloutChatTemplateInvocationV1/properties/tools/type', 'use an array, got {got}', 'an array')
S366: Final = Site('schema.maxItems', 'maxItems', '#/$defs/RolloutChatTemplateInvocationV1/properties/tools/maxItems', 'give it at most 256 items', 'at most 256 items')
S367: Final = Site('schema.type', 'type', '#/$defs/RolloutChatTemplateInvocationV1/properties/template_kwargs/type', 'use an object, got {got}', 'an object')
S368: Final = Site('schema.maxProperties', 'maxProperties', '#/$defs/RolloutChatTemplateInvocationV1/properties/template_kwargs/maxProperties', 'give it at most 256 members', 'at most 256 members')
S369: Final = Site('schema.type', 'type', '#/$defs/RolloutChatTemplateInvocationV1/properties/template_kwargs/propertyNames/type', 'use a string, got {got}', 'a string')
S370: Final = Site('schema.minLength', 'minLength', '#/$defs/RolloutChatTemplateInvocationV1/properties/template_kwargs/propertyNames/minLength', 'give it at least 1 character', 'at least 1 character')
S371: Final = Site('schema.maxLength', 'maxLength', '#/$defs/RolloutChatTemplateInvocationV1/properties/template_kwargs/propertyNames/maxLength', 'give it at most 256 characters', 'at most 256 characters')
S372: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutChatTemplateInvocationV1/additionalProperties', 'remove this member: RolloutChatTemplateInvocationV1 is closed (a newer contract revision may know it)', 'no unknown member')
S373: Final = Site('template-invocation.size', 'x-kiln-semantic-constraints', '#/$defs/RolloutChatTemplateInvocationV1/x-kiln-semantic-constraints/0', 'Tool and template inputs of a record take at most 1 MiB of canonical JSON.', 'Tool and template inputs of a record take at most 1 MiB of canonical JSON.')
S374: Final = Site('schema.type', 'type', '#/$defs/RolloutThinkingBudgetV1/type', 'use an object, got {got}', 'an object')
S375: Final = Site('schema.type', 'type', '#/$defs/RolloutThinkingBudgetV1/properties/close_token_ids/type', 'use an array, got {got}', 'an array')
S376: Final = Site('schema.minItems', 'minItems', '#/$defs/RolloutThinkingBudgetV1/properties/close_token_ids/minItems', 'give it at least 1 item', 'at least 1 item')
S377: Final = Site('schema.type', 'type', '#/$defs/RolloutThinkingBudgetV1/properties/close_token_ids/items/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S378: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutThinkingBudgetV1/properties/close_token_ids/items/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S379: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutThinkingBudgetV1/properties/close_token_ids/items/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S380: Final = Site('schema.required', 'required', '#/$defs/RolloutThinkingBudgetV1/required', 'add the required member "close_token_ids"', 'member "close_token_ids" present')
S381: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutThinkingBudgetV1/additionalProperties', 'remove this member: RolloutThinkingBudgetV1 is closed (a newer contract revision may know it)', 'no unknown member')
S382: Final = Site('rollout.budget-limit', 'anyOf', '#/$defs/RolloutThinkingBudgetV1/anyOf', 'give max_tokens, max_time_ms or both: a budget has a limit', 'max_tokens or max_time_ms')
S383: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/type', 'use an object, got {got}', 'an object')
S384: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/temperature/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S385: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutSamplingConfigV1/properties/temperature/minimum', 'use a number, at least 0', 'a number, at least 0')
S386: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "temperature"', 'member "temperature" present')
S387: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/top_p/type', 'use a number from 0 to 1, got {got}', 'a number from 0 to 1')
S388: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutSamplingConfigV1/properties/top_p/minimum', 'use a number from 0 to 1', 'a number from 0 to 1')
S389: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutSamplingConfigV1/properties/top_p/maximum', 'use a number from 0 to 1', 'a number from 0 to 1')
S390: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "top_p"', 'member "top_p" present')
S391: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/top_k/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S392: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutSamplingConfigV1/properties/top_k/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S393: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutSamplingConfigV1/properties/top_k/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S394: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "top_k"', 'member "top_k" present')
S395: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/min_p/type', 'use a number from 0 to 1, got {got}', 'a number from 0 to 1')
S396: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutSamplingConfigV1/properties/min_p/minimum', 'use a number from 0 to 1', 'a number from 0 to 1')
S397: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutSamplingConfigV1/properties/min_p/maximum', 'use a number from 0 to 1', 'a number from 0 to 1')
S398: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "min_p"', 'member "min_p" present')
S399: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/max_tokens/type', 'use an integer, at least 1, got {got}', 'an integer, at least 1')
S400: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutSamplingConfigV1/properties/max_tokens/minimum', 'use an integer, at least 1', 'an integer, at least 1')
S401: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "max_tokens"', 'member "max_tokens" present')
S402: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/repetition_penalty/type', 'use a number above 0, got {got}', 'a number above 0')
S403: Final = Site('schema.exclusiveMinimum', 'exclusiveMinimum', '#/$defs/RolloutSamplingConfigV1/properties/repetition_penalty/exclusiveMinimum', 'use a number above 0', 'a number above 0')
S404: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "repetition_penalty"', 'member "repetition_penalty" present')
S405: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/presence_penalty/type', 'use a number from -2 to 2, got {got}', 'a number from -2 to 2')
S406: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutSamplingConfigV1/properties/presence_penalty/minimum', 'use a number from -2 to 2', 'a number from -2 to 2')
S407: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutSamplingConfigV1/properties/presence_penalty/maximum', 'use a number from -2 to 2', 'a number from -2 to 2')
S408: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "presence_penalty"', 'member "presence_penalty" present')
S409: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/frequency_penalty/type', 'use a number from -2 to 2, got {got}', 'a number from -2 to 2')
S410: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutSamplingConfigV1/properties/frequency_penalty/minimum', 'use a number from -2 to 2', 'a number from -2 to 2')
S411: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutSamplingConfigV1/properties/frequency_penalty/maximum', 'use a number from -2 to 2', 'a number from -2 to 2')
S412: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "frequency_penalty"', 'member "frequency_penalty" present')
S413: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/stop/type', 'use an array, got {got}', 'an array')
S414: Final = Site('schema.maxItems', 'maxItems', '#/$defs/RolloutSamplingConfigV1/properties/stop/maxItems', 'give it at most 256 items', 'at most 256 items')
S415: Final = Site('schema.type', 'type', '#/$defs/RolloutSamplingConfigV1/properties/stop/items/type', 'use a string, got {got}', 'a string')
S416: Final = Site('schema.minLength', 'minLength', '#/$defs/RolloutSamplingConfigV1/properties/stop/items/minLength', 'give it at least 1 character', 'at least 1 character')
S417: Final = Site('schema.required', 'required', '#/$defs/RolloutSamplingConfigV1/required', 'add the required member "stop"', 'member "stop" present')
S418: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutSamplingConfigV1/additionalProperties', 'remove this member: RolloutSamplingConfigV1 is closed (a newer contract revision may know it)', 'no unknown member')
S419: Final = Site('sampling.stop-bytes', 'x-kiln-semantic-constraints', '#/$defs/RolloutSamplingConfigV1/x-kiln-semantic-constraints/0', "A record's stop sequences take at most 16 KiB of UTF-8 together.", "A record's stop sequences take at most 16 KiB of UTF-8 together.")
S420: Final = Site('schema.type', 'type', '#/$defs/RolloutTokenizerIdentityV1/type', 'use an object, got {got}', 'an object')
S421: Final = Site('schema.required', 'required', '#/$defs/RolloutTokenizerIdentityV1/required', 'add the required member "vocab_sha256"', 'member "vocab_sha256" present')
S422: Final = Site('schema.required', 'required', '#/$defs/RolloutTokenizerIdentityV1/required', 'add the required member "config_sha256"', 'member "config_sha256" present')
S423: Final = Site('schema.required', 'required', '#/$defs/RolloutTokenizerIdentityV1/required', 'add the required member "chat_template_sha256"', 'member "chat_template_sha256" present')
S424: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutTokenizerIdentityV1/additionalProperties', 'remove this member: RolloutTokenizerIdentityV1 is closed (a newer contract revision may know it)', 'no unknown member')
S425: Final = Site('schema.type', 'type', '#/$defs/RolloutProvenanceV1/type', 'use an object, got {got}', 'an object')
S426: Final = Site('schema.const', 'const', '#/$defs/RolloutProvenanceV1/properties/schema/const', 'use "kiln.rollout-provenance.v1"', '"kiln.rollout-provenance.v1"')
S427: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "schema"', 'member "schema" present')
S428: Final = Site('schema.type', 'type', '#/$defs/RolloutProvenanceV1/properties/input_token_ids/type', 'use an array, got {got}', 'an array')
S429: Final = Site('schema.minItems', 'minItems', '#/$defs/RolloutProvenanceV1/properties/input_token_ids/minItems', 'give it at least 1 item', 'at least 1 item')
S430: Final = Site('schema.maxItems', 'maxItems', '#/$defs/RolloutProvenanceV1/properties/input_token_ids/maxItems', 'give it at most 16777216 items', 'at most 16777216 items')
S431: Final = Site('schema.type', 'type', '#/$defs/RolloutProvenanceV1/properties/input_token_ids/items/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S432: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutProvenanceV1/properties/input_token_ids/items/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S433: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutProvenanceV1/properties/input_token_ids/items/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S434: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "input_token_ids"', 'member "input_token_ids" present')
S435: Final = Site('schema.type', 'type', '#/$defs/RolloutProvenanceV1/properties/prompt_token_count/type', 'use an integer, at least 1, got {got}', 'an integer, at least 1')
S436: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutProvenanceV1/properties/prompt_token_count/minimum', 'use an integer, at least 1', 'an integer, at least 1')
S437: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "prompt_token_count"', 'member "prompt_token_count" present')
S438: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "prompt_messages_sha256"', 'member "prompt_messages_sha256" present')
S439: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "scored_payload_sha256"', 'member "scored_payload_sha256" present')
S440: Final = Site('schema.type', 'type', '#/$defs/RolloutProvenanceV1/properties/action_tokens/type', 'use an array, got {got}', 'an array')
S441: Final = Site('schema.minItems', 'minItems', '#/$defs/RolloutProvenanceV1/properties/action_tokens/minItems', 'give it at least 1 item', 'at least 1 item')
S442: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "action_tokens"', 'member "action_tokens" present')
S443: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "behavior_policy"', 'member "behavior_policy" present')
S444: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "tokenizer"', 'member "tokenizer" present')
S445: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "sampling"', 'member "sampling" present')
S446: Final = Site('schema.type', 'type', '#/$defs/RolloutProvenanceV1/properties/seed/type', 'use an integer from 0 to 18446744073709551615, got {got}', 'an integer from 0 to 18446744073709551615')
S447: Final = Site('schema.minimum', 'minimum', '#/$defs/RolloutProvenanceV1/properties/seed/minimum', 'use an integer from 0 to 18446744073709551615', 'an integer from 0 to 18446744073709551615')
S448: Final = Site('schema.maximum', 'maximum', '#/$defs/RolloutProvenanceV1/properties/seed/maximum', 'use an integer from 0 to 18446744073709551615', 'an integer from 0 to 18446744073709551615')
S449: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "seed"', 'member "seed" present')
S450: Final = Site('schema.type', 'type', '#/$defs/RolloutProvenanceV1/properties/generation_backend/type', 'use a string, got {got}', 'a string')
S451: Final = Site('schema.minLength', 'minLength', '#/$defs/RolloutProvenanceV1/properties/generation_backend/minLength', 'give it at least 1 character', 'at least 1 character')
S452: Final = Site('schema.maxLength', 'maxLength', '#/$defs/RolloutProvenanceV1/properties/generation_backend/maxLength', 'give it at most 64 characters', 'at most 64 characters')
S453: Final = Site('schema.pattern', 'pattern', '#/$defs/RolloutProvenanceV1/properties/generation_backend/pattern', 'write text that matches ^[^\\u0000-\\u001f\\u007f]+$', 'text matching ^[^\\u0000-\\u001f\\u007f]+$')
S454: Final = Site('identity-text', 'x-kiln-max-utf8-bytes', '#/$defs/RolloutProvenanceV1/properties/generation_backend/x-kiln-max-utf8-bytes', 'Identity text is trimmed, free of control characters and bounded in UTF-8 bytes.', 'Identity text is trimmed, free of control characters and bounded in UTF-8 bytes.')
S455: Final = Site('schema.required', 'required', '#/$defs/RolloutProvenanceV1/required', 'add the required member "generation_backend"', 'member "generation_backend" present')
S456: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/RolloutProvenanceV1/additionalProperties', 'remove this member: RolloutProvenanceV1 is closed (a newer contract revision may know it)', 'no unknown member')
S457: Final = Site('provenance.prompt-count', 'x-kiln-semantic-constraints', '#/$defs/RolloutProvenanceV1/x-kiln-semantic-constraints/0', 'The prompt is a prefix of input_token_ids.', 'The prompt is a prefix of input_token_ids.')
S458: Final = Site('provenance.action-order', 'x-kiln-semantic-constraints', '#/$defs/RolloutProvenanceV1/x-kiln-semantic-constraints/1', 'Actions index generated tokens in strictly increasing order.', 'Actions index generated tokens in strictly increasing order.')
S459: Final = Site('provenance.action-token', 'x-kiln-semantic-constraints', '#/$defs/RolloutProvenanceV1/x-kiln-semantic-constraints/2', "An action's token is the one that stands at its place in input_token_ids.", "An action's token is the one that stands at its place in input_token_ids.")
S460: Final = Site('provenance.sampled', 'x-kiln-semantic-constraints', '#/$defs/RolloutProvenanceV1/x-kiln-semantic-constraints/3', 'A record holds at least one sampled action.', 'A record holds at least one sampled action.')
S461: Final = Site('provenance.forced', 'x-kiln-semantic-constraints', '#/$defs/RolloutProvenanceV1/x-kiln-semantic-constraints/4', 'Forced actions are close tokens of the thinking budget.', 'Forced actions are close tokens of the thinking budget.')
S462: Final = Site('schema.type', 'type', '#/$defs/Choice/type', 'use an object, got {got}', 'an object')
S463: Final = Site('schema.required', 'required', '#/$defs/Choice/required', 'add the required member "index"', 'member "index" present')
S464: Final = Site('schema.required', 'required', '#/$defs/Choice/required', 'add the required member "message"', 'member "message" present')
S465: Final = Site('schema.required', 'required', '#/$defs/Choice/required', 'add the required member "finish_reason"', 'member "finish_reason" present')
S466: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/Choice/additionalProperties', 'remove this member: Choice is closed (a newer contract revision may know it)', 'no unknown member')
S467: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionResponse/type', 'use an object, got {got}', 'an object')
S468: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionResponse/properties/id/type', 'use a string, got {got}', 'a string')
S469: Final = Site('schema.pattern', 'pattern', '#/$defs/ChatCompletionResponse/properties/id/pattern', 'write text that matches ^chatcmpl-', 'text matching ^chatcmpl-')
S470: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionResponse/required', 'add the required member "id"', 'member "id" present')
S471: Final = Site('schema.const', 'const', '#/$defs/ChatCompletionResponse/properties/object/const', 'use "chat.completion"', '"chat.completion"')
S472: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionResponse/required', 'add the required member "object"', 'member "object" present')
S473: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionResponse/required', 'add the required member "created"', 'member "created" present')
S474: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionResponse/properties/model/type', 'use a string, got {got}', 'a string')
S475: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionResponse/required', 'add the required member "model"', 'member "model" present')
S476: Final = Site('schema.type', 'type', '#/$defs/ChatCompletionResponse/properties/choices/type', 'use an array, got {got}', 'an array')
S477: Final = Site('schema.minItems', 'minItems', '#/$defs/ChatCompletionResponse/properties/choices/minItems', 'give it at least 1 item', 'at least 1 item')
S478: Final = Site('schema.maxItems', 'maxItems', '#/$defs/ChatCompletionResponse/properties/choices/maxItems', 'give it at most 64 items', 'at most 64 items')
S479: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionResponse/required', 'add the required member "choices"', 'member "choices" present')
S480: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionResponse/required', 'add the required member "usage"', 'member "usage" present')
S481: Final = Site('schema.required', 'required', '#/$defs/ChatCompletionResponse/required', 'add the required member "metadata"', 'member "metadata" present')
S482: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/ChatCompletionResponse/additionalProperties', 'remove this member: ChatCompletionResponse is closed (a newer contract revision may know it)', 'no unknown member')
S483: Final = Site('index.order', 'description', '#/$defs/ChatCompletionResponse', 'Choices and completions are numbered in order, each once.', 'Choices and completions are numbered in order, each once.')
S484: Final = Site('schema.type', 'type', '#/$defs/PromptLogprobEntry/type', 'use an object, got {got}', 'an object')
S485: Final = Site('schema.type', 'type', '#/$defs/PromptLogprobEntry/properties/logprob/type', 'use a number, got {got}', 'a number')
S486: Final = Site('schema.required', 'required', '#/$defs/PromptLogprobEntry/required', 'add the required member "logprob"', 'member "logprob" present')
S487: Final = Site('schema.type', 'type', '#/$defs/PromptLogprobEntry/properties/rank/type', 'use an integer, at least 1, got {got}', 'an integer, at least 1')
S488: Final = Site('schema.minimum', 'minimum', '#/$defs/PromptLogprobEntry/properties/rank/minimum', 'use an integer, at least 1', 'an integer, at least 1')
S489: Final = Site('schema.required', 'required', '#/$defs/PromptLogprobEntry/required', 'add the required member "rank"', 'member "rank" present')
S490: Final = Site('schema.type', 'type', '#/$defs/PromptLogprobEntry/properties/decoded_token/type', 'use a string, got {got}', 'a string')
S491: Final = Site('schema.required', 'required', '#/$defs/PromptLogprobEntry/required', 'add the required member "decoded_token"', 'member "decoded_token" present')
S492: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/PromptLogprobEntry/additionalProperties', 'remove this member: PromptLogprobEntry is closed (a newer contract revision may know it)', 'no unknown member')
S493: Final = Site('schema.type', 'type', '#/$defs/PromptLogprobMap/type', 'use an object, got {got}', 'an object')
S494: Final = Site('schema.type', 'type', '#/$defs/PromptLogprobMap/propertyNames/type', 'use a string, got {got}', 'a string')
S495: Final = Site('schema.pattern', 'pattern', '#/$defs/PromptLogprobMap/propertyNames/pattern', 'write text that matches ^[0-9]+$', 'text matching ^[0-9]+$')
S496: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/type', 'use an object, got {got}', 'an object')
S497: Final = Site('schema.const', 'const', '#/$defs/StreamingTokenTiming/properties/object/const', 'use "kiln.token_timing"', '"kiln.token_timing"')
S498: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "object"', 'member "object" present')
S499: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/source/type', 'use one of "batching_engine", "direct", got {got}', 'one of "batching_engine", "direct"')
S500: Final = Site('schema.enum', 'enum', '#/$defs/StreamingTokenTiming/properties/source/enum', 'use one of "batching_engine", "direct"', 'one of "batching_engine", "direct"')
S501: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "source"', 'member "source" present')
S502: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/token_index/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S503: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/token_index/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S504: Final = Site('schema.maximum', 'maximum', '#/$defs/StreamingTokenTiming/properties/token_index/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S505: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "token_index"', 'member "token_index" present')
S506: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/token_id/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S507: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/token_id/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S508: Final = Site('schema.maximum', 'maximum', '#/$defs/StreamingTokenTiming/properties/token_id/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S509: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "token_id"', 'member "token_id" present')
S510: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/ready_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S511: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/ready_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S512: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "ready_ms"', 'member "ready_ms" present')
S513: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/producer_delivered_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S514: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/producer_delivered_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S515: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "producer_delivered_ms"', 'member "producer_delivered_ms" present')
S516: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/handler_received_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S517: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/handler_received_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S518: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "handler_received_ms"', 'member "handler_received_ms" present')
S519: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/body_enqueued_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S520: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/body_enqueued_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S521: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "body_enqueued_ms"', 'member "body_enqueued_ms" present')
S522: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/response_delivery_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S523: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/response_delivery_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S524: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "response_delivery_ms"', 'member "response_delivery_ms" present')
S525: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/handler_queue_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S526: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/handler_queue_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S527: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "handler_queue_ms"', 'member "handler_queue_ms" present')
S528: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/queue_delay_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S529: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/queue_delay_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S530: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "queue_delay_ms"', 'member "queue_delay_ms" present')
S531: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/client_delivery_ms/type', 'use a number, at least 0, got {got}', 'a number, at least 0')
S532: Final = Site('schema.minimum', 'minimum', '#/$defs/StreamingTokenTiming/properties/client_delivery_ms/minimum', 'use a number, at least 0', 'a number, at least 0')
S533: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "client_delivery_ms"', 'member "client_delivery_ms" present')
S534: Final = Site('schema.type', 'type', '#/$defs/StreamingTokenTiming/properties/blocking_phase/type', 'use one of "actor_queue", "actor_admission", "actor_prefill", "actor_decode", "actor_cycle_idle", "response_delivery", "handler_queue", "client_delivery", "sampling", "readback", "gpu_lock_wait", "graph_capture", "graph_replay", "synchronization", "resize", "trim", "adapter", "training", "unexplained", null, got {got}', 'one of "actor_queue", "actor_admission", "actor_prefill", "actor_decode", "actor_cycle_idle", "response_delivery", "handler_queue", "client_delivery", "sampling", "readback", "gpu_lock_wait", "graph_capture", "graph_replay", "synchronization", "resize", "trim", "adapter", "training", "unexplained", null')
S535: Final = Site('schema.enum', 'enum', '#/$defs/StreamingTokenTiming/properties/blocking_phase/enum', 'use one of "actor_queue", "actor_admission", "actor_prefill", "actor_decode", "actor_cycle_idle", "response_delivery", "handler_queue", "client_delivery", "sampling", "readback", "gpu_lock_wait", "graph_capture", "graph_replay", "synchronization", "resize", "trim", "adapter", "training", "unexplained", null', 'one of "actor_queue", "actor_admission", "actor_prefill", "actor_decode", "actor_cycle_idle", "response_delivery", "handler_queue", "client_delivery", "sampling", "readback", "gpu_lock_wait", "graph_capture", "graph_replay", "synchronization", "resize", "trim", "adapter", "training", "unexplained", null')
S536: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "blocking_phase"', 'member "blocking_phase" present')
S537: Final = Site('schema.required', 'required', '#/$defs/StreamingTokenTiming/required', 'add the required member "blocking_phase_ms"', 'member "blocking_phase_ms" present')
S538: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/StreamingTokenTiming/additionalProperties', 'remove this member: StreamingTokenTiming is closed (a newer contract revision may know it)', 'no unknown member')
S539: Final = Site('timing.queue-delay', 'description', '#/$defs/StreamingTokenTiming', 'queue_delay_ms is response_delivery_ms plus handler_queue_ms, within 0.002.', 'queue_delay_ms is response_delivery_ms plus handler_queue_ms, within 0.002.')
S540: Final = Site('schema.type', 'type', '#/$defs/TextCompletionChoice/type', 'use an object, got {got}', 'an object')
S541: Final = Site('schema.required', 'required', '#/$defs/TextCompletionChoice/required', 'add the required member "index"', 'member "index" present')
S542: Final = Site('schema.type', 'type', '#/$defs/TextCompletionChoice/properties/text/type', 'use a string, got {got}', 'a string')
S543: Final = Site('schema.required', 'required', '#/$defs/TextCompletionChoice/required', 'add the required member "text"', 'member "text" present')
S544: Final = Site('schema.required', 'required', '#/$defs/TextCompletionChoice/required', 'add the required member "finish_reason"', 'member "finish_reason" present')
S545: Final = Site('schema.type', 'type', '#/$defs/TextCompletionChoice/properties/prompt_logprobs/type', 'use an array, got {got}', 'an array')
S546: Final = Site('schema.type', 'type', '#/$defs/PromptLogprobMap/type', 'use an object, or null, got {got}', 'an object, or null')
S547: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/TextCompletionChoice/additionalProperties', 'remove this member: TextCompletionChoice is closed (a newer contract revision may know it)', 'no unknown member')
S548: Final = Site('logprobs.entries', 'description', '#/$defs/TextCompletionChoice', 'The first prompt token has no entry; every later one has candidates in rank order.', 'The first prompt token has no entry; every later one has candidates in rank order.')
S549: Final = Site('schema.type', 'type', '#/$defs/TextCompletionRequest/type', 'use an object, got {got}', 'an object')
S550: Final = Site('schema.type', 'type', '#/$defs/TextCompletionRequest/properties/prompt/oneOf/0/type', 'use a string, got {got}', 'a string')
S551: Final = Site('schema.type', 'type', '#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/type', 'use an array, got {got}', 'an array')
S552: Final = Site('schema.minItems', 'minItems', '#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/minItems', 'give it at least 1 item', 'at least 1 item')
S553: Final = Site('schema.maxItems', 'maxItems', '#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/maxItems', 'give it at most 4096 items', 'at most 4096 items')
S554: Final = Site('schema.type', 'type', '#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/items/type', 'use an integer from 0 to 4294967295, got {got}', 'an integer from 0 to 4294967295')
S555: Final = Site('schema.minimum', 'minimum', '#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/items/minimum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S556: Final = Site('schema.maximum', 'maximum', '#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/items/maximum', 'use an integer from 0 to 4294967295', 'an integer from 0 to 4294967295')
S557: Final = Site('schema.oneOf', 'oneOf', '#/$defs/TextCompletionRequest/properties/prompt/oneOf', 'use a string or an array, got {got}', 'a string or an array')
S558: Final = Site('schema.required', 'required', '#/$defs/TextCompletionRequest/required', 'add the required member "prompt"', 'member "prompt" present')
S559: Final = Site('schema.type', 'type', '#/$defs/TextCompletionRequest/properties/max_tokens/oneOf/1/type', 'use an integer from 0 to 1, or null, got {got}', 'an integer from 0 to 1, or null')
S560: Final = Site('schema.minimum', 'minimum', '#/$defs/TextCompletionRequest/properties/max_tokens/oneOf/1/minimum', 'use an integer from 0 to 1, or null', 'an integer from 0 to 1, or null')
S561: Final = Site('schema.maximum', 'maximum', '#/$defs/TextCompletionRequest/properties/max_tokens/oneOf/1/maximum', 'use an integer from 0 to 1, or null', 'an integer from 0 to 1, or null')
S562: Final = Site('schema.type', 'type', '#/$defs/TextCompletionRequest/properties/prompt_logprobs/type', 'use an integer from 0 to 256, got {got}', 'an integer from 0 to 256')
S563: Final = Site('schema.minimum', 'minimum', '#/$defs/TextCompletionRequest/properties/prompt_logprobs/minimum', 'use an integer from 0 to 256', 'an integer from 0 to 256')
S564: Final = Site('schema.maximum', 'maximum', '#/$defs/TextCompletionRequest/properties/prompt_logprobs/maximum', 'use an integer from 0 to 256', 'an integer from 0 to 256')
S565: Final = Site('schema.required', 'required', '#/$defs/TextCompletionRequest/required', 'add the required member "prompt_logprobs"', 'member "prompt_logprobs" present')
S566: Final = Site('schema.const', 'const', '#/$defs/TextCompletionRequest/properties/n/oneOf/1/const', 'use 1, or null', '1, or null')
S567: Final = Site('schema.const', 'const', '#/$defs/TextCompletionRequest/properties/stream/const', 'use false', 'false')
S568: Final = Site('schema.type', 'type', '#/$defs/TextCompletionRequest/properties/add_special_tokens/type', 'use true or false, got {got}', 'true or false')
S569: Final = Site('scoring.candidates', 'x-kiln-semantic-constraints', '#/$defs/TextCompletionRequest/x-kiln-semantic-constraints/2', 'One scoring answer lists at most 65536 candidates.', 'One scoring answer lists at most 65536 candidates.')
S570: Final = Site('schema.type', 'type', '#/$defs/TextCompletionResponse/type', 'use an object, got {got}', 'an object')
S571: Final = Site('schema.type', 'type', '#/$defs/TextCompletionResponse/properties/id/type', 'use a string, got {got}', 'a string')
S572: Final = Site('schema.pattern', 'pattern', '#/$defs/TextCompletionResponse/properties/id/pattern', 'write text that matches ^cmpl-', 'text matching ^cmpl-')
S573: Final = Site('schema.required', 'required', '#/$defs/TextCompletionResponse/required', 'add the required member "id"', 'member "id" present')
S574: Final = Site('schema.const', 'const', '#/$defs/TextCompletionResponse/properties/object/const', 'use "text_completion"', '"text_completion"')
S575: Final = Site('schema.required', 'required', '#/$defs/TextCompletionResponse/required', 'add the required member "object"', 'member "object" present')
S576: Final = Site('schema.required', 'required', '#/$defs/TextCompletionResponse/required', 'add the required member "created"', 'member "created" present')
S577: Final = Site('schema.type', 'type', '#/$defs/TextCompletionResponse/properties/model/type', 'use a string, got {got}', 'a string')
S578: Final = Site('schema.required', 'required', '#/$defs/TextCompletionResponse/required', 'add the required member "model"', 'member "model" present')
S579: Final = Site('schema.required', 'required', '#/$defs/TextCompletionResponse/required', 'add the required member "system_fingerprint"', 'member "system_fingerprint" present')
S580: Final = Site('schema.type', 'type', '#/$defs/TextCompletionResponse/properties/choices/type', 'use an array, got {got}', 'an array')
S581: Final = Site('schema.minItems', 'minItems', '#/$defs/TextCompletionResponse/properties/choices/minItems', 'give it at least 1 item', 'at least 1 item')
S582: Final = Site('schema.maxItems', 'maxItems', '#/$defs/TextCompletionResponse/properties/choices/maxItems', 'give it at most 1 item', 'at most 1 item')
S583: Final = Site('schema.required', 'required', '#/$defs/TextCompletionResponse/required', 'add the required member "choices"', 'member "choices" present')
S584: Final = Site('schema.required', 'required', '#/$defs/TextCompletionResponse/required', 'add the required member "usage"', 'member "usage" present')
S585: Final = Site('schema.additionalProperties', 'additionalProperties', '#/$defs/TextCompletionResponse/additionalProperties', 'remove this member: TextCompletionResponse is closed (a newer contract revision may know it)', 'no unknown member')
S586: Final = Site('index.order', 'description', '#/$defs/TextCompletionResponse', 'Choices and completions are numbered in order, each once.', 'Choices and completions are numbered in order, each once.')
S587: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/request/type', 'use an object, got {got}', 'an object')
S588: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/type', 'use an object, got {got}', 'an object')
S589: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/properties/default_thinking_budget_tokens/oneOf/1/type', 'use an integer, at least 0, or null, got {got}', 'an integer, at least 0, or null')
S590: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/properties/default_thinking_budget_tokens/oneOf/1/minimum', 'use an integer, at least 0, or null', 'an integer, at least 0, or null')
S591: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/required', 'add the required member "default_thinking_budget_tokens"', 'member "default_thinking_budget_tokens" present')
S592: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/properties/default_thinking_budget_ms/oneOf/1/type', 'use an integer, at least 0, or null, got {got}', 'an integer, at least 0, or null')
S593: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/properties/default_thinking_budget_ms/oneOf/1/minimum', 'use an integer, at least 0, or null', 'an integer, at least 0, or null')
S594: Final = Site('schema.required', 'required', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/required', 'add the required member "default_thinking_budget_ms"', 'member "default_thinking_budget_ms" present')
S595: Final = Site('schema.additionalProperties', 'additionalProperties', 'thinking-budget-v1.schema.json#/$defs/serverDefaults/additionalProperties', 'remove this member: ThinkingBudgetServerDefaults is closed (a newer contract revision may know it)', 'no unknown member')
S596: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/recentRecord/type', 'use an object, got {got}', 'an object')
S597: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/recentRecord/properties/applied/type', 'use true or false, got {got}', 'true or false')
S598: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/recentRecord/properties/triggered/type', 'use true or false, got {got}', 'true or false')
S599: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/recentRecord/properties/closed/type', 'use true or false, got {got}', 'true or false')
S600: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/recentRecord/properties/thinking_tokens/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S601: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/recentRecord/properties/thinking_tokens/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S602: Final = Site('schema.type', 'type', 'thinking-budget-v1.schema.json#/$defs/recentRecord/properties/thinking_time_ms/type', 'use an integer, at least 0, got {got}', 'an integer, at least 0')
S603: Final = Site('schema.minimum', 'minimum', 'thinking-budget-v1.schema.json#/$defs/recentRecord/properties/thinking_time_ms/minimum', 'use an integer, at least 0', 'an integer, at least 0')
S604: Final = Site('schema.unevaluatedProperties', 'unevaluatedProperties', 'thinking-budget-v1.schema.json#/$defs/recentRecord/unevaluatedProperties', 'remove this member: ThinkingBudgetRecentRecord is closed (a newer contract revision may know it)', 'no unknown member')
# fmt: on

E0: Final = frozenset({"error", "length", "stop", "tool_calls"})
F1: Final = frozenset({"prompt_tokens", "completion_tokens", "total_tokens"})
R2: Final = (
    BoundCheck(S17, semantics.usage_total, structs.Usage, ("prompt_tokens", "completion_tokens", "total_tokens")),
)
E3: Final = frozenset({"tokens", "time", "max_tokens"})
F4: Final = frozenset({"triggered", "trigger", "closed", "thinking_tokens", "thinking_time_ms"})
F5: Final = frozenset(
    {
        "prompt_index",
        "completion_index",
        "text",
        "reasoning_content",
        "tool_calls",
        "finish_reason",
        "thinking_budget",
        "usage",
    }
)
E6: Final = frozenset(
    {
        "unlimited",
        "server_default",
        "request",
        "request_unlimited",
        "suite",
        "suite_unlimited",
        "run_override",
        "run_override_unlimited",
        "example",
        "example_unlimited",
        "unknown",
    }
)
F7: Final = frozenset({"configured", "max_tokens", "max_time_ms", "tokens_source", "time_source"})
F8: Final = frozenset({"thinking_budget"})
T9: Final = str
T10: Final = list[structs.ChatMessageInput]
T11: Final = structs.ChatMessageInput
T12: Final = structs.AdapterRef
R13: Final = (BoundCheck(S99, semantics.batch_outputs, structs.BatchCompletionRequest, ("prompts", "n")),)
P14: Final = re.compile("^batchcmpl-").search
T15: Final = structs.BatchCompletionItem
F16: Final = frozenset({"id", "object", "created", "model", "completions", "usage", "metadata"})
R17: Final = (
    BoundCheck(S118, semantics.usage_sum, structs.BatchCompletionResponse, ("completions", "usage")),
    BoundCheck(S119, semantics.batch_order, structs.BatchCompletionResponse, ("completions",)),
)
F18: Final = frozenset(
    {
        "actor_queue_ms",
        "actor_admission_ms",
        "tokenization_ms",
        "prefill_ms",
        "decode_ms",
        "actor_cycle_idle_ms",
        "sampling_ms",
        "readback_ms",
        "response_delivery_ms",
        "handler_queue_ms",
        "client_delivery_ms",
        "gpu_lock_wait_ms",
        "graph_capture_ms",
        "graph_replay_ms",
        "synchronization_ms",
        "resize_ms",
        "trim_ms",
        "adapter_ms",
        "training_ms",
        "unexplained_ms",
    }
)
F19: Final = frozenset(
    {
        "actor_queue",
        "actor_admission",
        "actor_prefill",
        "actor_decode",
        "actor_cycle_idle",
        "response_delivery",
        "handler_queue",
        "client_delivery",
        "sampling",
        "readback",
        "gpu_lock_wait",
        "graph_capture",
        "graph_replay",
        "synchronization",
        "resize",
        "trim",
        "adapter",
        "training",
        "unexplained",
    }
)
F20: Final = frozenset(
    {
        "emitted_tokens",
        "gap_samples",
        "retained_gap_samples",
        "gap_samples_truncated",
        "ttft_ms",
        "itl_ms_p50",
        "itl_ms_p99",
        "itl_ms_p999",
        "max_itl_ms",
        "stall_threshold_ms",
        "stall_count",
        "unexplained_stall_count",
        "stall_reasons",
        "phases",
    }
)
F21: Final = frozenset(
    {
        "prompt_tokens",
        "completion_tokens",
        "ttft_ms",
        "prefill_ms",
        "actor_queue_ms",
        "actor_admission_ms",
        "actor_prefill_wall_ms",
        "resident_prefill_used",
        "decode_ms",
        "total_latency_ms",
        "decode_tokens_per_sec",
        "adapter_used",
        "thinking_mode",
        "finish_reason",
        "latency",
    }
)
F22: Final = frozenset({"role", "content", "reasoning_content", "tool_calls"})
F23: Final = frozenset({"index", "delta", "finish_reason"})
F24: Final = frozenset(
    {
        "configured",
        "max_tokens",
        "max_time_ms",
        "tokens_source",
        "time_source",
        "applied",
        "triggered",
        "trigger",
        "closed",
        "thinking_tokens",
        "thinking_time_ms",
    }
)
R25: Final = (
    BoundCheck(
        S252, semantics.budget_outcome_applied, structs.ThinkingBudgetRecord, ("applied", "triggered", "closed")
    ),
)
F26: Final = frozenset({"thinking_budget", "performance"})
P27: Final = re.compile("^chatcmpl-").search
T28: Final = structs.ChunkChoice
F29: Final = frozenset({"id", "object", "created", "model", "choices", "metadata", "usage"})
P30: Final = re.compile("^sha256:[0-9a-f]{64}\\Z").search
F31: Final = frozenset(
    {
        "tokenizer_config_hash",
        "chat_template_hash",
        "training_chat_template_hash",
        "model_config_hash",
        "effective_config_hash",
    }
)
E32: Final = frozenset({"non_reasoning", "reasoning"})
E33: Final = frozenset({"custom", "request", "server_default", "template_default"})
E34: Final = frozenset({"no_content", "reasoning_without_final_content", "tool_call"})
F35: Final = frozenset(
    {
        "thinking_enabled",
        "thinking_mode",
        "thinking_source",
        "default_thinking_enabled",
        "final_content_empty",
        "content_empty_reason",
        "reasoning_folded_into_content",
        "thinking_budget",
        "config_hashes",
        "performance",
    }
)
R36: Final = (
    BoundCheck(
        S313, semantics.rollout_no_tools, structs.ChatCompletionRequest, ("rollout_provenance", "tools", "tool_choice")
    ),
    BoundCheck(
        S314,
        semantics.rollout_capacity,
        structs.ChatCompletionRequest,
        ("rollout_provenance", "max_tokens", "max_completion_tokens"),
    ),
    BoundCheck(
        S315,
        semantics.rollout_sampling,
        structs.ChatCompletionRequest,
        (
            "rollout_provenance",
            "temperature",
            "top_p",
            "top_k",
            "min_p",
            "presence_penalty",
            "frequency_penalty",
            "repetition_penalty",
            "stop",
        ),
    ),
)
F37: Final = frozenset({"role", "content", "reasoning_content", "tool_calls", "name", "tool_call_id"})
F38: Final = frozenset({"sequence_index", "token_id", "source", "behavior_logprob"})
P39: Final = re.compile("^[^\\u0000-\\u001f\\u007f]+\\Z").search
F40: Final = frozenset({"name", "content_sha256"})
F41: Final = frozenset({"served_model_id", "base_model_sha256", "adapter", "inference_config_sha256", "implementation"})
F42: Final = frozenset({"tools", "tool_choice", "template_kwargs"})
R43: Final = (
    BoundCheck(
        S373,
        semantics.template_invocation_size,
        structs.RolloutChatTemplateInvocationV1,
        ("tools", "tool_choice", "template_kwargs"),
    ),
)
T44: Final = Annotated[int, Meta(ge=0, le=4294967295)]
F45: Final = frozenset({"max_tokens", "max_time_ms", "close_token_ids"})
T46: Final = Annotated[str, Meta(min_length=1)]
F47: Final = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "max_tokens",
        "repetition_penalty",
        "presence_penalty",
        "frequency_penalty",
        "stop",
        "thinking_budget",
    }
)
R48: Final = (BoundCheck(S419, semantics.stop_bytes, structs.RolloutSamplingConfigV1, ("stop",)),)
F49: Final = frozenset({"vocab_sha256", "config_sha256", "chat_template_sha256"})
T50: Final = structs.RolloutActionTokenV1
F51: Final = frozenset(
    {
        "schema",
        "input_token_ids",
        "prompt_token_count",
        "prompt_messages_sha256",
        "scored_payload_sha256",
        "action_tokens",
        "behavior_policy",
        "tokenizer",
        "template_invocation",
        "sampling",
        "seed",
        "generation_backend",
    }
)
R52: Final = (
    BoundCheck(S457, semantics.prompt_count, structs.RolloutProvenanceV1, ("input_token_ids", "prompt_token_count")),
    BoundCheck(
        S458,
        semantics.action_order,
        structs.RolloutProvenanceV1,
        ("input_token_ids", "prompt_token_count", "action_tokens"),
    ),
    BoundCheck(S459, semantics.action_token, structs.RolloutProvenanceV1, ("input_token_ids", "action_tokens")),
    BoundCheck(S460, semantics.some_sampled, structs.RolloutProvenanceV1, ("action_tokens",)),
    BoundCheck(S461, semantics.forced_tokens, structs.RolloutProvenanceV1, ("action_tokens", "sampling")),
)
F53: Final = frozenset({"index", "message", "finish_reason", "thinking_budget", "rollout_provenance"})
T54: Final = structs.Choice
F55: Final = frozenset({"id", "object", "created", "model", "choices", "usage", "metadata"})
R56: Final = (BoundCheck(S483, semantics.choice_order, structs.ChatCompletionResponse, ("choices",)),)
F57: Final = frozenset({"logprob", "rank", "decoded_token"})
P58: Final = re.compile("^[0-9]+\\Z").search
E59: Final = frozenset({"batching_engine", "direct"})
E60: Final = frozenset(
    {
        "actor_queue",
        "actor_admission",
        "actor_prefill",
        "actor_decode",
        "actor_cycle_idle",
        "response_delivery",
        "handler_queue",
        "client_delivery",
        "sampling",
        "readback",
        "gpu_lock_wait",
        "graph_capture",
        "graph_replay",
        "synchronization",
        "resize",
        "trim",
        "adapter",
        "training",
        "unexplained",
        None,
    }
)
F61: Final = frozenset(
    {
        "object",
        "source",
        "token_index",
        "token_id",
        "ready_ms",
        "producer_delivered_ms",
        "handler_received_ms",
        "body_enqueued_ms",
        "response_delivery_ms",
        "handler_queue_ms",
        "queue_delay_ms",
        "client_delivery_ms",
        "blocking_phase",
        "blocking_phase_ms",
    }
)
R62: Final = (
    BoundCheck(
        S539,
        semantics.queue_delay,
        structs.StreamingTokenTiming,
        ("response_delivery_ms", "handler_queue_ms", "queue_delay_ms"),
    ),
)
T63: Final = None | structs.PromptLogprobMap
F64: Final = frozenset({"index", "text", "finish_reason", "prompt_logprobs"})
R65: Final = (BoundCheck(S548, semantics.logprob_entries, structs.TextCompletionChoice, ("prompt_logprobs",)),)
R66: Final = (
    BoundCheck(S569, semantics.scoring_candidates, structs.TextCompletionRequest, ("prompt", "prompt_logprobs")),
)
P67: Final = re.compile("^cmpl-").search
T68: Final = structs.TextCompletionChoice
F69: Final = frozenset({"id", "object", "created", "model", "system_fingerprint", "choices", "usage"})
R70: Final = (BoundCheck(S586, semantics.choice_order, structs.TextCompletionResponse, ("choices",)),)
F71: Final = frozenset({"default_thinking_budget_tokens", "default_thinking_budget_ms"})


def AdapterRef_name(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S1, v)]
    if len(v) < 1:
        return [Failure(S2, v)]
    e: Failures = []
    return e


def AdapterRef_scale(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S5, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    return []


def AdapterRef(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S0, v)]
    e: Failures = []
    x = v.get("name", M)
    if x is M:
        e.append(Failure(S3, M))
    elif not (x.__class__ is str and len(x) >= 1):
        put(e, AdapterRef_name(x, c), "name")
    if c.semantics and x.__class__ is str and x:
        put(e, found(S4, semantics.adapter_name(x), c.limit), "name")
    x = v.get("scale", M)
    if x is M:
        e.append(Failure(S6, M))
    elif not (x.__class__ is float and -INF < x < INF):
        put(e, AdapterRef_scale(x, c), "scale")
    return e


def FinishReason(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S7, v)]
    if v not in E0:
        return [Failure(S8, v)]
    e: Failures = []
    return e


def NonNegativeInteger(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S9, v)]
    if i < 0:
        return [Failure(S10, v)]
    return []


def ToolCallArray(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S11, v)]
    e = opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []
    return e


def Usage(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S12, v)]
    e: Failures = []
    x = v.get("prompt_tokens", M)
    if x is M:
        e.append(Failure(S13, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "prompt_tokens")
    x = v.get("completion_tokens", M)
    if x is M:
        e.append(Failure(S14, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "completion_tokens")
    x = v.get("total_tokens", M)
    if x is M:
        e.append(Failure(S15, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "total_tokens")
    if not F1.issuperset(v):
        for k in v:
            if k not in F1:
                put(e, [Failure(S16, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R2, c.limit)
    return e


def ThinkingBudgetTrigger(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S18, v)]
    if v not in E3:
        return [Failure(S19, v)]
    e: Failures = []
    return e


def ThinkingBudgetOutcome_triggered(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S21, v)]
    return []


def ThinkingBudgetOutcome_closed(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S23, v)]
    return []


def ThinkingBudgetOutcome_thinking_tokens(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S25, v)]
    if i < 0:
        return [Failure(S26, v)]
    return []


def ThinkingBudgetOutcome_thinking_time_ms(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S28, v)]
    if i < 0:
        return [Failure(S29, v)]
    return []


def ThinkingBudgetOutcome(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S20, v)]
    e: Failures = []
    x = v.get("triggered", M)
    if x is M:
        e.append(Failure(S22, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetOutcome_triggered(x, c), "triggered")
    x = v.get("trigger", M)
    if x is not M and not (x.__class__ is str and x in E3):
        put(e, ThinkingBudgetTrigger(x, c), "trigger")
    x = v.get("closed", M)
    if x is M:
        e.append(Failure(S24, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetOutcome_closed(x, c), "closed")
    x = v.get("thinking_tokens", M)
    if x is M:
        e.append(Failure(S27, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetOutcome_thinking_tokens(x, c), "thinking_tokens")
    x = v.get("thinking_time_ms", M)
    if x is M:
        e.append(Failure(S30, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetOutcome_thinking_time_ms(x, c), "thinking_time_ms")
    if not F4.issuperset(v):
        for k in v:
            if k not in F4:
                put(e, [Failure(S31, v[k])], k)
                if len(e) >= c.limit:
                    break
    if (v.get("triggered", M) is True) and ("trigger" not in v) and "triggered" in v and not broken(e, "triggered"):
        e.append(Failure(S32, v))
    if (not (v.get("triggered", M) is True)) and ("trigger" in v) and "triggered" in v and not broken(e, "triggered"):
        e.append(Failure(S33, v))
    return e


def BatchCompletionItem_prompt_index(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S35, v)]
    if i < 0:
        return [Failure(S36, v)]
    return []


def BatchCompletionItem_completion_index(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S38, v)]
    if i < 0:
        return [Failure(S39, v)]
    return []


def BatchCompletionItem_text(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S41, v)]
    e: Failures = []
    return e


def BatchCompletionItem_reasoning_content(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S43, v)]
    e: Failures = []
    return e


def BatchCompletionItem(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S34, v)]
    e: Failures = []
    x = v.get("prompt_index", M)
    if x is M:
        e.append(Failure(S37, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, BatchCompletionItem_prompt_index(x, c), "prompt_index")
    x = v.get("completion_index", M)
    if x is M:
        e.append(Failure(S40, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, BatchCompletionItem_completion_index(x, c), "completion_index")
    x = v.get("text", M)
    if x is M:
        e.append(Failure(S42, M))
    elif not (x.__class__ is str):
        put(e, BatchCompletionItem_text(x, c), "text")
    x = v.get("reasoning_content", M)
    if x is not M and not (x.__class__ is str):
        put(e, BatchCompletionItem_reasoning_content(x, c), "reasoning_content")
    x = v.get("tool_calls", M)
    if x is not M:
        put(e, ToolCallArray(x, c), "tool_calls")
    x = v.get("finish_reason", M)
    if x is M:
        e.append(Failure(S44, M))
    elif not (x.__class__ is str and x in E0):
        put(e, FinishReason(x, c), "finish_reason")
    x = v.get("thinking_budget", M)
    if x is not M and not (settled(x, structs.ThinkingBudgetOutcome, c)):
        put(e, ThinkingBudgetOutcome(x, c), "thinking_budget")
    x = v.get("usage", M)
    if x is M:
        e.append(Failure(S45, M))
    elif not (settled(x, structs.Usage, c)):
        put(e, Usage(x, c), "usage")
    if not F5.issuperset(v):
        for k in v:
            if k not in F5:
                put(e, [Failure(S46, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ThinkingBudgetSource(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S47, v)]
    if v not in E6:
        return [Failure(S48, v)]
    e: Failures = []
    return e


def ThinkingBudgetConfigurationMetadata_configured(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S50, v)]
    return []


def ThinkingBudgetConfigurationMetadata(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S49, v)]
    e: Failures = []
    x = v.get("configured", M)
    if x is M:
        e.append(Failure(S51, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetConfigurationMetadata_configured(x, c), "configured")
    x = v.get("max_tokens", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "max_tokens")
    x = v.get("max_time_ms", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "max_time_ms")
    x = v.get("tokens_source", M)
    if x is M:
        e.append(Failure(S52, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "tokens_source")
    x = v.get("time_source", M)
    if x is M:
        e.append(Failure(S53, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "time_source")
    if not F7.issuperset(v):
        for k in v:
            if k not in F7:
                put(e, [Failure(S54, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def BatchCompletionMetadata(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S55, v)]
    e: Failures = []
    x = v.get("thinking_budget", M)
    if x is M:
        e.append(Failure(S56, M))
    elif not (settled(x, structs.ThinkingBudgetConfigurationMetadata, c)):
        put(e, ThinkingBudgetConfigurationMetadata(x, c), "thinking_budget")
    if not F8.issuperset(v):
        for k in v:
            if k not in F8:
                put(e, [Failure(S57, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def NullableString_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not str:
        return [Failure(S58, v)]
    e: Failures = []
    return e


def NullableString(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableString_value(v, c)


def ChatMessageInput_role(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S60, v)]
    e: Failures = []
    return e


def ChatMessageInput_content_0(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S62, v)]
    e: Failures = []
    return e


def ChatMessageInput_content_1(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S63, v)]
    e = opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []
    return e


def ChatMessageInput_content(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is str:
        return ChatMessageInput_content_0(v, c)
    if v.__class__ is list:
        return ChatMessageInput_content_1(v, c)
    return [Failure(S64, v)]


def ToolCallArray_or_null(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not list:
        return [Failure(S65, v)]
    e = opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []
    return e


def ChatMessageInput_tool_calls(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return ToolCallArray_or_null(v, c)


def ChatMessageInput(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S59, v)]
    e: Failures = []
    x = v.get("role", M)
    if x is M:
        e.append(Failure(S61, M))
    elif not (x.__class__ is str):
        put(e, ChatMessageInput_role(x, c), "role")
    x = v.get("content", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, ChatMessageInput_content(x, c), "content")
    x = v.get("reasoning_content", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "reasoning_content")
    x = v.get("tool_calls", M)
    if x is not M and not (x is None):
        put(e, ChatMessageInput_tool_calls(x, c), "tool_calls")
    x = v.get("name", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "name")
    x = v.get("tool_call_id", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "tool_call_id")
    return e


def NonNegativeInteger_or_null(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S66, v)]
    if i < 0:
        return [Failure(S67, v)]
    return []


def NullableNonNegativeInteger(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NonNegativeInteger_or_null(v, c)


def NullableSamplingNumber_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if not is_number(v):
        return [Failure(S68, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    return []


def NullableSamplingNumber(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableSamplingNumber_value(v, c)


def NullableTemplateKwargs_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not dict:
        return [Failure(S69, v)]
    e: Failures = []
    if c.walk_opaque:
        e.extend(opaque(v, FINITE, NOT_JSON, c.limit))
    return e


def NullableTemplateKwargs(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableTemplateKwargs_value(v, c)


def NullableToolArray_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not list:
        return [Failure(S70, v)]
    e = opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []
    return e


def NullableToolArray(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableToolArray_value(v, c)


def NullableUint32_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S71, v)]
    if i < 0:
        return [Failure(S72, v)]
    if i > 4294967295:
        return [Failure(S73, v)]
    return []


def NullableUint32(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableUint32_value(v, c)


def NullableUint64_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S74, v)]
    if i < 0:
        return [Failure(S75, v)]
    if i > 18446744073709551615:
        return [Failure(S76, v)]
    return []


def NullableUint64(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableUint64_value(v, c)


def SamplingPreset_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not str:
        return [Failure(S77, v)]
    e: Failures = []
    return e


def SamplingPreset(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return SamplingPreset_value(v, c)


def StopInput_0(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S78, v)]
    e: Failures = []
    return e


def StopInput_1_item(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S80, v)]
    e: Failures = []
    return e


def StopInput_1(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S79, v)]
    e: Failures = []
    for i, x in suspects(v, T9, c):
        if not (x.__class__ is str):
            put(e, StopInput_1_item(x, c), i)
            if len(e) >= c.limit:
                break
    return e


def StopInput(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is str:
        return StopInput_0(v, c)
    if v.__class__ is list:
        return StopInput_1(v, c)
    return [Failure(S81, v)]


def ThinkingBudgetLimitOverride_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S82, v)]
    if i < 0:
        return [Failure(S83, v)]
    return []


def ThinkingBudgetLimitOverride(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return ThinkingBudgetLimitOverride_value(v, c)


def BatchCompletionRequest_prompts_item(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S88, v)]
    e: Failures = []
    for i, x in suspects(v, T11, c):
        put(e, ChatMessageInput(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def BatchCompletionRequest_prompts(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S85, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S86, v))
    if len(v) > 64:
        e.append(Failure(S87, v))
    for i, x in suspects(v, T10, c):
        put(e, BatchCompletionRequest_prompts_item(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def BatchCompletionRequest_n_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S90, v)]
    if i < 1:
        return [Failure(S91, v)]
    if i > 64:
        return [Failure(S92, v)]
    return []


def BatchCompletionRequest_n(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return BatchCompletionRequest_n_value(v, c)


def BatchCompletionRequest_ignore_eos(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S93, v)]
    return []


def BatchCompletionRequest_adapters_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not list:
        return [Failure(S95, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S96, v))
    if len(v) > 16:
        e.append(Failure(S97, v))
    for i, x in suspects(v, T12, c):
        put(e, AdapterRef(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def BatchCompletionRequest_adapters(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return BatchCompletionRequest_adapters_value(v, c)


def BatchCompletionRequest_tool_choice(v: Any, c: Context) -> Failures:
    return opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []


def BatchCompletionRequest(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S84, v)]
    e: Failures = []
    x = v.get("model", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "model")
    x = v.get("prompts", M)
    if x is M:
        e.append(Failure(S89, M))
    else:
        put(e, BatchCompletionRequest_prompts(x, c), "prompts")
    x = v.get("n", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 1 and x <= 64):
        put(e, BatchCompletionRequest_n(x, c), "n")
    x = v.get("temperature", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "temperature")
    x = v.get("top_p", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "top_p")
    x = v.get("top_k", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0 and x <= 4294967295):
        put(e, NullableUint32(x, c), "top_k")
    x = v.get("min_p", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "min_p")
    x = v.get("presence_penalty", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "presence_penalty")
    x = v.get("frequency_penalty", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "frequency_penalty")
    x = v.get("repetition_penalty", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "repetition_penalty")
    x = v.get("sampling_preset", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, SamplingPreset(x, c), "sampling_preset")
    x = v.get("max_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, NullableNonNegativeInteger(x, c), "max_tokens")
    x = v.get("max_completion_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, NullableNonNegativeInteger(x, c), "max_completion_tokens")
    x = v.get("ignore_eos", M)
    if x is not M and not (x.__class__ is bool):
        put(e, BatchCompletionRequest_ignore_eos(x, c), "ignore_eos")
    x = v.get("thinking_budget_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetLimitOverride(x, c), "thinking_budget_tokens")
    x = v.get("thinking_budget_ms", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetLimitOverride(x, c), "thinking_budget_ms")
    x = v.get("stop", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, StopInput(x, c), "stop")
    x = v.get("seed", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0 and x <= 18446744073709551615):
        put(e, NullableUint64(x, c), "seed")
    x = v.get("adapter", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "adapter")
    if c.semantics and x.__class__ is str and x:
        put(e, found(S94, semantics.adapter_name(x), c.limit), "adapter")
    x = v.get("adapters", M)
    if x is not M and not (x is None):
        put(e, BatchCompletionRequest_adapters(x, c), "adapters")
    x = v.get("tools", M)
    if x is not M and not (x is None):
        put(e, NullableToolArray(x, c), "tools")
    x = v.get("tool_choice", M)
    if x is not M:
        put(e, BatchCompletionRequest_tool_choice(x, c), "tool_choice")
    x = v.get("chat_template_kwargs", M)
    if x is not M and not (x is None):
        put(e, NullableTemplateKwargs(x, c), "chat_template_kwargs")
    if v.get("adapter", M).__class__ is str and v.get("adapters", M).__class__ is list:
        e.append(Failure(S98, v))
    if c.semantics:
        run_checks(e, v, R13, c.limit)
    return e


def UnixSeconds(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S100, v)]
    if i < 0:
        return [Failure(S101, v)]
    return []


def BatchCompletionResponse_id(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S103, v)]
    e: Failures = []
    if not P14(v):
        e.append(Failure(S104, v))
    return e


def BatchCompletionResponse_object(v: Any, c: Context) -> Failures:
    if not (v == "batch.completion"):
        return [Failure(S106, v)]
    return []


def BatchCompletionResponse_model(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S109, v)]
    e: Failures = []
    return e


def BatchCompletionResponse_completions(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S111, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S112, v))
    if len(v) > 64:
        e.append(Failure(S113, v))
    for i, x in suspects(v, T15, c):
        put(e, BatchCompletionItem(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def BatchCompletionResponse(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S102, v)]
    e: Failures = []
    x = v.get("id", M)
    if x is M:
        e.append(Failure(S105, M))
    elif not (x.__class__ is str and P14(x)):
        put(e, BatchCompletionResponse_id(x, c), "id")
    x = v.get("object", M)
    if x is M:
        e.append(Failure(S107, M))
    elif not (x == "batch.completion"):
        put(e, BatchCompletionResponse_object(x, c), "object")
    x = v.get("created", M)
    if x is M:
        e.append(Failure(S108, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, UnixSeconds(x, c), "created")
    x = v.get("model", M)
    if x is M:
        e.append(Failure(S110, M))
    elif not (x.__class__ is str):
        put(e, BatchCompletionResponse_model(x, c), "model")
    x = v.get("completions", M)
    if x is M:
        e.append(Failure(S114, M))
    else:
        put(e, BatchCompletionResponse_completions(x, c), "completions")
    x = v.get("usage", M)
    if x is M:
        e.append(Failure(S115, M))
    elif not (settled(x, structs.Usage, c)):
        put(e, Usage(x, c), "usage")
    x = v.get("metadata", M)
    if x is M:
        e.append(Failure(S116, M))
    elif not (settled(x, structs.BatchCompletionMetadata, c)):
        put(e, BatchCompletionMetadata(x, c), "metadata")
    if not F16.issuperset(v):
        for k in v:
            if k not in F16:
                put(e, [Failure(S117, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R17, c.limit)
    return e


def NullableNonNegativeNumber_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if not is_number(v):
        return [Failure(S120, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S121, v)]
    return []


def NullableNonNegativeNumber(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableNonNegativeNumber_value(v, c)


def LatencyPhaseTimings(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S122, v)]
    e: Failures = []
    x = v.get("actor_queue_ms", M)
    if x is M:
        e.append(Failure(S123, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "actor_queue_ms")
    x = v.get("actor_admission_ms", M)
    if x is M:
        e.append(Failure(S124, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "actor_admission_ms")
    x = v.get("tokenization_ms", M)
    if x is M:
        e.append(Failure(S125, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "tokenization_ms")
    x = v.get("prefill_ms", M)
    if x is M:
        e.append(Failure(S126, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "prefill_ms")
    x = v.get("decode_ms", M)
    if x is M:
        e.append(Failure(S127, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "decode_ms")
    x = v.get("actor_cycle_idle_ms", M)
    if x is M:
        e.append(Failure(S128, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "actor_cycle_idle_ms")
    x = v.get("sampling_ms", M)
    if x is M:
        e.append(Failure(S129, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "sampling_ms")
    x = v.get("readback_ms", M)
    if x is M:
        e.append(Failure(S130, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "readback_ms")
    x = v.get("response_delivery_ms", M)
    if x is M:
        e.append(Failure(S131, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "response_delivery_ms")
    x = v.get("handler_queue_ms", M)
    if x is M:
        e.append(Failure(S132, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "handler_queue_ms")
    x = v.get("client_delivery_ms", M)
    if x is M:
        e.append(Failure(S133, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "client_delivery_ms")
    x = v.get("gpu_lock_wait_ms", M)
    if x is M:
        e.append(Failure(S134, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "gpu_lock_wait_ms")
    x = v.get("graph_capture_ms", M)
    if x is M:
        e.append(Failure(S135, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "graph_capture_ms")
    x = v.get("graph_replay_ms", M)
    if x is M:
        e.append(Failure(S136, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "graph_replay_ms")
    x = v.get("synchronization_ms", M)
    if x is M:
        e.append(Failure(S137, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "synchronization_ms")
    x = v.get("resize_ms", M)
    if x is M:
        e.append(Failure(S138, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "resize_ms")
    x = v.get("trim_ms", M)
    if x is M:
        e.append(Failure(S139, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "trim_ms")
    x = v.get("adapter_ms", M)
    if x is M:
        e.append(Failure(S140, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "adapter_ms")
    x = v.get("training_ms", M)
    if x is M:
        e.append(Failure(S141, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "training_ms")
    x = v.get("unexplained_ms", M)
    if x is M:
        e.append(Failure(S142, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "unexplained_ms")
    if not F18.issuperset(v):
        for k in v:
            if k not in F18:
                put(e, [Failure(S143, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def LatencyStallReasonCounts(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S144, v)]
    e: Failures = []
    x = v.get("actor_queue", M)
    if x is M:
        e.append(Failure(S145, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "actor_queue")
    x = v.get("actor_admission", M)
    if x is M:
        e.append(Failure(S146, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "actor_admission")
    x = v.get("actor_prefill", M)
    if x is M:
        e.append(Failure(S147, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "actor_prefill")
    x = v.get("actor_decode", M)
    if x is M:
        e.append(Failure(S148, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "actor_decode")
    x = v.get("actor_cycle_idle", M)
    if x is M:
        e.append(Failure(S149, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "actor_cycle_idle")
    x = v.get("response_delivery", M)
    if x is M:
        e.append(Failure(S150, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "response_delivery")
    x = v.get("handler_queue", M)
    if x is M:
        e.append(Failure(S151, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "handler_queue")
    x = v.get("client_delivery", M)
    if x is M:
        e.append(Failure(S152, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "client_delivery")
    x = v.get("sampling", M)
    if x is M:
        e.append(Failure(S153, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "sampling")
    x = v.get("readback", M)
    if x is M:
        e.append(Failure(S154, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "readback")
    x = v.get("gpu_lock_wait", M)
    if x is M:
        e.append(Failure(S155, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "gpu_lock_wait")
    x = v.get("graph_capture", M)
    if x is M:
        e.append(Failure(S156, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "graph_capture")
    x = v.get("graph_replay", M)
    if x is M:
        e.append(Failure(S157, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "graph_replay")
    x = v.get("synchronization", M)
    if x is M:
        e.append(Failure(S158, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "synchronization")
    x = v.get("resize", M)
    if x is M:
        e.append(Failure(S159, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "resize")
    x = v.get("trim", M)
    if x is M:
        e.append(Failure(S160, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "trim")
    x = v.get("adapter", M)
    if x is M:
        e.append(Failure(S161, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "adapter")
    x = v.get("training", M)
    if x is M:
        e.append(Failure(S162, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "training")
    x = v.get("unexplained", M)
    if x is M:
        e.append(Failure(S163, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "unexplained")
    if not F19.issuperset(v):
        for k in v:
            if k not in F19:
                put(e, [Failure(S164, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def NullableBoolean_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if not (v.__class__ is bool):
        return [Failure(S165, v)]
    return []


def NullableBoolean(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return NullableBoolean_value(v, c)


def RequestLatencyDiagnostics_retained_gap_samples(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S169, v)]
    if i < 0:
        return [Failure(S170, v)]
    if i > 8192:
        return [Failure(S171, v)]
    return []


def RequestLatencyDiagnostics_gap_samples_truncated(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S173, v)]
    return []


def RequestLatencyDiagnostics(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S166, v)]
    e: Failures = []
    x = v.get("emitted_tokens", M)
    if x is M:
        e.append(Failure(S167, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "emitted_tokens")
    x = v.get("gap_samples", M)
    if x is M:
        e.append(Failure(S168, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "gap_samples")
    x = v.get("retained_gap_samples", M)
    if x is M:
        e.append(Failure(S172, M))
    elif not (x.__class__ is int and x >= 0 and x <= 8192):
        put(e, RequestLatencyDiagnostics_retained_gap_samples(x, c), "retained_gap_samples")
    x = v.get("gap_samples_truncated", M)
    if x is M:
        e.append(Failure(S174, M))
    elif not (x.__class__ is bool):
        put(e, RequestLatencyDiagnostics_gap_samples_truncated(x, c), "gap_samples_truncated")
    x = v.get("ttft_ms", M)
    if x is M:
        e.append(Failure(S175, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "ttft_ms")
    x = v.get("itl_ms_p50", M)
    if x is M:
        e.append(Failure(S176, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "itl_ms_p50")
    x = v.get("itl_ms_p99", M)
    if x is M:
        e.append(Failure(S177, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "itl_ms_p99")
    x = v.get("itl_ms_p999", M)
    if x is M:
        e.append(Failure(S178, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "itl_ms_p999")
    x = v.get("max_itl_ms", M)
    if x is M:
        e.append(Failure(S179, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "max_itl_ms")
    x = v.get("stall_threshold_ms", M)
    if x is M:
        e.append(Failure(S180, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "stall_threshold_ms")
    x = v.get("stall_count", M)
    if x is M:
        e.append(Failure(S181, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "stall_count")
    x = v.get("unexplained_stall_count", M)
    if x is M:
        e.append(Failure(S182, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "unexplained_stall_count")
    x = v.get("stall_reasons", M)
    if x is M:
        e.append(Failure(S183, M))
    elif not (settled(x, structs.LatencyStallReasonCounts, c)):
        put(e, LatencyStallReasonCounts(x, c), "stall_reasons")
    x = v.get("phases", M)
    if x is M:
        e.append(Failure(S184, M))
    elif not (settled(x, structs.LatencyPhaseTimings, c)):
        put(e, LatencyPhaseTimings(x, c), "phases")
    if not F20.issuperset(v):
        for k in v:
            if k not in F20:
                put(e, [Failure(S185, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ChatCompletionPerformanceMetadata_total_latency_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S196, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S197, v)]
    return []


def ChatCompletionPerformanceMetadata_adapter_used(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S200, v)]
    e: Failures = []
    return e


def ChatCompletionPerformanceMetadata_thinking_mode(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S202, v)]
    e: Failures = []
    return e


def RequestLatencyDiagnostics_or_null_retained_gap_samples(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S169, v)]
    if i < 0:
        return [Failure(S170, v)]
    if i > 8192:
        return [Failure(S171, v)]
    return []


def RequestLatencyDiagnostics_or_null_gap_samples_truncated(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S173, v)]
    return []


def RequestLatencyDiagnostics_or_null(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not dict:
        return [Failure(S205, v)]
    e: Failures = []
    x = v.get("emitted_tokens", M)
    if x is M:
        e.append(Failure(S167, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "emitted_tokens")
    x = v.get("gap_samples", M)
    if x is M:
        e.append(Failure(S168, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "gap_samples")
    x = v.get("retained_gap_samples", M)
    if x is M:
        e.append(Failure(S172, M))
    elif not (x.__class__ is int and x >= 0 and x <= 8192):
        put(e, RequestLatencyDiagnostics_or_null_retained_gap_samples(x, c), "retained_gap_samples")
    x = v.get("gap_samples_truncated", M)
    if x is M:
        e.append(Failure(S174, M))
    elif not (x.__class__ is bool):
        put(e, RequestLatencyDiagnostics_or_null_gap_samples_truncated(x, c), "gap_samples_truncated")
    x = v.get("ttft_ms", M)
    if x is M:
        e.append(Failure(S175, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "ttft_ms")
    x = v.get("itl_ms_p50", M)
    if x is M:
        e.append(Failure(S176, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "itl_ms_p50")
    x = v.get("itl_ms_p99", M)
    if x is M:
        e.append(Failure(S177, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "itl_ms_p99")
    x = v.get("itl_ms_p999", M)
    if x is M:
        e.append(Failure(S178, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "itl_ms_p999")
    x = v.get("max_itl_ms", M)
    if x is M:
        e.append(Failure(S179, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "max_itl_ms")
    x = v.get("stall_threshold_ms", M)
    if x is M:
        e.append(Failure(S180, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "stall_threshold_ms")
    x = v.get("stall_count", M)
    if x is M:
        e.append(Failure(S181, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "stall_count")
    x = v.get("unexplained_stall_count", M)
    if x is M:
        e.append(Failure(S182, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "unexplained_stall_count")
    x = v.get("stall_reasons", M)
    if x is M:
        e.append(Failure(S183, M))
    elif not (settled(x, structs.LatencyStallReasonCounts, c)):
        put(e, LatencyStallReasonCounts(x, c), "stall_reasons")
    x = v.get("phases", M)
    if x is M:
        e.append(Failure(S184, M))
    elif not (settled(x, structs.LatencyPhaseTimings, c)):
        put(e, LatencyPhaseTimings(x, c), "phases")
    if not F20.issuperset(v):
        for k in v:
            if k not in F20:
                put(e, [Failure(S185, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ChatCompletionPerformanceMetadata_latency(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return RequestLatencyDiagnostics_or_null(v, c)


def ChatCompletionPerformanceMetadata(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S186, v)]
    e: Failures = []
    x = v.get("prompt_tokens", M)
    if x is M:
        e.append(Failure(S187, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "prompt_tokens")
    x = v.get("completion_tokens", M)
    if x is M:
        e.append(Failure(S188, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "completion_tokens")
    x = v.get("ttft_ms", M)
    if x is M:
        e.append(Failure(S189, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "ttft_ms")
    x = v.get("prefill_ms", M)
    if x is M:
        e.append(Failure(S190, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "prefill_ms")
    x = v.get("actor_queue_ms", M)
    if x is M:
        e.append(Failure(S191, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "actor_queue_ms")
    x = v.get("actor_admission_ms", M)
    if x is M:
        e.append(Failure(S192, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "actor_admission_ms")
    x = v.get("actor_prefill_wall_ms", M)
    if x is M:
        e.append(Failure(S193, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "actor_prefill_wall_ms")
    x = v.get("resident_prefill_used", M)
    if x is M:
        e.append(Failure(S194, M))
    elif not (x is None or x.__class__ is bool):
        put(e, NullableBoolean(x, c), "resident_prefill_used")
    x = v.get("decode_ms", M)
    if x is M:
        e.append(Failure(S195, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "decode_ms")
    x = v.get("total_latency_ms", M)
    if x is M:
        e.append(Failure(S198, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, ChatCompletionPerformanceMetadata_total_latency_ms(x, c), "total_latency_ms")
    x = v.get("decode_tokens_per_sec", M)
    if x is M:
        e.append(Failure(S199, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "decode_tokens_per_sec")
    x = v.get("adapter_used", M)
    if x is M:
        e.append(Failure(S201, M))
    elif not (x.__class__ is str):
        put(e, ChatCompletionPerformanceMetadata_adapter_used(x, c), "adapter_used")
    x = v.get("thinking_mode", M)
    if x is M:
        e.append(Failure(S203, M))
    elif not (x.__class__ is str):
        put(e, ChatCompletionPerformanceMetadata_thinking_mode(x, c), "thinking_mode")
    x = v.get("finish_reason", M)
    if x is M:
        e.append(Failure(S204, M))
    elif not (x.__class__ is str and x in E0):
        put(e, FinishReason(x, c), "finish_reason")
    x = v.get("latency", M)
    if x is M:
        e.append(Failure(S206, M))
    elif not (settled(x, structs.RequestLatencyDiagnostics, c) or x is None):
        put(e, ChatCompletionPerformanceMetadata_latency(x, c), "latency")
    if not F21.issuperset(v):
        for k in v:
            if k not in F21:
                put(e, [Failure(S207, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def Delta_role(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S209, v)]
    e: Failures = []
    return e


def Delta_content(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S210, v)]
    e: Failures = []
    return e


def Delta_reasoning_content(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S211, v)]
    e: Failures = []
    return e


def Delta(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S208, v)]
    e: Failures = []
    x = v.get("role", M)
    if x is not M and not (x.__class__ is str):
        put(e, Delta_role(x, c), "role")
    x = v.get("content", M)
    if x is not M and not (x.__class__ is str):
        put(e, Delta_content(x, c), "content")
    x = v.get("reasoning_content", M)
    if x is not M and not (x.__class__ is str):
        put(e, Delta_reasoning_content(x, c), "reasoning_content")
    x = v.get("tool_calls", M)
    if x is not M:
        put(e, ToolCallArray(x, c), "tool_calls")
    if not F22.issuperset(v):
        for k in v:
            if k not in F22:
                put(e, [Failure(S212, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ChunkChoice(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S213, v)]
    e: Failures = []
    x = v.get("index", M)
    if x is M:
        e.append(Failure(S214, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "index")
    x = v.get("delta", M)
    if x is M:
        e.append(Failure(S215, M))
    elif not (settled(x, structs.Delta, c)):
        put(e, Delta(x, c), "delta")
    x = v.get("finish_reason", M)
    if x is not M and not (x.__class__ is str and x in E0):
        put(e, FinishReason(x, c), "finish_reason")
    if not F23.issuperset(v):
        for k in v:
            if k not in F23:
                put(e, [Failure(S216, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ThinkingBudgetEffective_configured(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S218, v)]
    return []


def ThinkingBudgetEffective_max_tokens(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S220, v)]
    if i < 0:
        return [Failure(S221, v)]
    return []


def ThinkingBudgetEffective_max_time_ms(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S222, v)]
    if i < 0:
        return [Failure(S223, v)]
    return []


def ThinkingBudgetEffective(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S217, v)]
    e: Failures = []
    x = v.get("configured", M)
    if x is M:
        e.append(Failure(S219, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetEffective_configured(x, c), "configured")
    x = v.get("max_tokens", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetEffective_max_tokens(x, c), "max_tokens")
    x = v.get("max_time_ms", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetEffective_max_time_ms(x, c), "max_time_ms")
    x = v.get("tokens_source", M)
    if x is M:
        e.append(Failure(S224, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "tokens_source")
    x = v.get("time_source", M)
    if x is M:
        e.append(Failure(S225, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "time_source")
    if (
        (("max_tokens" in v) or ("max_time_ms" in v))
        and (v.get("configured", M) is not M and not (v.get("configured", M) is True))
        and "configured" in v
        and not broken(e, "configured")
    ):
        e.append(Failure(S226, v))
    if (
        (not (("max_tokens" in v) or ("max_time_ms" in v)))
        and (v.get("configured", M) is not M and not (v.get("configured", M) is False))
        and "configured" in v
        and not broken(e, "configured")
    ):
        e.append(Failure(S227, v))
    if (
        ("max_tokens" in v)
        and (
            v.get("tokens_source", M) is not M
            and not (
                v.get("tokens_source", M)
                in ("server_default", "request", "suite", "run_override", "example", "unknown")
            )
        )
        and "tokens_source" in v
        and not broken(e, "tokens_source")
    ):
        e.append(Failure(S228, v))
    if (
        (not ("max_tokens" in v))
        and (
            v.get("tokens_source", M) is not M
            and not (
                v.get("tokens_source", M)
                in (
                    "unlimited",
                    "request_unlimited",
                    "suite_unlimited",
                    "run_override_unlimited",
                    "example_unlimited",
                    "unknown",
                )
            )
        )
        and "tokens_source" in v
        and not broken(e, "tokens_source")
    ):
        e.append(Failure(S229, v))
    if (
        ("max_time_ms" in v)
        and (
            v.get("time_source", M) is not M
            and not (
                v.get("time_source", M) in ("server_default", "request", "suite", "run_override", "example", "unknown")
            )
        )
        and "time_source" in v
        and not broken(e, "time_source")
    ):
        e.append(Failure(S230, v))
    if (
        (not ("max_time_ms" in v))
        and (
            v.get("time_source", M) is not M
            and not (
                v.get("time_source", M)
                in (
                    "unlimited",
                    "request_unlimited",
                    "suite_unlimited",
                    "run_override_unlimited",
                    "example_unlimited",
                    "unknown",
                )
            )
        )
        and "time_source" in v
        and not broken(e, "time_source")
    ):
        e.append(Failure(S231, v))
    return e


def ThinkingBudgetRecord_configured(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S218, v)]
    return []


def ThinkingBudgetRecord_max_tokens(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S220, v)]
    if i < 0:
        return [Failure(S221, v)]
    return []


def ThinkingBudgetRecord_max_time_ms(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S222, v)]
    if i < 0:
        return [Failure(S223, v)]
    return []


def ThinkingBudgetRecord_applied(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S233, v)]
    return []


def ThinkingBudgetRecord_triggered(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S235, v)]
    return []


def ThinkingBudgetRecord_closed(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S237, v)]
    return []


def ThinkingBudgetRecord_thinking_tokens(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S238, v)]
    if i < 0:
        return [Failure(S239, v)]
    return []


def ThinkingBudgetRecord_thinking_time_ms(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S240, v)]
    if i < 0:
        return [Failure(S241, v)]
    return []


def ThinkingBudgetRecord(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S232, v)]
    e: Failures = []
    x = v.get("configured", M)
    if x is M:
        e.append(Failure(S219, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetRecord_configured(x, c), "configured")
    x = v.get("max_tokens", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecord_max_tokens(x, c), "max_tokens")
    x = v.get("max_time_ms", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecord_max_time_ms(x, c), "max_time_ms")
    x = v.get("tokens_source", M)
    if x is M:
        e.append(Failure(S224, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "tokens_source")
    x = v.get("time_source", M)
    if x is M:
        e.append(Failure(S225, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "time_source")
    x = v.get("applied", M)
    if x is M:
        e.append(Failure(S234, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetRecord_applied(x, c), "applied")
    x = v.get("triggered", M)
    if x is M:
        e.append(Failure(S236, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetRecord_triggered(x, c), "triggered")
    x = v.get("trigger", M)
    if x is not M and not (x.__class__ is str and x in E3):
        put(e, ThinkingBudgetTrigger(x, c), "trigger")
    x = v.get("closed", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ThinkingBudgetRecord_closed(x, c), "closed")
    x = v.get("thinking_tokens", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecord_thinking_tokens(x, c), "thinking_tokens")
    x = v.get("thinking_time_ms", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecord_thinking_time_ms(x, c), "thinking_time_ms")
    if not F24.issuperset(v):
        for k in v:
            if k not in F24:
                put(e, [Failure(S242, v[k])], k)
                if len(e) >= c.limit:
                    break
    if (
        (("max_tokens" in v) or ("max_time_ms" in v))
        and (v.get("configured", M) is not M and not (v.get("configured", M) is True))
        and "configured" in v
        and not broken(e, "configured")
    ):
        e.append(Failure(S226, v))
    if (
        (not (("max_tokens" in v) or ("max_time_ms" in v)))
        and (v.get("configured", M) is not M and not (v.get("configured", M) is False))
        and "configured" in v
        and not broken(e, "configured")
    ):
        e.append(Failure(S227, v))
    if (
        ("max_tokens" in v)
        and (
            v.get("tokens_source", M) is not M
            and not (
                v.get("tokens_source", M)
                in ("server_default", "request", "suite", "run_override", "example", "unknown")
            )
        )
        and "tokens_source" in v
        and not broken(e, "tokens_source")
    ):
        e.append(Failure(S228, v))
    if (
        (not ("max_tokens" in v))
        and (
            v.get("tokens_source", M) is not M
            and not (
                v.get("tokens_source", M)
                in (
                    "unlimited",
                    "request_unlimited",
                    "suite_unlimited",
                    "run_override_unlimited",
                    "example_unlimited",
                    "unknown",
                )
            )
        )
        and "tokens_source" in v
        and not broken(e, "tokens_source")
    ):
        e.append(Failure(S229, v))
    if (
        ("max_time_ms" in v)
        and (
            v.get("time_source", M) is not M
            and not (
                v.get("time_source", M) in ("server_default", "request", "suite", "run_override", "example", "unknown")
            )
        )
        and "time_source" in v
        and not broken(e, "time_source")
    ):
        e.append(Failure(S230, v))
    if (
        (not ("max_time_ms" in v))
        and (
            v.get("time_source", M) is not M
            and not (
                v.get("time_source", M)
                in (
                    "unlimited",
                    "request_unlimited",
                    "suite_unlimited",
                    "run_override_unlimited",
                    "example_unlimited",
                    "unknown",
                )
            )
        )
        and "time_source" in v
        and not broken(e, "time_source")
    ):
        e.append(Failure(S231, v))
    if (
        (v.get("applied", M) is True)
        and (v.get("configured", M) is not M and not (v.get("configured", M) is True))
        and "configured" in v
        and not broken(e, "configured")
        and "applied" in v
        and not broken(e, "applied")
    ):
        e.append(Failure(S243, v))
    if ("closed" in v) and ("thinking_tokens" not in v):
        e.append(Failure(S244, v))
    if ("closed" in v) and ("thinking_time_ms" not in v):
        e.append(Failure(S245, v))
    if (
        (("closed" in v) and (v.get("triggered", M) is True))
        and ("trigger" not in v)
        and "triggered" in v
        and not broken(e, "triggered")
    ):
        e.append(Failure(S246, v))
    if (
        (("closed" in v) and (not (v.get("triggered", M) is True)))
        and ("trigger" in v)
        and "triggered" in v
        and not broken(e, "triggered")
    ):
        e.append(Failure(S247, v))
    if (
        (not ("closed" in v))
        and (v.get("triggered", M) is not M and not (v.get("triggered", M) is False))
        and "triggered" in v
        and not broken(e, "triggered")
    ):
        e.append(Failure(S248, v))
    if (not ("closed" in v)) and ("trigger" in v):
        e.append(Failure(S249, v))
    if (not ("closed" in v)) and ("thinking_tokens" in v):
        e.append(Failure(S250, v))
    if (not ("closed" in v)) and ("thinking_time_ms" in v):
        e.append(Failure(S251, v))
    if c.semantics:
        run_checks(e, v, R25, c.limit)
    return e


def StreamingTerminalMetadata(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S253, v)]
    e: Failures = []
    x = v.get("thinking_budget", M)
    if x is M:
        e.append(Failure(S254, M))
    elif not (settled(x, structs.ThinkingBudgetRecord, c)):
        put(e, ThinkingBudgetRecord(x, c), "thinking_budget")
    x = v.get("performance", M)
    if x is not M and not (settled(x, structs.ChatCompletionPerformanceMetadata, c)):
        put(e, ChatCompletionPerformanceMetadata(x, c), "performance")
    if not F26.issuperset(v):
        for k in v:
            if k not in F26:
                put(e, [Failure(S255, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ChatCompletionChunk_id(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S257, v)]
    e: Failures = []
    if not P27(v):
        e.append(Failure(S258, v))
    return e


def ChatCompletionChunk_object(v: Any, c: Context) -> Failures:
    if not (v == "chat.completion.chunk"):
        return [Failure(S260, v)]
    return []


def ChatCompletionChunk_model(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S263, v)]
    e: Failures = []
    return e


def ChatCompletionChunk_choices(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S265, v)]
    e: Failures = []
    for i, x in suspects(v, T28, c):
        put(e, ChunkChoice(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def ChatCompletionChunk(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S256, v)]
    e: Failures = []
    x = v.get("id", M)
    if x is M:
        e.append(Failure(S259, M))
    elif not (x.__class__ is str and P27(x)):
        put(e, ChatCompletionChunk_id(x, c), "id")
    x = v.get("object", M)
    if x is M:
        e.append(Failure(S261, M))
    elif not (x == "chat.completion.chunk"):
        put(e, ChatCompletionChunk_object(x, c), "object")
    x = v.get("created", M)
    if x is M:
        e.append(Failure(S262, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, UnixSeconds(x, c), "created")
    x = v.get("model", M)
    if x is M:
        e.append(Failure(S264, M))
    elif not (x.__class__ is str):
        put(e, ChatCompletionChunk_model(x, c), "model")
    x = v.get("choices", M)
    if x is M:
        e.append(Failure(S266, M))
    else:
        put(e, ChatCompletionChunk_choices(x, c), "choices")
    x = v.get("metadata", M)
    if x is not M and not (settled(x, structs.StreamingTerminalMetadata, c)):
        put(e, StreamingTerminalMetadata(x, c), "metadata")
    x = v.get("usage", M)
    if x is not M and not (settled(x, structs.Usage, c)):
        put(e, Usage(x, c), "usage")
    if not F29.issuperset(v):
        for k in v:
            if k not in F29:
                put(e, [Failure(S267, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ChatCompletionChunkStream(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S268, v)]
    e: Failures = []
    return e


def Sha256(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S269, v)]
    e: Failures = []
    if not P30(v):
        e.append(Failure(S270, v))
    return e


def ConfigHashes(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S271, v)]
    e: Failures = []
    x = v.get("tokenizer_config_hash", M)
    if x is not M and not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "tokenizer_config_hash")
    x = v.get("chat_template_hash", M)
    if x is not M and not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "chat_template_hash")
    x = v.get("training_chat_template_hash", M)
    if x is not M and not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "training_chat_template_hash")
    x = v.get("model_config_hash", M)
    if x is not M and not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "model_config_hash")
    x = v.get("effective_config_hash", M)
    if x is not M and not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "effective_config_hash")
    if not F31.issuperset(v):
        for k in v:
            if k not in F31:
                put(e, [Failure(S272, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ChatCompletionMetadata_thinking_enabled(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S274, v)]
    return []


def ChatCompletionMetadata_thinking_mode(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S276, v)]
    if v not in E32:
        return [Failure(S277, v)]
    e: Failures = []
    return e


def ChatCompletionMetadata_thinking_source(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S279, v)]
    if v not in E33:
        return [Failure(S280, v)]
    e: Failures = []
    return e


def ChatCompletionMetadata_default_thinking_enabled(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S282, v)]
    return []


def ChatCompletionMetadata_final_content_empty(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S283, v)]
    return []


def ChatCompletionMetadata_content_empty_reason(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S285, v)]
    if v not in E34:
        return [Failure(S286, v)]
    e: Failures = []
    return e


def ChatCompletionMetadata_reasoning_folded_into_content(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S287, v)]
    return []


def ChatCompletionMetadata(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S273, v)]
    e: Failures = []
    x = v.get("thinking_enabled", M)
    if x is M:
        e.append(Failure(S275, M))
    elif not (x.__class__ is bool):
        put(e, ChatCompletionMetadata_thinking_enabled(x, c), "thinking_enabled")
    x = v.get("thinking_mode", M)
    if x is M:
        e.append(Failure(S278, M))
    elif not (x.__class__ is str and x in E32):
        put(e, ChatCompletionMetadata_thinking_mode(x, c), "thinking_mode")
    x = v.get("thinking_source", M)
    if x is M:
        e.append(Failure(S281, M))
    elif not (x.__class__ is str and x in E33):
        put(e, ChatCompletionMetadata_thinking_source(x, c), "thinking_source")
    x = v.get("default_thinking_enabled", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ChatCompletionMetadata_default_thinking_enabled(x, c), "default_thinking_enabled")
    x = v.get("final_content_empty", M)
    if x is M:
        e.append(Failure(S284, M))
    elif not (x.__class__ is bool):
        put(e, ChatCompletionMetadata_final_content_empty(x, c), "final_content_empty")
    x = v.get("content_empty_reason", M)
    if x is not M and not (x.__class__ is str and x in E34):
        put(e, ChatCompletionMetadata_content_empty_reason(x, c), "content_empty_reason")
    x = v.get("reasoning_folded_into_content", M)
    if x is M:
        e.append(Failure(S288, M))
    elif not (x.__class__ is bool):
        put(e, ChatCompletionMetadata_reasoning_folded_into_content(x, c), "reasoning_folded_into_content")
    x = v.get("thinking_budget", M)
    if x is M:
        e.append(Failure(S289, M))
    elif not (settled(x, structs.ThinkingBudgetRecord, c)):
        put(e, ThinkingBudgetRecord(x, c), "thinking_budget")
    x = v.get("config_hashes", M)
    if x is not M and not (settled(x, structs.ConfigHashes, c)):
        put(e, ConfigHashes(x, c), "config_hashes")
    x = v.get("performance", M)
    if x is not M and not (settled(x, structs.ChatCompletionPerformanceMetadata, c)):
        put(e, ChatCompletionPerformanceMetadata(x, c), "performance")
    if not F35.issuperset(v):
        for k in v:
            if k not in F35:
                put(e, [Failure(S290, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def StreamOptions_include_usage(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S292, v)]
    return []


def StreamOptions(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S291, v)]
    e: Failures = []
    x = v.get("include_usage", M)
    if x is not M and not (x.__class__ is bool):
        put(e, StreamOptions_include_usage(x, c), "include_usage")
    return e


def ChatCompletionRequest_messages(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S294, v)]
    e: Failures = []
    for i, x in suspects(v, T11, c):
        put(e, ChatMessageInput(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def ChatCompletionRequest_n_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S296, v)]
    if i < 1:
        return [Failure(S297, v)]
    if i > 64:
        return [Failure(S298, v)]
    return []


def ChatCompletionRequest_n(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return ChatCompletionRequest_n_value(v, c)


def ChatCompletionRequest_ignore_eos(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S299, v)]
    return []


def ChatCompletionRequest_stream(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S300, v)]
    return []


def StreamOptions_or_null_include_usage(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S292, v)]
    return []


def StreamOptions_or_null(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not dict:
        return [Failure(S301, v)]
    e: Failures = []
    x = v.get("include_usage", M)
    if x is not M and not (x.__class__ is bool):
        put(e, StreamOptions_or_null_include_usage(x, c), "include_usage")
    return e


def ChatCompletionRequest_stream_options(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return StreamOptions_or_null(v, c)


def ChatCompletionRequest_adapters_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not list:
        return [Failure(S303, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S304, v))
    if len(v) > 16:
        e.append(Failure(S305, v))
    for i, x in suspects(v, T12, c):
        put(e, AdapterRef(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def ChatCompletionRequest_adapters(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return ChatCompletionRequest_adapters_value(v, c)


def ChatCompletionRequest_tool_choice(v: Any, c: Context) -> Failures:
    return opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []


def ChatCompletionRequest_rollout_provenance(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S306, v)]
    return []


def ChatCompletionRequest(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S293, v)]
    e: Failures = []
    x = v.get("model", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "model")
    x = v.get("messages", M)
    if x is M:
        e.append(Failure(S295, M))
    else:
        put(e, ChatCompletionRequest_messages(x, c), "messages")
    x = v.get("n", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 1 and x <= 64):
        put(e, ChatCompletionRequest_n(x, c), "n")
    x = v.get("temperature", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "temperature")
    x = v.get("top_p", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "top_p")
    x = v.get("top_k", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0 and x <= 4294967295):
        put(e, NullableUint32(x, c), "top_k")
    x = v.get("min_p", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "min_p")
    x = v.get("presence_penalty", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "presence_penalty")
    x = v.get("frequency_penalty", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "frequency_penalty")
    x = v.get("repetition_penalty", M)
    if x is not M and not (x is None or x.__class__ is float and -INF < x < INF):
        put(e, NullableSamplingNumber(x, c), "repetition_penalty")
    x = v.get("sampling_preset", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, SamplingPreset(x, c), "sampling_preset")
    x = v.get("max_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, NullableNonNegativeInteger(x, c), "max_tokens")
    x = v.get("max_completion_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, NullableNonNegativeInteger(x, c), "max_completion_tokens")
    x = v.get("ignore_eos", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ChatCompletionRequest_ignore_eos(x, c), "ignore_eos")
    x = v.get("thinking_budget_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetLimitOverride(x, c), "thinking_budget_tokens")
    x = v.get("thinking_budget_ms", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetLimitOverride(x, c), "thinking_budget_ms")
    x = v.get("stream", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ChatCompletionRequest_stream(x, c), "stream")
    x = v.get("stream_options", M)
    if x is not M and not (x is None or settled(x, structs.StreamOptions, c)):
        put(e, ChatCompletionRequest_stream_options(x, c), "stream_options")
    x = v.get("stop", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, StopInput(x, c), "stop")
    x = v.get("seed", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0 and x <= 18446744073709551615):
        put(e, NullableUint64(x, c), "seed")
    x = v.get("adapter", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "adapter")
    if c.semantics and x.__class__ is str and x:
        put(e, found(S302, semantics.adapter_name(x), c.limit), "adapter")
    x = v.get("adapters", M)
    if x is not M and not (x is None):
        put(e, ChatCompletionRequest_adapters(x, c), "adapters")
    x = v.get("tools", M)
    if x is not M and not (x is None):
        put(e, NullableToolArray(x, c), "tools")
    x = v.get("tool_choice", M)
    if x is not M:
        put(e, ChatCompletionRequest_tool_choice(x, c), "tool_choice")
    x = v.get("chat_template_kwargs", M)
    if x is not M and not (x is None):
        put(e, NullableTemplateKwargs(x, c), "chat_template_kwargs")
    x = v.get("fold_reasoning_into_content", M)
    if x is not M and not (x is None or x.__class__ is bool):
        put(e, NullableBoolean(x, c), "fold_reasoning_into_content")
    x = v.get("include_performance", M)
    if x is not M and not (x is None or x.__class__ is bool):
        put(e, NullableBoolean(x, c), "include_performance")
    x = v.get("include_config_hashes", M)
    if x is not M and not (x is None or x.__class__ is bool):
        put(e, NullableBoolean(x, c), "include_config_hashes")
    x = v.get("rollout_provenance", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ChatCompletionRequest_rollout_provenance(x, c), "rollout_provenance")
    if "adapter" in v and v.get("adapters", M).__class__ is list:
        e.append(Failure(S307, v))
    if (v.get("stream", M) is True) and (is_integer(v.get("n", M)) and v.get("n", M) >= 2) and not broken(e, "stream"):
        e.append(Failure(S308, v))
    if (
        (v.get("rollout_provenance", M) is True)
        and (v.get("ignore_eos", M) is not M and not (v.get("ignore_eos", M) is False))
        and not broken(e, "ignore_eos")
        and not broken(e, "rollout_provenance")
    ):
        e.append(Failure(S309, v))
    if (
        (v.get("rollout_provenance", M) is True)
        and (v.get("stream", M) is not M and not (v.get("stream", M) is False))
        and not broken(e, "stream")
        and not broken(e, "rollout_provenance")
    ):
        e.append(Failure(S310, v))
    if (
        (v.get("rollout_provenance", M) is True)
        and (
            v.get("n", M) is not M
            and not (v.get("n", M) is None or (v.get("n", M) == 1 and v.get("n", M).__class__ is not bool))
        )
        and not broken(e, "n")
        and not broken(e, "rollout_provenance")
    ):
        e.append(Failure(S311, v))
    if (
        (v.get("rollout_provenance", M) is True)
        and (
            v.get("max_tokens", M) is not M
            and not (
                v.get("max_tokens", M) is None or is_integer(v.get("max_tokens", M)) and v.get("max_tokens", M) >= 1
            )
        )
        and not broken(e, "max_tokens")
        and not broken(e, "rollout_provenance")
    ):
        e.append(Failure(S312, v))
    if c.semantics:
        run_checks(e, v, R36, c.limit)
    return e


def ChatMessageOutput_role(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S317, v)]
    e: Failures = []
    return e


def ChatMessageOutput_content(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S319, v)]
    e: Failures = []
    return e


def ChatMessageOutput_reasoning_content(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S321, v)]
    e: Failures = []
    return e


def ChatMessageOutput_name(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S322, v)]
    e: Failures = []
    return e


def ChatMessageOutput_tool_call_id(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S323, v)]
    e: Failures = []
    return e


def ChatMessageOutput(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S316, v)]
    e: Failures = []
    x = v.get("role", M)
    if x is M:
        e.append(Failure(S318, M))
    elif not (x.__class__ is str):
        put(e, ChatMessageOutput_role(x, c), "role")
    x = v.get("content", M)
    if x is M:
        e.append(Failure(S320, M))
    elif not (x.__class__ is str):
        put(e, ChatMessageOutput_content(x, c), "content")
    x = v.get("reasoning_content", M)
    if x is not M and not (x.__class__ is str):
        put(e, ChatMessageOutput_reasoning_content(x, c), "reasoning_content")
    x = v.get("tool_calls", M)
    if x is not M:
        put(e, ToolCallArray(x, c), "tool_calls")
    x = v.get("name", M)
    if x is not M and not (x.__class__ is str):
        put(e, ChatMessageOutput_name(x, c), "name")
    x = v.get("tool_call_id", M)
    if x is not M and not (x.__class__ is str):
        put(e, ChatMessageOutput_tool_call_id(x, c), "tool_call_id")
    if not F37.issuperset(v):
        for k in v:
            if k not in F37:
                put(e, [Failure(S324, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def RolloutActionTokenV1_0_token_id(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S327, v)]
    if i < 0:
        return [Failure(S328, v)]
    if i > 4294967295:
        return [Failure(S329, v)]
    return []


def RolloutActionTokenV1_0_source(v: Any, c: Context) -> Failures:
    if not (v == "sampled"):
        return [Failure(S331, v)]
    return []


def RolloutActionTokenV1_0_behavior_logprob(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S333, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v > 1e-06:
        return [Failure(S334, v)]
    return []


def RolloutActionTokenV1_0(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S325, v)]
    e: Failures = []
    x = v.get("sequence_index", M)
    if x is M:
        e.append(Failure(S326, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "sequence_index")
    x = v.get("token_id", M)
    if x is M:
        e.append(Failure(S330, M))
    elif not (x.__class__ is int and x >= 0 and x <= 4294967295):
        put(e, RolloutActionTokenV1_0_token_id(x, c), "token_id")
    x = v.get("source", M)
    if x is M:
        e.append(Failure(S332, M))
    elif not (x == "sampled"):
        put(e, RolloutActionTokenV1_0_source(x, c), "source")
    x = v.get("behavior_logprob", M)
    if x is M:
        e.append(Failure(S335, M))
    elif not (x.__class__ is float and -INF < x <= 1e-06):
        put(e, RolloutActionTokenV1_0_behavior_logprob(x, c), "behavior_logprob")
    if not F38.issuperset(v):
        for k in v:
            if k not in F38:
                put(e, [Failure(S336, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def RolloutActionTokenV1_1_token_id(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S339, v)]
    if i < 0:
        return [Failure(S340, v)]
    if i > 4294967295:
        return [Failure(S341, v)]
    return []


def RolloutActionTokenV1_1_source(v: Any, c: Context) -> Failures:
    if not (v == "forced"):
        return [Failure(S343, v)]
    return []


def RolloutActionTokenV1_1_behavior_logprob(v: Any, c: Context) -> Failures:
    if not (v is None):
        return [Failure(S345, v)]
    return []


def RolloutActionTokenV1_1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S337, v)]
    e: Failures = []
    x = v.get("sequence_index", M)
    if x is M:
        e.append(Failure(S338, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "sequence_index")
    x = v.get("token_id", M)
    if x is M:
        e.append(Failure(S342, M))
    elif not (x.__class__ is int and x >= 0 and x <= 4294967295):
        put(e, RolloutActionTokenV1_1_token_id(x, c), "token_id")
    x = v.get("source", M)
    if x is M:
        e.append(Failure(S344, M))
    elif not (x == "forced"):
        put(e, RolloutActionTokenV1_1_source(x, c), "source")
    x = v.get("behavior_logprob", M)
    if x is M:
        e.append(Failure(S346, M))
    elif not (x is None):
        put(e, RolloutActionTokenV1_1_behavior_logprob(x, c), "behavior_logprob")
    if not F38.issuperset(v):
        for k in v:
            if k not in F38:
                put(e, [Failure(S347, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def RolloutActionTokenV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S325, v)]
    t = v.get("source", M)
    if t == "sampled":
        return RolloutActionTokenV1_0(v, c)
    if t == "forced":
        return RolloutActionTokenV1_1(v, c)
    if t is M:
        return [Failure(S332, M)]
    failure = Failure(S348, t)
    failure.path.append("source")
    return [failure]


def RolloutIdentityText(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S349, v)]
    if len(v) < 1:
        return [Failure(S350, v)]
    e: Failures = []
    if len(v) > 256:
        e.append(Failure(S351, v))
    if not P39(v):
        e.append(Failure(S352, v))
    if c.semantics and not e:
        e.extend(found(S353, semantics.identity_text(v, 256), c.limit))
    return e


def RolloutAdapterIdentityV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S354, v)]
    e: Failures = []
    x = v.get("name", M)
    if x is M:
        e.append(Failure(S355, M))
    else:
        put(e, RolloutIdentityText(x, c), "name")
    x = v.get("content_sha256", M)
    if x is M:
        e.append(Failure(S356, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "content_sha256")
    if not F40.issuperset(v):
        for k in v:
            if k not in F40:
                put(e, [Failure(S357, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def RolloutBehaviorPolicyIdentityV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S358, v)]
    e: Failures = []
    x = v.get("served_model_id", M)
    if x is M:
        e.append(Failure(S359, M))
    else:
        put(e, RolloutIdentityText(x, c), "served_model_id")
    x = v.get("base_model_sha256", M)
    if x is M:
        e.append(Failure(S360, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "base_model_sha256")
    x = v.get("adapter", M)
    if x is not M and not (settled(x, structs.RolloutAdapterIdentityV1, c)):
        put(e, RolloutAdapterIdentityV1(x, c), "adapter")
    x = v.get("inference_config_sha256", M)
    if x is M:
        e.append(Failure(S361, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "inference_config_sha256")
    x = v.get("implementation", M)
    if x is M:
        e.append(Failure(S362, M))
    else:
        put(e, RolloutIdentityText(x, c), "implementation")
    if not F41.issuperset(v):
        for k in v:
            if k not in F41:
                put(e, [Failure(S363, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def RolloutChatTemplateInvocationV1_tools(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S365, v)]
    e = opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []
    if len(v) > 256:
        e.append(Failure(S366, v))
    return e


def RolloutChatTemplateInvocationV1_tool_choice(v: Any, c: Context) -> Failures:
    return opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []


def RolloutChatTemplateInvocationV1_template_kwargs_name(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S369, v)]
    if len(v) < 1:
        return [Failure(S370, v)]
    e: Failures = []
    if len(v) > 256:
        e.append(Failure(S371, v))
    return e


def RolloutChatTemplateInvocationV1_template_kwargs(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S367, v)]
    e: Failures = []
    if len(v) > 256:
        e.append(Failure(S368, v))
    for k, x in v.items():
        put(e, RolloutChatTemplateInvocationV1_template_kwargs_name(k, c), k)
        if len(e) >= c.limit:
            break
    if c.walk_opaque:
        e.extend(opaque(v, FINITE, NOT_JSON, c.limit))
    return e


def RolloutChatTemplateInvocationV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S364, v)]
    e: Failures = []
    x = v.get("tools", M)
    if x is not M:
        put(e, RolloutChatTemplateInvocationV1_tools(x, c), "tools")
    x = v.get("tool_choice", M)
    if x is not M:
        put(e, RolloutChatTemplateInvocationV1_tool_choice(x, c), "tool_choice")
    x = v.get("template_kwargs", M)
    if x is not M:
        put(e, RolloutChatTemplateInvocationV1_template_kwargs(x, c), "template_kwargs")
    if not F42.issuperset(v):
        for k in v:
            if k not in F42:
                put(e, [Failure(S372, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R43, c.limit)
    return e


def RolloutThinkingBudgetV1_close_token_ids_item(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S377, v)]
    if i < 0:
        return [Failure(S378, v)]
    if i > 4294967295:
        return [Failure(S379, v)]
    return []


def RolloutThinkingBudgetV1_close_token_ids(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S375, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S376, v))
    for i, x in suspects(v, T44, c):
        if not (x.__class__ is int and x >= 0 and x <= 4294967295):
            put(e, RolloutThinkingBudgetV1_close_token_ids_item(x, c), i)
            if len(e) >= c.limit:
                break
    return e


def RolloutThinkingBudgetV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S374, v)]
    e: Failures = []
    x = v.get("max_tokens", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "max_tokens")
    x = v.get("max_time_ms", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "max_time_ms")
    x = v.get("close_token_ids", M)
    if x is M:
        e.append(Failure(S380, M))
    else:
        put(e, RolloutThinkingBudgetV1_close_token_ids(x, c), "close_token_ids")
    if not F45.issuperset(v):
        for k in v:
            if k not in F45:
                put(e, [Failure(S381, v[k])], k)
                if len(e) >= c.limit:
                    break
    if not (("max_tokens" in v) or ("max_time_ms" in v)):
        e.append(Failure(S382, v))
    return e


def RolloutSamplingConfigV1_temperature(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S384, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S385, v)]
    return []


def RolloutSamplingConfigV1_top_p(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S387, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S388, v)]
    if v > 1:
        return [Failure(S389, v)]
    return []


def RolloutSamplingConfigV1_top_k(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S391, v)]
    if i < 0:
        return [Failure(S392, v)]
    if i > 4294967295:
        return [Failure(S393, v)]
    return []


def RolloutSamplingConfigV1_min_p(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S395, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S396, v)]
    if v > 1:
        return [Failure(S397, v)]
    return []


def RolloutSamplingConfigV1_max_tokens(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S399, v)]
    if i < 1:
        return [Failure(S400, v)]
    return []


def RolloutSamplingConfigV1_repetition_penalty(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S402, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v <= 0:
        return [Failure(S403, v)]
    return []


def RolloutSamplingConfigV1_presence_penalty(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S405, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < -2:
        return [Failure(S406, v)]
    if v > 2:
        return [Failure(S407, v)]
    return []


def RolloutSamplingConfigV1_frequency_penalty(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S409, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < -2:
        return [Failure(S410, v)]
    if v > 2:
        return [Failure(S411, v)]
    return []


def RolloutSamplingConfigV1_stop_item(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S415, v)]
    if len(v) < 1:
        return [Failure(S416, v)]
    e: Failures = []
    return e


def RolloutSamplingConfigV1_stop(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S413, v)]
    e: Failures = []
    if len(v) > 256:
        e.append(Failure(S414, v))
    for i, x in suspects(v, T46, c):
        if not (x.__class__ is str and len(x) >= 1):
            put(e, RolloutSamplingConfigV1_stop_item(x, c), i)
            if len(e) >= c.limit:
                break
    return e


def RolloutSamplingConfigV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S383, v)]
    e: Failures = []
    x = v.get("temperature", M)
    if x is M:
        e.append(Failure(S386, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, RolloutSamplingConfigV1_temperature(x, c), "temperature")
    x = v.get("top_p", M)
    if x is M:
        e.append(Failure(S390, M))
    elif not (x.__class__ is float and 0 <= x <= 1):
        put(e, RolloutSamplingConfigV1_top_p(x, c), "top_p")
    x = v.get("top_k", M)
    if x is M:
        e.append(Failure(S394, M))
    elif not (x.__class__ is int and x >= 0 and x <= 4294967295):
        put(e, RolloutSamplingConfigV1_top_k(x, c), "top_k")
    x = v.get("min_p", M)
    if x is M:
        e.append(Failure(S398, M))
    elif not (x.__class__ is float and 0 <= x <= 1):
        put(e, RolloutSamplingConfigV1_min_p(x, c), "min_p")
    x = v.get("max_tokens", M)
    if x is M:
        e.append(Failure(S401, M))
    elif not (x.__class__ is int and x >= 1):
        put(e, RolloutSamplingConfigV1_max_tokens(x, c), "max_tokens")
    x = v.get("repetition_penalty", M)
    if x is M:
        e.append(Failure(S404, M))
    elif not (x.__class__ is float and 0 < x < INF):
        put(e, RolloutSamplingConfigV1_repetition_penalty(x, c), "repetition_penalty")
    x = v.get("presence_penalty", M)
    if x is M:
        e.append(Failure(S408, M))
    elif not (x.__class__ is float and -2 <= x <= 2):
        put(e, RolloutSamplingConfigV1_presence_penalty(x, c), "presence_penalty")
    x = v.get("frequency_penalty", M)
    if x is M:
        e.append(Failure(S412, M))
    elif not (x.__class__ is float and -2 <= x <= 2):
        put(e, RolloutSamplingConfigV1_frequency_penalty(x, c), "frequency_penalty")
    x = v.get("stop", M)
    if x is M:
        e.append(Failure(S417, M))
    else:
        put(e, RolloutSamplingConfigV1_stop(x, c), "stop")
    x = v.get("thinking_budget", M)
    if x is not M and not (settled(x, structs.RolloutThinkingBudgetV1, c)):
        put(e, RolloutThinkingBudgetV1(x, c), "thinking_budget")
    if not F47.issuperset(v):
        for k in v:
            if k not in F47:
                put(e, [Failure(S418, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R48, c.limit)
    return e


def RolloutTokenizerIdentityV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S420, v)]
    e: Failures = []
    x = v.get("vocab_sha256", M)
    if x is M:
        e.append(Failure(S421, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "vocab_sha256")
    x = v.get("config_sha256", M)
    if x is M:
        e.append(Failure(S422, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "config_sha256")
    x = v.get("chat_template_sha256", M)
    if x is M:
        e.append(Failure(S423, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "chat_template_sha256")
    if not F49.issuperset(v):
        for k in v:
            if k not in F49:
                put(e, [Failure(S424, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def RolloutProvenanceV1_schema(v: Any, c: Context) -> Failures:
    if not (v == "kiln.rollout-provenance.v1"):
        return [Failure(S426, v)]
    return []


def RolloutProvenanceV1_input_token_ids_item(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S431, v)]
    if i < 0:
        return [Failure(S432, v)]
    if i > 4294967295:
        return [Failure(S433, v)]
    return []


def RolloutProvenanceV1_input_token_ids(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S428, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S429, v))
    if len(v) > 16777216:
        e.append(Failure(S430, v))
    for i, x in suspects(v, T44, c):
        if not (x.__class__ is int and x >= 0 and x <= 4294967295):
            put(e, RolloutProvenanceV1_input_token_ids_item(x, c), i)
            if len(e) >= c.limit:
                break
    return e


def RolloutProvenanceV1_prompt_token_count(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S435, v)]
    if i < 1:
        return [Failure(S436, v)]
    return []


def RolloutProvenanceV1_action_tokens(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S440, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S441, v))
    for i, x in suspects(v, T50, c):
        put(e, RolloutActionTokenV1(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def RolloutProvenanceV1_seed(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S446, v)]
    if i < 0:
        return [Failure(S447, v)]
    if i > 18446744073709551615:
        return [Failure(S448, v)]
    return []


def RolloutProvenanceV1_generation_backend(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S450, v)]
    if len(v) < 1:
        return [Failure(S451, v)]
    e: Failures = []
    if len(v) > 64:
        e.append(Failure(S452, v))
    if not P39(v):
        e.append(Failure(S453, v))
    if c.semantics and not e:
        e.extend(found(S454, semantics.identity_text(v, 64), c.limit))
    return e


def RolloutProvenanceV1(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S425, v)]
    e: Failures = []
    x = v.get("schema", M)
    if x is M:
        e.append(Failure(S427, M))
    elif not (x == "kiln.rollout-provenance.v1"):
        put(e, RolloutProvenanceV1_schema(x, c), "schema")
    x = v.get("input_token_ids", M)
    if x is M:
        e.append(Failure(S434, M))
    else:
        put(e, RolloutProvenanceV1_input_token_ids(x, c), "input_token_ids")
    x = v.get("prompt_token_count", M)
    if x is M:
        e.append(Failure(S437, M))
    elif not (x.__class__ is int and x >= 1):
        put(e, RolloutProvenanceV1_prompt_token_count(x, c), "prompt_token_count")
    x = v.get("prompt_messages_sha256", M)
    if x is M:
        e.append(Failure(S438, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "prompt_messages_sha256")
    x = v.get("scored_payload_sha256", M)
    if x is M:
        e.append(Failure(S439, M))
    elif not (x.__class__ is str and P30(x)):
        put(e, Sha256(x, c), "scored_payload_sha256")
    x = v.get("action_tokens", M)
    if x is M:
        e.append(Failure(S442, M))
    else:
        put(e, RolloutProvenanceV1_action_tokens(x, c), "action_tokens")
    x = v.get("behavior_policy", M)
    if x is M:
        e.append(Failure(S443, M))
    elif not (settled(x, structs.RolloutBehaviorPolicyIdentityV1, c)):
        put(e, RolloutBehaviorPolicyIdentityV1(x, c), "behavior_policy")
    x = v.get("tokenizer", M)
    if x is M:
        e.append(Failure(S444, M))
    elif not (settled(x, structs.RolloutTokenizerIdentityV1, c)):
        put(e, RolloutTokenizerIdentityV1(x, c), "tokenizer")
    x = v.get("template_invocation", M)
    if x is not M and not (settled(x, structs.RolloutChatTemplateInvocationV1, c)):
        put(e, RolloutChatTemplateInvocationV1(x, c), "template_invocation")
    x = v.get("sampling", M)
    if x is M:
        e.append(Failure(S445, M))
    elif not (settled(x, structs.RolloutSamplingConfigV1, c)):
        put(e, RolloutSamplingConfigV1(x, c), "sampling")
    x = v.get("seed", M)
    if x is M:
        e.append(Failure(S449, M))
    elif not (x.__class__ is int and x >= 0 and x <= 18446744073709551615):
        put(e, RolloutProvenanceV1_seed(x, c), "seed")
    x = v.get("generation_backend", M)
    if x is M:
        e.append(Failure(S455, M))
    else:
        put(e, RolloutProvenanceV1_generation_backend(x, c), "generation_backend")
    if not F51.issuperset(v):
        for k in v:
            if k not in F51:
                put(e, [Failure(S456, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R52, c.limit)
    return e


def Choice(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S462, v)]
    e: Failures = []
    x = v.get("index", M)
    if x is M:
        e.append(Failure(S463, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "index")
    x = v.get("message", M)
    if x is M:
        e.append(Failure(S464, M))
    elif not (settled(x, structs.ChatMessageOutput, c)):
        put(e, ChatMessageOutput(x, c), "message")
    x = v.get("finish_reason", M)
    if x is M:
        e.append(Failure(S465, M))
    elif not (x.__class__ is str and x in E0):
        put(e, FinishReason(x, c), "finish_reason")
    x = v.get("thinking_budget", M)
    if x is not M and not (settled(x, structs.ThinkingBudgetOutcome, c)):
        put(e, ThinkingBudgetOutcome(x, c), "thinking_budget")
    x = v.get("rollout_provenance", M)
    if x is not M and not (settled(x, structs.RolloutProvenanceV1, c)):
        put(e, RolloutProvenanceV1(x, c), "rollout_provenance")
    if not F53.issuperset(v):
        for k in v:
            if k not in F53:
                put(e, [Failure(S466, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ChatCompletionResponse_id(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S468, v)]
    e: Failures = []
    if not P27(v):
        e.append(Failure(S469, v))
    return e


def ChatCompletionResponse_object(v: Any, c: Context) -> Failures:
    if not (v == "chat.completion"):
        return [Failure(S471, v)]
    return []


def ChatCompletionResponse_model(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S474, v)]
    e: Failures = []
    return e


def ChatCompletionResponse_choices(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S476, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S477, v))
    if len(v) > 64:
        e.append(Failure(S478, v))
    for i, x in suspects(v, T54, c):
        put(e, Choice(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def ChatCompletionResponse(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S467, v)]
    e: Failures = []
    x = v.get("id", M)
    if x is M:
        e.append(Failure(S470, M))
    elif not (x.__class__ is str and P27(x)):
        put(e, ChatCompletionResponse_id(x, c), "id")
    x = v.get("object", M)
    if x is M:
        e.append(Failure(S472, M))
    elif not (x == "chat.completion"):
        put(e, ChatCompletionResponse_object(x, c), "object")
    x = v.get("created", M)
    if x is M:
        e.append(Failure(S473, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, UnixSeconds(x, c), "created")
    x = v.get("model", M)
    if x is M:
        e.append(Failure(S475, M))
    elif not (x.__class__ is str):
        put(e, ChatCompletionResponse_model(x, c), "model")
    x = v.get("choices", M)
    if x is M:
        e.append(Failure(S479, M))
    else:
        put(e, ChatCompletionResponse_choices(x, c), "choices")
    x = v.get("usage", M)
    if x is M:
        e.append(Failure(S480, M))
    elif not (settled(x, structs.Usage, c)):
        put(e, Usage(x, c), "usage")
    x = v.get("metadata", M)
    if x is M:
        e.append(Failure(S481, M))
    elif not (settled(x, structs.ChatCompletionMetadata, c)):
        put(e, ChatCompletionMetadata(x, c), "metadata")
    if not F55.issuperset(v):
        for k in v:
            if k not in F55:
                put(e, [Failure(S482, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R56, c.limit)
    return e


def PromptLogprobEntry_logprob(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S485, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    return []


def PromptLogprobEntry_rank(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S487, v)]
    if i < 1:
        return [Failure(S488, v)]
    return []


def PromptLogprobEntry_decoded_token(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S490, v)]
    e: Failures = []
    return e


def PromptLogprobEntry(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S484, v)]
    e: Failures = []
    x = v.get("logprob", M)
    if x is M:
        e.append(Failure(S486, M))
    elif not (x.__class__ is float and -INF < x < INF):
        put(e, PromptLogprobEntry_logprob(x, c), "logprob")
    x = v.get("rank", M)
    if x is M:
        e.append(Failure(S489, M))
    elif not (x.__class__ is int and x >= 1):
        put(e, PromptLogprobEntry_rank(x, c), "rank")
    x = v.get("decoded_token", M)
    if x is M:
        e.append(Failure(S491, M))
    elif not (x.__class__ is str):
        put(e, PromptLogprobEntry_decoded_token(x, c), "decoded_token")
    if not F57.issuperset(v):
        for k in v:
            if k not in F57:
                put(e, [Failure(S492, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def PromptLogprobMap_name(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S494, v)]
    e: Failures = []
    if not P58(v):
        e.append(Failure(S495, v))
    return e


def PromptLogprobMap(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S493, v)]
    e: Failures = []
    for k, x in v.items():
        put(e, PromptLogprobMap_name(k, c), k)
        put(e, PromptLogprobEntry(x, c), k)
        if len(e) >= c.limit:
            break
    return e


def StreamingTokenTiming_object(v: Any, c: Context) -> Failures:
    if not (v == "kiln.token_timing"):
        return [Failure(S497, v)]
    return []


def StreamingTokenTiming_source(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S499, v)]
    if v not in E59:
        return [Failure(S500, v)]
    e: Failures = []
    return e


def StreamingTokenTiming_token_index(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S502, v)]
    if i < 0:
        return [Failure(S503, v)]
    if i > 4294967295:
        return [Failure(S504, v)]
    return []


def StreamingTokenTiming_token_id(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S506, v)]
    if i < 0:
        return [Failure(S507, v)]
    if i > 4294967295:
        return [Failure(S508, v)]
    return []


def StreamingTokenTiming_ready_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S510, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S511, v)]
    return []


def StreamingTokenTiming_producer_delivered_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S513, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S514, v)]
    return []


def StreamingTokenTiming_handler_received_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S516, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S517, v)]
    return []


def StreamingTokenTiming_body_enqueued_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S519, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S520, v)]
    return []


def StreamingTokenTiming_response_delivery_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S522, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S523, v)]
    return []


def StreamingTokenTiming_handler_queue_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S525, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S526, v)]
    return []


def StreamingTokenTiming_queue_delay_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S528, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S529, v)]
    return []


def StreamingTokenTiming_client_delivery_ms(v: Any, c: Context) -> Failures:
    if not is_number(v):
        return [Failure(S531, v)]
    if not is_finite(v) and (c.semantics or isinstance(v, float)):
        return [Failure(FINITE, v)]
    if v < 0:
        return [Failure(S532, v)]
    return []


def StreamingTokenTiming_blocking_phase(v: Any, c: Context) -> Failures:
    if not (v.__class__ is str or v is None):
        return [Failure(S534, v)]
    if v not in E60:
        return [Failure(S535, v)]
    return []


def StreamingTokenTiming(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S496, v)]
    e: Failures = []
    x = v.get("object", M)
    if x is M:
        e.append(Failure(S498, M))
    elif not (x == "kiln.token_timing"):
        put(e, StreamingTokenTiming_object(x, c), "object")
    x = v.get("source", M)
    if x is M:
        e.append(Failure(S501, M))
    elif not (x.__class__ is str and x in E59):
        put(e, StreamingTokenTiming_source(x, c), "source")
    x = v.get("token_index", M)
    if x is M:
        e.append(Failure(S505, M))
    elif not (x.__class__ is int and x >= 0 and x <= 4294967295):
        put(e, StreamingTokenTiming_token_index(x, c), "token_index")
    x = v.get("token_id", M)
    if x is M:
        e.append(Failure(S509, M))
    elif not (x.__class__ is int and x >= 0 and x <= 4294967295):
        put(e, StreamingTokenTiming_token_id(x, c), "token_id")
    x = v.get("ready_ms", M)
    if x is M:
        e.append(Failure(S512, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_ready_ms(x, c), "ready_ms")
    x = v.get("producer_delivered_ms", M)
    if x is M:
        e.append(Failure(S515, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_producer_delivered_ms(x, c), "producer_delivered_ms")
    x = v.get("handler_received_ms", M)
    if x is M:
        e.append(Failure(S518, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_handler_received_ms(x, c), "handler_received_ms")
    x = v.get("body_enqueued_ms", M)
    if x is M:
        e.append(Failure(S521, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_body_enqueued_ms(x, c), "body_enqueued_ms")
    x = v.get("response_delivery_ms", M)
    if x is M:
        e.append(Failure(S524, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_response_delivery_ms(x, c), "response_delivery_ms")
    x = v.get("handler_queue_ms", M)
    if x is M:
        e.append(Failure(S527, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_handler_queue_ms(x, c), "handler_queue_ms")
    x = v.get("queue_delay_ms", M)
    if x is M:
        e.append(Failure(S530, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_queue_delay_ms(x, c), "queue_delay_ms")
    x = v.get("client_delivery_ms", M)
    if x is M:
        e.append(Failure(S533, M))
    elif not (x.__class__ is float and 0 <= x < INF):
        put(e, StreamingTokenTiming_client_delivery_ms(x, c), "client_delivery_ms")
    x = v.get("blocking_phase", M)
    if x is M:
        e.append(Failure(S536, M))
    elif not ((x.__class__ is str or x is None) and x in E60):
        put(e, StreamingTokenTiming_blocking_phase(x, c), "blocking_phase")
    x = v.get("blocking_phase_ms", M)
    if x is M:
        e.append(Failure(S537, M))
    elif not (x is None or x.__class__ is float and 0 <= x < INF):
        put(e, NullableNonNegativeNumber(x, c), "blocking_phase_ms")
    if not F61.issuperset(v):
        for k in v:
            if k not in F61:
                put(e, [Failure(S538, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R62, c.limit)
    return e


def TextCompletionChoice_text(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S542, v)]
    e: Failures = []
    return e


def PromptLogprobMap_or_null_name(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S494, v)]
    e: Failures = []
    if not P58(v):
        e.append(Failure(S495, v))
    return e


def PromptLogprobMap_or_null(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if v.__class__ is not dict:
        return [Failure(S546, v)]
    e: Failures = []
    for k, x in v.items():
        put(e, PromptLogprobMap_or_null_name(k, c), k)
        put(e, PromptLogprobEntry(x, c), k)
        if len(e) >= c.limit:
            break
    return e


def TextCompletionChoice_prompt_logprobs_item(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return PromptLogprobMap_or_null(v, c)


def TextCompletionChoice_prompt_logprobs(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S545, v)]
    e: Failures = []
    for i, x in suspects(v, T63, c):
        if not (x is None):
            put(e, TextCompletionChoice_prompt_logprobs_item(x, c), i)
            if len(e) >= c.limit:
                break
    return e


def TextCompletionChoice(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S540, v)]
    e: Failures = []
    x = v.get("index", M)
    if x is M:
        e.append(Failure(S541, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, NonNegativeInteger(x, c), "index")
    x = v.get("text", M)
    if x is M:
        e.append(Failure(S543, M))
    elif not (x.__class__ is str):
        put(e, TextCompletionChoice_text(x, c), "text")
    x = v.get("finish_reason", M)
    if x is M:
        e.append(Failure(S544, M))
    elif not (x.__class__ is str and x in E0):
        put(e, FinishReason(x, c), "finish_reason")
    x = v.get("prompt_logprobs", M)
    if x is not M:
        put(e, TextCompletionChoice_prompt_logprobs(x, c), "prompt_logprobs")
    if not F64.issuperset(v):
        for k in v:
            if k not in F64:
                put(e, [Failure(S547, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R65, c.limit)
    return e


def TextCompletionRequest_prompt_0(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S550, v)]
    e: Failures = []
    return e


def TextCompletionRequest_prompt_1_item(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S554, v)]
    if i < 0:
        return [Failure(S555, v)]
    if i > 4294967295:
        return [Failure(S556, v)]
    return []


def TextCompletionRequest_prompt_1(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S551, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S552, v))
    if len(v) > 4096:
        e.append(Failure(S553, v))
    for i, x in suspects(v, T44, c):
        if not (x.__class__ is int and x >= 0 and x <= 4294967295):
            put(e, TextCompletionRequest_prompt_1_item(x, c), i)
            if len(e) >= c.limit:
                break
    return e


def TextCompletionRequest_prompt(v: Any, c: Context) -> Failures:
    if v.__class__ is str:
        return TextCompletionRequest_prompt_0(v, c)
    if v.__class__ is list:
        return TextCompletionRequest_prompt_1(v, c)
    return [Failure(S557, v)]


def TextCompletionRequest_max_tokens_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S559, v)]
    if i < 0:
        return [Failure(S560, v)]
    if i > 1:
        return [Failure(S561, v)]
    return []


def TextCompletionRequest_max_tokens(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return TextCompletionRequest_max_tokens_value(v, c)


def TextCompletionRequest_prompt_logprobs(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S562, v)]
    if i < 0:
        return [Failure(S563, v)]
    if i > 256:
        return [Failure(S564, v)]
    return []


def TextCompletionRequest_n_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    if not (v.__class__ is not bool and v == 1):
        return [Failure(S566, v)]
    return []


def TextCompletionRequest_n(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return TextCompletionRequest_n_value(v, c)


def TextCompletionRequest_stream(v: Any, c: Context) -> Failures:
    if not (v is False):
        return [Failure(S567, v)]
    return []


def TextCompletionRequest_add_special_tokens(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S568, v)]
    return []


def TextCompletionRequest(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S549, v)]
    e: Failures = []
    x = v.get("model", M)
    if x is not M and not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "model")
    x = v.get("prompt", M)
    if x is M:
        e.append(Failure(S558, M))
    elif not (x.__class__ is str):
        put(e, TextCompletionRequest_prompt(x, c), "prompt")
    x = v.get("max_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0 and x <= 1):
        put(e, TextCompletionRequest_max_tokens(x, c), "max_tokens")
    x = v.get("prompt_logprobs", M)
    if x is M:
        e.append(Failure(S565, M))
    elif not (x.__class__ is int and x >= 0 and x <= 256):
        put(e, TextCompletionRequest_prompt_logprobs(x, c), "prompt_logprobs")
    x = v.get("n", M)
    if x is not M and not (x is None or x.__class__ is not bool and x == 1):
        put(e, TextCompletionRequest_n(x, c), "n")
    x = v.get("stream", M)
    if x is not M and not (x is False):
        put(e, TextCompletionRequest_stream(x, c), "stream")
    x = v.get("add_special_tokens", M)
    if x is not M and not (x.__class__ is bool):
        put(e, TextCompletionRequest_add_special_tokens(x, c), "add_special_tokens")
    if c.semantics:
        run_checks(e, v, R66, c.limit)
    return e


def TextCompletionResponse_id(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S571, v)]
    e: Failures = []
    if not P67(v):
        e.append(Failure(S572, v))
    return e


def TextCompletionResponse_object(v: Any, c: Context) -> Failures:
    if not (v == "text_completion"):
        return [Failure(S574, v)]
    return []


def TextCompletionResponse_model(v: Any, c: Context) -> Failures:
    if v.__class__ is not str:
        return [Failure(S577, v)]
    e: Failures = []
    return e


def TextCompletionResponse_choices(v: Any, c: Context) -> Failures:
    if v.__class__ is not list:
        return [Failure(S580, v)]
    e: Failures = []
    if len(v) < 1:
        e.append(Failure(S581, v))
    if len(v) > 1:
        e.append(Failure(S582, v))
    for i, x in suspects(v, T68, c):
        put(e, TextCompletionChoice(x, c), i)
        if len(e) >= c.limit:
            break
    return e


def TextCompletionResponse(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S570, v)]
    e: Failures = []
    x = v.get("id", M)
    if x is M:
        e.append(Failure(S573, M))
    elif not (x.__class__ is str and P67(x)):
        put(e, TextCompletionResponse_id(x, c), "id")
    x = v.get("object", M)
    if x is M:
        e.append(Failure(S575, M))
    elif not (x == "text_completion"):
        put(e, TextCompletionResponse_object(x, c), "object")
    x = v.get("created", M)
    if x is M:
        e.append(Failure(S576, M))
    elif not (x.__class__ is int and x >= 0):
        put(e, UnixSeconds(x, c), "created")
    x = v.get("model", M)
    if x is M:
        e.append(Failure(S578, M))
    elif not (x.__class__ is str):
        put(e, TextCompletionResponse_model(x, c), "model")
    x = v.get("system_fingerprint", M)
    if x is M:
        e.append(Failure(S579, M))
    elif not (x is None or x.__class__ is str):
        put(e, NullableString(x, c), "system_fingerprint")
    x = v.get("choices", M)
    if x is M:
        e.append(Failure(S583, M))
    else:
        put(e, TextCompletionResponse_choices(x, c), "choices")
    x = v.get("usage", M)
    if x is M:
        e.append(Failure(S584, M))
    elif not (settled(x, structs.Usage, c)):
        put(e, Usage(x, c), "usage")
    if not F69.issuperset(v):
        for k in v:
            if k not in F69:
                put(e, [Failure(S585, v[k])], k)
                if len(e) >= c.limit:
                    break
    if c.semantics:
        run_checks(e, v, R70, c.limit)
    return e


def ThinkingBudgetRequest(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S587, v)]
    e: Failures = []
    x = v.get("thinking_budget_tokens", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetLimitOverride(x, c), "thinking_budget_tokens")
    x = v.get("thinking_budget_ms", M)
    if x is not M and not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetLimitOverride(x, c), "thinking_budget_ms")
    return e


def ThinkingBudgetServerDefaults_default_thinking_budget_tokens_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S589, v)]
    if i < 0:
        return [Failure(S590, v)]
    return []


def ThinkingBudgetServerDefaults_default_thinking_budget_tokens(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return ThinkingBudgetServerDefaults_default_thinking_budget_tokens_value(v, c)


def ThinkingBudgetServerDefaults_default_thinking_budget_ms_value(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    i = integer_of(v)
    if i is None:
        return [Failure(S592, v)]
    if i < 0:
        return [Failure(S593, v)]
    return []


def ThinkingBudgetServerDefaults_default_thinking_budget_ms(v: Any, c: Context) -> Failures:
    if v is None:
        return []
    return ThinkingBudgetServerDefaults_default_thinking_budget_ms_value(v, c)


def ThinkingBudgetServerDefaults(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S588, v)]
    e: Failures = []
    x = v.get("default_thinking_budget_tokens", M)
    if x is M:
        e.append(Failure(S591, M))
    elif not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetServerDefaults_default_thinking_budget_tokens(x, c), "default_thinking_budget_tokens")
    x = v.get("default_thinking_budget_ms", M)
    if x is M:
        e.append(Failure(S594, M))
    elif not (x is None or x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetServerDefaults_default_thinking_budget_ms(x, c), "default_thinking_budget_ms")
    if not F71.issuperset(v):
        for k in v:
            if k not in F71:
                put(e, [Failure(S595, v[k])], k)
                if len(e) >= c.limit:
                    break
    return e


def ThinkingBudgetRecentRecord_configured(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S218, v)]
    return []


def ThinkingBudgetRecentRecord_max_tokens(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S220, v)]
    if i < 0:
        return [Failure(S221, v)]
    return []


def ThinkingBudgetRecentRecord_max_time_ms(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S222, v)]
    if i < 0:
        return [Failure(S223, v)]
    return []


def ThinkingBudgetRecentRecord_applied(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S597, v)]
    return []


def ThinkingBudgetRecentRecord_triggered(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S598, v)]
    return []


def ThinkingBudgetRecentRecord_closed(v: Any, c: Context) -> Failures:
    if not (v.__class__ is bool):
        return [Failure(S599, v)]
    return []


def ThinkingBudgetRecentRecord_thinking_tokens(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S600, v)]
    if i < 0:
        return [Failure(S601, v)]
    return []


def ThinkingBudgetRecentRecord_thinking_time_ms(v: Any, c: Context) -> Failures:
    i = integer_of(v)
    if i is None:
        return [Failure(S602, v)]
    if i < 0:
        return [Failure(S603, v)]
    return []


def ThinkingBudgetRecentRecord(v: Any, c: Context) -> Failures:
    if v.__class__ is not dict:
        return [Failure(S596, v)]
    e: Failures = []
    x = v.get("configured", M)
    if x is M:
        e.append(Failure(S219, M))
    elif not (x.__class__ is bool):
        put(e, ThinkingBudgetRecentRecord_configured(x, c), "configured")
    x = v.get("max_tokens", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecentRecord_max_tokens(x, c), "max_tokens")
    x = v.get("max_time_ms", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecentRecord_max_time_ms(x, c), "max_time_ms")
    x = v.get("tokens_source", M)
    if x is M:
        e.append(Failure(S224, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "tokens_source")
    x = v.get("time_source", M)
    if x is M:
        e.append(Failure(S225, M))
    elif not (x.__class__ is str and x in E6):
        put(e, ThinkingBudgetSource(x, c), "time_source")
    x = v.get("applied", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ThinkingBudgetRecentRecord_applied(x, c), "applied")
    x = v.get("triggered", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ThinkingBudgetRecentRecord_triggered(x, c), "triggered")
    x = v.get("trigger", M)
    if x is not M and not (x.__class__ is str and x in E3):
        put(e, ThinkingBudgetTrigger(x, c), "trigger")
    x = v.get("closed", M)
    if x is not M and not (x.__class__ is bool):
        put(e, ThinkingBudgetRecentRecord_closed(x, c), "closed")
    x = v.get("thinking_tokens", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecentRecord_thinking_tokens(x, c), "thinking_tokens")
    x = v.get("thinking_time_ms", M)
    if x is not M and not (x.__class__ is int and x >= 0):
        put(e, ThinkingBudgetRecentRecord_thinking_time_ms(x, c), "thinking_time_ms")
    if not F24.issuperset(v):
        for k in v:
            if k not in F24:
                put(e, [Failure(S604, v[k])], k)
                if len(e) >= c.limit:
                    break
    if (
        (("max_tokens" in v) or ("max_time_ms" in v))
        and (v.get("configured", M) is not M and not (v.get("configured", M) is True))
        and "configured" in v
        and not broken(e, "configured")
    ):
        e.append(Failure(S226, v))
    if (
        (not (("max_tokens" in v) or ("max_time_ms" in v)))
        and (v.get("configured", M) is not M and not (v.get("configured", M) is False))
        and "configured" in v
        and not broken(e, "configured")
    ):
        e.append(Failure(S227, v))
    if (
        ("max_tokens" in v)
        and (
            v.get("tokens_source", M) is not M
            and not (
                v.get("tokens_source", M)
                in ("server_default", "request", "suite", "run_override", "example", "unknown")
            )
        )
        and "tokens_source" in v
        and not broken(e, "tokens_source")
    ):
        e.append(Failure(S228, v))
    if (
        (not ("max_tokens" in v))
        and (
            v.get("tokens_source", M) is not M
            and not (
                v.get("tokens_source", M)
                in (
                    "unlimited",
                    "request_unlimited",
                    "suite_unlimited",
                    "run_override_unlimited",
                    "example_unlimited",
                    "unknown",
                )
            )
        )
        and "tokens_source" in v
        and not broken(e, "tokens_source")
    ):
        e.append(Failure(S229, v))
    if (
        ("max_time_ms" in v)
        and (
            v.get("time_source", M) is not M
            and not (
                v.get("time_source", M) in ("server_default", "request", "suite", "run_override", "example", "unknown")
            )
        )
        and "time_source" in v
        and not broken(e, "time_source")
    ):
        e.append(Failure(S230, v))
    if (
        (not ("max_time_ms" in v))
        and (
            v.get("time_source", M) is not M
            and not (
                v.get("time_source", M)
                in (
                    "unlimited",
                    "request_unlimited",
                    "suite_unlimited",
                    "run_override_unlimited",
                    "example_unlimited",
                    "unknown",
                )
            )
        )
        and "time_source" in v
        and not broken(e, "time_source")
    ):
        e.append(Failure(S231, v))
    return e


VALIDATORS: Final[dict[str, Callable[[Any, Context], Failures]]] = {
    "AdapterRef": AdapterRef,
    "BatchCompletionItem": BatchCompletionItem,
    "BatchCompletionMetadata": BatchCompletionMetadata,
    "BatchCompletionRequest": BatchCompletionRequest,
    "BatchCompletionResponse": BatchCompletionResponse,
    "ChatCompletionChunk": ChatCompletionChunk,
    "ChatCompletionChunkStream": ChatCompletionChunkStream,
    "ChatCompletionMetadata": ChatCompletionMetadata,
    "ChatCompletionPerformanceMetadata": ChatCompletionPerformanceMetadata,
    "ChatCompletionRequest": ChatCompletionRequest,
    "ChatCompletionResponse": ChatCompletionResponse,
    "ChatMessageInput": ChatMessageInput,
    "ChatMessageOutput": ChatMessageOutput,
    "Choice": Choice,
    "ChunkChoice": ChunkChoice,
    "ConfigHashes": ConfigHashes,
    "Delta": Delta,
    "FinishReason": FinishReason,
    "LatencyPhaseTimings": LatencyPhaseTimings,
    "LatencyStallReasonCounts": LatencyStallReasonCounts,
    "NonNegativeInteger": NonNegativeInteger,
    "NullableBoolean": NullableBoolean,
    "NullableNonNegativeInteger": NullableNonNegativeInteger,
    "NullableNonNegativeNumber": NullableNonNegativeNumber,
    "NullableSamplingNumber": NullableSamplingNumber,
    "NullableString": NullableString,
    "NullableTemplateKwargs": NullableTemplateKwargs,
    "NullableToolArray": NullableToolArray,
    "NullableUint32": NullableUint32,
    "NullableUint64": NullableUint64,
    "PromptLogprobEntry": PromptLogprobEntry,
    "PromptLogprobMap": PromptLogprobMap,
    "RequestLatencyDiagnostics": RequestLatencyDiagnostics,
    "RolloutActionTokenV1": RolloutActionTokenV1,
    "RolloutAdapterIdentityV1": RolloutAdapterIdentityV1,
    "RolloutBehaviorPolicyIdentityV1": RolloutBehaviorPolicyIdentityV1,
    "RolloutChatTemplateInvocationV1": RolloutChatTemplateInvocationV1,
    "RolloutIdentityText": RolloutIdentityText,
    "RolloutProvenanceV1": RolloutProvenanceV1,
    "RolloutSamplingConfigV1": RolloutSamplingConfigV1,
    "RolloutThinkingBudgetV1": RolloutThinkingBudgetV1,
    "RolloutTokenizerIdentityV1": RolloutTokenizerIdentityV1,
    "SamplingPreset": SamplingPreset,
    "Sha256": Sha256,
    "StopInput": StopInput,
    "StreamOptions": StreamOptions,
    "StreamingTerminalMetadata": StreamingTerminalMetadata,
    "StreamingTokenTiming": StreamingTokenTiming,
    "TextCompletionChoice": TextCompletionChoice,
    "TextCompletionRequest": TextCompletionRequest,
    "TextCompletionResponse": TextCompletionResponse,
    "ThinkingBudgetConfigurationMetadata": ThinkingBudgetConfigurationMetadata,
    "ToolCallArray": ToolCallArray,
    "UnixSeconds": UnixSeconds,
    "Usage": Usage,
    "thinking_budget.limitOverride": ThinkingBudgetLimitOverride,
    "thinking_budget.source": ThinkingBudgetSource,
    "thinking_budget.trigger": ThinkingBudgetTrigger,
    "thinking_budget.request": ThinkingBudgetRequest,
    "thinking_budget.serverDefaults": ThinkingBudgetServerDefaults,
    "thinking_budget.effective": ThinkingBudgetEffective,
    "thinking_budget.outcome": ThinkingBudgetOutcome,
    "thinking_budget.record": ThinkingBudgetRecord,
    "thinking_budget.recentRecord": ThinkingBudgetRecentRecord,
}
