"""Makes mistakes in a kernel's Python, one at a time: a wait, a signal or a start left out, a neighbour, a slot or a
semaphore exchanged, a count changed."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

_LEFT_OUT = ("start", "wait", "semaphore_signal", "semaphore_wait", "meet_neighbours")
_EXCHANGED = {"left": "right", "right": "left", "now": "following", "following": "now", "sent": "arrived", "arrived": "sent"}


def mutants(module: ModuleType, function: str) -> Iterator[tuple[str, Any]]:
    """Each mistake with the function that has it; lines stay those of the file."""
    tree = ast.parse(inspect.getsource(module))
    place = next(i for i, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef) and node.name == function)
    for number, what in enumerate(_Changes(None).visit_all(tree.body[place])):
        changed = copy.deepcopy(tree)
        _Changes(number).visit_all(changed.body[place])
        names: dict[str, Any] = {"__name__": f"{module.__name__}_changed"}
        exec(compile(ast.fix_missing_locations(changed), module.__file__, "exec"), names)
        yield what, names[function]


class _Changes(ast.NodeTransformer):
    """Counts the places where a change is possible, and makes the one with the wanted number."""

    def __init__(self, wanted: int | None):
        self._wanted = wanted
        self.found: list[str] = []

    def visit_all(self, node: ast.AST) -> list[str]:
        self.visit(node)
        return self.found

    def _here(self, what: str) -> bool:
        self.found.append(what)
        return self._wanted == len(self.found) - 1

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Call):
            called = node.value.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in _LEFT_OUT and self._here(f"line {node.lineno}: without {ast.unparse(node)}"):
                return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        other = _EXCHANGED.get(node.id)
        if other and isinstance(node.ctx, ast.Load) and self._here(f"line {node.lineno}: {other} for {node.id}"):
            return ast.copy_location(ast.Name(other, node.ctx), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in ("semaphore_signal", "semaphore_wait") and self._here(f"line {node.lineno}: {name} of one more"):
            node.args[1] = ast.BinOp(node.args[1], ast.Add(), ast.Constant(1))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "at":
            several = isinstance(node.slice, ast.Tuple)
            for at, index in enumerate(node.slice.elts if several else [node.slice]):
                if isinstance(index, ast.Name) and self._here(f"line {node.lineno}: element 0 for {index.id}"):
                    if several:
                        node.slice.elts[at] = ast.Constant(0)
                    else:
                        node.slice = ast.Constant(0)
        return node
