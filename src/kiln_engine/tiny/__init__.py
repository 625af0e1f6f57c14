"""kiln-tiny: the small default model, the dialogues it learned from, its training and its evaluation.

Importing this package loads no torch; only its modules `network`, `optimizer`, `generate`, `train` and `evaluate` do.
"""

from pathlib import Path
from typing import Final

CHECKPOINT: Final[Path] = Path(__file__).parent / "checkpoint"
"""The folder of the trained model, in the layout of Hugging Face checkpoints."""
