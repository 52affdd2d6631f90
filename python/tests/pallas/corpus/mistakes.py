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
_PAIRS = (("left", "right"), ("now", "following"), ("sent", "arrived"), ("left_neighbor", "right_neighbor"),
          ("send_sem", "recv_sem"), ("k_sems", "v_sems"), ("buffer_index", "next_buffer_index"))
_EXCHANGED = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}


def mutants(module: ModuleType, *changed: str, entry: str = "") -> Iterator[tuple[str, Any]]:
    """Each mistake in the functions or classes `changed`, with the module's function `entry` (the first of them) that
    has it; lines stay those of the file."""
    tree = ast.parse(inspect.getsource(module))
    places = [i for i, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in changed]
    assert len(places) == len(changed), f"{module.__name__} has not all of {', '.join(changed)}"
    for place in places:
        for number, what in enumerate(_Changes(None).visit_all(tree.body[place])):
            other = copy.deepcopy(tree)
            _Changes(number).visit_all(other.body[place])
            names: dict[str, Any] = {"__name__": f"{module.__name__}_changed", "__package__": module.__package__}
            exec(compile(ast.fix_missing_locations(other), module.__file__, "exec"), names)
            yield what, names[entry or changed[0]]


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
                # What is waited for on the spot is still started.
                made = called.value if name == "wait" and isinstance(called, ast.Attribute) else None
                return ast.copy_location(ast.Expr(made) if isinstance(made, ast.Call) else ast.Pass(), node)
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
                if _is_element(index) and self._here(f"line {node.lineno}: element 0 for {ast.unparse(index)}"):
                    if several:
                        node.slice.elts[at] = ast.Constant(0)
                    else:
                        node.slice = ast.Constant(0)
        return node


def _is_element(index: ast.AST) -> bool:
    """Whether it tells one element: a name or a call of anything but `pl.ds`."""
    if isinstance(index, ast.Call):
        return not (isinstance(index.func, ast.Attribute) and index.func.attr in ("ds", "dslice"))
    return isinstance(index, ast.Name) and not index.id.endswith("_slice")
