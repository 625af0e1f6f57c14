"""Our engine with torch's operations: faster at nothing but what torch is fast at, and exact in nothing."""

from __future__ import annotations

from functools import partial

from tests.bench.engine_peers import kiln

create = partial(kiln.create, kernels="torch")
