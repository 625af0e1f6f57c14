"""Jinja's compiler, with trusted constants, a concatenation that keeps trust, and a tick in whatever repeats."""

from __future__ import annotations

from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

from kiln_server.text.trusted import TrustedText, trusted


class TrustingCodeGenerator(CodeGenerator):
    """Writes a template's Python code, for `kiln_server.text.template_environment` to run.

    The code yields the text between tags as plain strings. So that nothing else is one, every value goes through
    `finalize`, also those that Jinja writes as they come: the results of call blocks and filter blocks.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._block_filters: set[int] = set()

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802 - Jinja's naming
        if not isinstance(node.value, str):
            super().visit_Const(node, frame)
            return
        constants: list[TrustedText] = self.environment.constants  # type: ignore[attr-defined]
        self.write(f"environment.constants[{len(constants)}]")
        constants.append(trusted(node.value))

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self.write("environment.join((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Add(self, node: nodes.BinExpr, frame: Frame) -> None:  # noqa: N802
        self.write("environment.add((")
        for part in _operands(node):
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        if not forward_caller:
            super().visit_Call(node, frame)
            return
        self.write("environment.finalize(")
        super().visit_Call(node, frame, forward_caller=True)
        self.write(")")

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Frame) -> None:  # noqa: N802
        self._block_filters.add(id(node.filter))
        super().visit_FilterBlock(node, frame)

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802
        if id(node) not in self._block_filters:
            super().visit_Filter(node, frame)
            return
        self.write("environment.finalize(")
        super().visit_Filter(node, frame)
        self.write(")")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write(f"({finalize.src}")  # which gives a string, so Jinja's `str` around it is left out

    def enter_frame(self, frame: Frame) -> None:
        """Every loop body, macro and captured block begins here."""
        super().enter_frame(frame)
        self.writeline("environment.tick()")


def _operands(node: nodes.Expr) -> list[nodes.Expr]:
    """The operands of a chain of additions, which Jinja reads from the left."""
    return [*_operands(node.left), node.right] if isinstance(node, nodes.Add) else [node]
