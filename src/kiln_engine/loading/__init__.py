"""Checkpoints: Hugging Face folders and GGUF files in, fused weights, configuration and tokenizer out."""

from kiln_engine.loading.assemble import ReportLoading, load
from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.notes import notes
from kiln_engine.loading.opening import open_source
from kiln_engine.loading.source import TensorSource

__all__ = ["LoadError", "ReportLoading", "TensorSource", "load", "notes", "open_source"]
