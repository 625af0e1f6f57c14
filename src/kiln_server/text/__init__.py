"""Text on both sides of the tokens: prompts in, answers out.

Everything here is sans-I/O (feed, flush, no awaits) and obeys one law: how an answer is cut into tokens and chunks
changes nothing, so a streamed answer equals the unstreamed one.
"""
