"""What a stretch of work asked of the library: its calls, and the memory that they were given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

    from kiln_engine.kernels.cpu.arguments import Indices


class Call(NamedTuple):
    """A function of the library by name, and its arguments: numbers, and addresses or None."""

    function: str
    arguments: tuple[Any, ...]


@dataclass(slots=True)
class Tape:
    """Kept while work goes on; `buffers` are alive as long as it is, so that no two have the same address."""

    calls: list[Call] = field(default_factory=list)
    buffers: list[Tensor] = field(default_factory=list)
    """Outputs, in the order in which they were made."""
    indices: list[Indices] = field(default_factory=list)
    """Batches whose indices were checked, before calls that rely on it."""

    def rely_on(self, indices: Indices) -> None:
        """Note a batch whose indices the calls to come are sure of, unless what is noted covers it."""
        if not any(known.covers(indices) for known in self.indices):
            self.indices.append(indices)
