"""The compiled kernels as Python functions, and where the ones for this machine are."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, Union, c_double, c_float, c_int, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Final

import numpy as np

# Its OpenMP library must be the one in the process, so that both use one pool of threads.
import torch  # noqa: F401

from kiln_engine.kernels.drawing import Wish

ABI: Final = 4

BUILT: Final = Path(__file__).with_name("built")
"""Where a wheel has its libraries, one for each level."""


class HeadsStruct(Structure):
    """KilnHeads of abi.h."""

    _fields_ = (
        ("num_heads", c_int64),
        ("num_kv_heads", c_int64),
        ("head_dim", c_int64),
        ("block_size", c_int64),
    )


_KINDS: Final = (np.float64,) * 4 + (np.int64,) * 4
WISH: Final = np.dtype(list(zip(Wish._fields, _KINDS, strict=True)))
"""KilnDraw of abi.h: `Wish` as memory."""


class _Value(Union):
    """KilnValue of abi.h."""

    _fields_ = (("integer", c_int64), ("number", c_double), ("address", c_void_p))


class CallStruct(Structure):
    """KilnCall of abi.h: a call as data."""

    _fields_ = (("function", c_int64), ("values", _Value * 16))

    @classmethod
    def of(cls, function: str, arguments: Sequence[float | int | None]) -> CallStruct:
        """A function of the library by name, one of `RECORDED`; its arguments are numbers, and addresses or None."""
        signature = _SIGNATURES[function]
        if len(arguments) != len(signature):
            raise TypeError(f"{function} takes {len(signature)} arguments, not {len(arguments)}")
        call = cls(RECORDED.index(function))
        for value, kind, argument in zip(call.values, signature, arguments, strict=False):
            setattr(value, _MEMBERS.get(kind, "integer"), argument)
        return call


_MEMBERS: Final[Mapping[Any, str]] = {c_float: "number", c_void_p: "address"}

RECORDED: Final = (
    "kiln_embed",
    "kiln_linear",
    "kiln_add_norm",
    "kiln_act_mul",
    "kiln_rope_write",
    "kiln_attention",
)
"""What a call as data may name, in the order of abi.h."""

_SIGNATURES: Final[Mapping[str, tuple[Any, ...]]] = {
    "kiln_abi": (),
    "kiln_pack": (c_int, *[c_void_p] * 2, *[c_size_t] * 2, c_int),
    "kiln_embed": (c_int, *[c_void_p] * 3, *[c_size_t] * 3),
    "kiln_linear": (c_int, *[c_void_p] * 4, *[c_size_t] * 3, c_int),
    "kiln_add_norm": (c_int, *[c_void_p] * 3, c_float, *[c_void_p] * 2, *[c_size_t] * 2, c_int),
    "kiln_act_mul": (c_int, *[c_void_p] * 2, *[c_size_t] * 2, c_int),
    "kiln_rope_write": (
        *(c_int, *[c_void_p] * 4, c_float),
        *([c_void_p] * 7),
        *(c_size_t, c_int),
    ),
    "kiln_attention": (
        *(c_int, *[c_void_p] * 8),
        *(c_size_t, c_float, c_int64, c_void_p, c_int),
    ),
    "kiln_draw": (c_void_p, *[c_size_t] * 2, *[c_void_p] * 5, c_int),
    "kiln_run": (POINTER(CallStruct), c_size_t),
    "kiln_read": (c_void_p, c_size_t, POINTER(c_uint64), c_int),
}


Function = Any
"""A function of the library: it takes numbers and addresses, has a name, and returns a code."""


class LibraryError(Exception):
    """A file is no library of these kernels; the message says why."""


class Library:
    """One loaded library. The functions are those of abi.h, their pointers are addresses; they raise nothing."""

    def __init__(self, path: Path) -> None:
        """Raises LibraryError when the file does not load or is of another version."""
        try:
            loaded = ctypes.CDLL(str(path))
            for name, arguments in _SIGNATURES.items():
                function = getattr(loaded, name)
                function.argtypes, function.restype = arguments, c_int
        except (OSError, AttributeError) as error:
            raise LibraryError(f"{path}: {error}") from error
        if loaded.kiln_abi() != ABI:
            raise LibraryError(f"{path} has interface {loaded.kiln_abi()}, this version needs {ABI}")
        self.path = path
        self.pack = loaded.kiln_pack
        self.embed = loaded.kiln_embed
        self.linear = loaded.kiln_linear
        self.add_norm = loaded.kiln_add_norm
        self.act_mul = loaded.kiln_act_mul
        self.rope_write = loaded.kiln_rope_write
        self.attention = loaded.kiln_attention
        self.draw = loaded.kiln_draw
        self._run = loaded.kiln_run
        self._read = loaded.kiln_read

    def run(self, calls: ctypes.Array[CallStruct]) -> int:
        """Make calls one after the other; returns the first code that is not 0."""
        code: int = self._run(calls, len(calls))
        return code

    def read(self, address: int, num_bytes: int, num_threads: int) -> int:
        """Go through memory as fast as it can be read; returns the exclusive or of its words."""
        sink = c_uint64()
        self._read(address, num_bytes, ctypes.byref(sink), num_threads)
        return sink.value
