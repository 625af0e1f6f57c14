"""What the dialogues are about: one topic a module, each with a function from a source to a dialogue."""
