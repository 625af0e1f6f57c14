"""Tools that dialogues call: what one is for, and the variants in which requests declare it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from kiln_engine.tiny.source import Source

Value: TypeAlias = str | int
Maker: TypeAlias = Callable[[Source], Value]


@dataclass(frozen=True)
class Parameter:
    """An argument of a tool: a name among several, a JSON type, and how to draw a value."""

    names: tuple[str, ...]
    type: str
    draw: Maker


@dataclass(frozen=True)
class Task:
    """What a tool is for: names and descriptions of the tool, its parameters, questions for it, and its answers.

    `questions` and `reply` name parameters by their keys; `reply` also names the keys of `result`.
    """

    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    questions: tuple[str, ...]
    result: Mapping[str, Maker]
    reply: str


class Tool:
    """One variant of a task's tool: a name, an optional description, and names for the parameters."""

    def __init__(self, task: Task, source: Source) -> None:
        self.task = task
        self.name = source.choice(task.names)
        self._keys = self._named(source)
        self._description = source.choice(task.descriptions) if source.chance(0.8) else None
        self._lists_required = source.chance(0.75)
        self._describes_parameters = source.chance(0.15)

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as a request declares it."""
        properties = {name: self._property(key) for key, name in self._keys.items()}
        parameters: dict[str, Any] = {"type": "object", "properties": properties}
        if self._lists_required:
            parameters["required"] = list(properties)
        described = {} if self._description is None else {"description": self._description}
        return {"type": "function", "function": {"name": self.name, **described, "parameters": parameters}}

    def arguments(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """The arguments of a call, by the names that the schema gives them."""
        return {name: values[key] for key, name in self._keys.items()}

    def draw(self, source: Source) -> dict[str, Value]:
        """Values for the parameters, by their keys."""
        return {key: parameter.draw(source) for key, parameter in self.task.parameters.items()}

    def _named(self, source: Source) -> dict[str, str]:
        while True:
            keys = {key: source.choice(parameter.names) for key, parameter in self.task.parameters.items()}
            if len(set(keys.values())) == len(keys):
                return keys

    def _property(self, key: str) -> dict[str, str]:
        described = {"description": f"The {key}."} if self._describes_parameters else {}
        return {"type": self.task.parameters[key].type, **described}
