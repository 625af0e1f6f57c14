"""`python -m kiln_engine.tiny.train`: make kiln-tiny again, from a seed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import torch
from tokenizers import Tokenizer

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.chat import prompt_text
from kiln_engine.tiny.dialogue import SEAM
from kiln_engine.tiny.dialogues import dialogue
from kiln_engine.tiny.export import write_checkpoint
from kiln_engine.tiny.lexicon import MARKUP, SPECIAL, train_tokenizer
from kiln_engine.tiny.loss_plot import NoPlot, write_loss_plot
from kiln_engine.tiny.trainer import Plan, Step, Trainer

_LEXICON_DIALOGUES: Final = 20_000
_MARKUP: Final = re.compile("|".join(map(re.escape, (*SPECIAL, *MARKUP))))
_SAVE_EVERY: Final = 100
_REPORT_EVERY: Final = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the command line says, and write the checkpoint folder and the loss plot. Returns the exit status."""
    options = _options().parse_args(arguments)
    tokenizer = lexicon(options.seed)
    plan = Plan(steps=options.steps, seed=options.seed, dialogues_per_step=options.batch)
    trainer = Trainer(plan, tokenizer, threads=options.threads)
    options.state.parent.mkdir(parents=True, exist_ok=True)
    if options.resume:
        trainer.resume(options.state)
    _train(trainer, options.state, options.tokens)
    _write(trainer, tokenizer, options.out)
    try:
        write_loss_plot(options.plot, trainer.progress.losses)
    except NoPlot as reason:
        sys.stderr.write(f"{reason}\n")
    return 0


def lexicon(seed: int) -> Tokenizer:
    """The tokenizer of a seed: made from the first dialogues that the seed gives."""
    return train_tokenizer(_MARKUP.sub("", text) for text in _texts(seed))


def _texts(seed: int) -> Iterator[str]:
    for index in range(_LEXICON_DIALOGUES):
        made = dialogue(f"{seed}:{index}")
        yield f"{prompt_text(made.messages, made.tools)}{made.reasoning}\n\n{made.answers[0]}".replace(SEAM, "")


def _train(trainer: Trainer, state: Path, max_tokens: int | None) -> None:
    for step in trainer.run():
        done = step.number + 1
        if done % _REPORT_EVERY == 0 or done == trainer.plan.steps:
            _report(trainer, step)
        if done % _SAVE_EVERY == 0:
            trainer.save(state)
        if max_tokens is not None and trainer.progress.num_tokens >= max_tokens:
            return


def _report(trainer: Trainer, step: Step) -> None:
    progress, total = trainer.progress, trainer.plan.steps
    recent = progress.losses[-_REPORT_EVERY:]
    speed = progress.num_tokens / progress.seconds
    minutes_left = progress.seconds / len(progress.losses) * (total - step.number - 1) / 60
    sys.stdout.write(
        f"step {step.number + 1}/{total}  loss {sum(recent) / len(recent):.4f}  "
        f"{progress.num_tokens / 1e6:.2f} M tokens  {speed:.0f} tokens/s  {minutes_left:.1f} min left\n"
    )
    sys.stdout.flush()


def _write(trainer: Trainer, tokenizer: Tokenizer, out: Path) -> None:
    progress, plan = trainer.progress, trainer.plan
    recent = progress.losses[-50:]
    training = {
        "seed": plan.seed,
        "steps": len(progress.losses),
        "dialogues_per_step": plan.dialogues_per_step,
        "tokens": progress.num_tokens,
        "minutes": round(progress.seconds / 60, 1),
        "loss": round(sum(recent) / len(recent), 5),
    }
    write_checkpoint(out, trainer.network, tokenizer, training)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kiln_engine.tiny.train", description="Train kiln-tiny.")
    parser.add_argument("--out", type=Path, default=CHECKPOINT, help="checkpoint folder to write (%(default)s)")
    parser.add_argument("--steps", type=int, default=Plan.steps, help="optimiser steps (%(default)s)")
    parser.add_argument("--tokens", type=int, help="stop early once this many tokens were seen")
    parser.add_argument("--batch", type=int, default=Plan.dialogues_per_step, help="dialogues a step (%(default)s)")
    parser.add_argument("--seed", type=int, default=Plan.seed, help="of weights and dialogues (%(default)s)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="CPU threads (%(default)s)")
    parser.add_argument("--state", type=Path, default=Path("kiln-tiny-training.pt"), help="file to resume from")
    parser.add_argument("--resume", action="store_true", help="go on from the state file")
    parser.add_argument("--plot", type=Path, default=Path("docs/models/kiln-tiny-loss.png"), help="PNG to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
