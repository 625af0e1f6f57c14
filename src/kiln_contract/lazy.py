"""Parts of the package that load when they are first used: payloads alone need none of them.

A module-level `__getattr__` would do, but CPython then looks up every attribute of the package the slow way, which
costs a small request a tenth of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class LazyModule:
    """Stands for a submodule until something is asked of it; importing it then puts the module in its place."""

    _name: str
    _module: ModuleType | None

    def __init__(self, name: str) -> None:
        self._name = name
        self._module = None

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._load(), attribute)

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in LazyModule.__annotations__:
            super().__setattr__(attribute, value)
        else:
            setattr(self._load(), attribute, value)

    def __delattr__(self, attribute: str) -> None:
        delattr(self._load(), attribute)

    def __dir__(self) -> Iterable[str]:
        return dir(self._load())

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        return import_module, (self._name,)

    def _load(self) -> ModuleType:
        if self._module is None:
            # Whoever imported this name before the module was loaded keeps it, and asks here ever after.
            self._module = import_module(self._name)
        return self._module

    def __repr__(self) -> str:
        return f"<module {self._name!r}, not loaded yet>"


class LazyMapping(Mapping[str, Value], Generic[Value]):
    """A mapping that a module holds, imported with its first use."""

    def __init__(self, module: str, name: str) -> None:
        self._place = module, name

    def _load(self) -> Mapping[str, Value]:
        module, name = self._place
        loaded: Mapping[str, Value] = getattr(import_module(module), name)
        return loaded

    def __getitem__(self, key: str) -> Value:
        return self._load()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())
