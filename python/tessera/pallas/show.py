"""The Python and the `.tsr` of a kernel side by side."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

from tessera.pallas import jaxpr_tools
from tessera.pallas.convert import Kernel, Refused
from tessera.pallas.program import kernels

WIDTH = 64


def show(fn: Callable[..., Any], *args: Any, **how: Any) -> str:
    """Returns the `.tsr` of every `pallas_call` of `fn(*args)`, each line next to its line of Python. Accepts the arguments of `kernels`."""
    parts = []
    for eqn, kernel in kernels(fn, *args, **how):
        title = f"{jaxpr_tools.place(eqn)} {jaxpr_tools.kernel_name(eqn)}"
        parts.append(f"{title}: refused: {kernel}\n" if isinstance(kernel, Refused) else f"{title}\n{_beside(kernel)}")
    return "\n".join(parts)


def _beside(kernel: Kernel) -> str:
    rows, before = [], None
    for number, line in enumerate(kernel.text.splitlines(), 1):
        place = kernel.places.get(number)
        left = ""
        if place is not None and place.line and place != before:
            left = f"{place}: {linecache.getline(place.file, place.line).strip()}"
        before = place or before
        left = left if len(left) <= WIDTH else left[: WIDTH - 3] + "..."
        rows.append(f"{left:<{WIDTH}} | {line}".rstrip())
    return "\n".join(rows) + "\n"
