"""Models as the engine sees them: rows of tokens in, hidden states and logits out."""
