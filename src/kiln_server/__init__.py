"""The Kiln inference server: the contract's endpoints over a pluggable, token-level backend."""
