"""Names of a kernel's refs, also if its function has a starred parameter: `def kernel(*refs): inner(n, *refs)`."""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Iterator, Sequence
from typing import Any

_Function = ast.FunctionDef | ast.Lambda


def parameter_names(jaxpr: Any) -> Sequence[str | None]:
    """Returns one name for each ref: the kernel's parameter. For `refs[3]` of a starred parameter: the name in an assignment
    `a, b, *rest = refs`, or the parameter of a function that is called with `*refs`."""
    given = list(jaxpr.debug_info.arg_names or ())
    starred = next((found[1] for name in given if (found := re.fullmatch(r"(\w+)\[\d+\]", name or ""))), None)
    function = _function(str(jaxpr.debug_info.func_src_info or "")) if starred else None
    if function is None or function.args.vararg is None or function.args.vararg.arg != starred:
        return given
    places = [at for at, name in enumerate(given) if (name or "").startswith(f"{starred}[")]
    for at, name in _bindings(jaxpr, function, starred, len(places)):
        if 0 <= at < len(places):
            given[places[at]] = name
    return given


@functools.lru_cache(maxsize=256)
def _function(source: str) -> _Function | None:
    """Returns the syntax tree of the function `kernel at file.py:68`. None if it cannot be found."""
    _, _, where = source.rpartition(" at ")
    file, _, line = where.rpartition(":")
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, _Function)
        and line.isdigit()
        and min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]) <= int(line) <= node.lineno
    ]
    return found[0] if len(found) == 1 else None


def _bindings(jaxpr: Any, function: _Function, starred: str, count: int) -> Iterator[tuple[int, str]]:
    """Returns pairs of a ref's index and its name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _is_name(node.value, starred) and isinstance(node.targets[0], ast.Tuple):
            yield from _unpacked(node.targets[0].elts, count)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            before, first = next(((i, arg) for i, arg in enumerate(node.args) if isinstance(arg, ast.Starred)), (0, None))
            if first is not None and _is_name(first.value, starred):
                names = _parameters(jaxpr, node.func.id)
                yield from enumerate(names[before : before + count])


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _unpacked(targets: Sequence[ast.expr], count: int) -> Iterator[tuple[int, str]]:
    """Returns indices and names for `a, b, *rest, c = refs`. Names after the star are counted from the end."""
    star = next((i for i, one in enumerate(targets) if isinstance(one, ast.Starred)), len(targets))
    for i, one in enumerate(targets):
        if isinstance(one, ast.Name):
            yield (i if i < star else count - len(targets) + i), one.id


def _parameters(jaxpr: Any, function: str) -> Sequence[str]:
    """Returns the parameters of the function with this name that was called while the kernel was traced."""
    for eqn in jaxpr.eqns:
        traceback = eqn.source_info.traceback
        for code in traceback.raw_frames()[0] if traceback is not None else ():
            if code.co_name == function:
                return code.co_varnames[: code.co_argcount]
    return ()


def clean(name: str | None) -> str | None:
    """Returns a parameter's name as an identifier: `refs_0` for `refs[0]`, `scratch_x` for `scratch.x`. None if it is empty."""
    if not name:
        return None
    return name.replace("[", "_").replace("]", "").replace(".", "_").replace("'", "").lstrip("_") or None
