"""Looks into jaxprs: which hold a `pallas_call`, where an equation stands in the Python, which axes it names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from jax._src import core
from jax._src import source_info_util

from tessera.pallas.convert.places import users


def inner_jaxprs(params: dict[str, Any]) -> Iterator[core.Jaxpr]:
    """The jaxprs among the params of an equation, closed ones opened."""
    for value in params.values():
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(one, "jaxpr") and hasattr(one, "consts"):
                yield one.jaxpr
            elif isinstance(one, core.Jaxpr):
                yield one


def primitives(jaxpr: core.Jaxpr) -> Iterator[core.JaxprEqn]:
    """All equations, those of inner jaxprs too."""
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in inner_jaxprs(eqn.params):
            yield from primitives(inner)


def has_call(eqn: core.JaxprEqn) -> bool:
    """Whether the equation is a `pallas_call` or has one inside."""
    if eqn.primitive.name == "pallas_call":
        return True
    return any(has_call(inner) for jaxpr in inner_jaxprs(eqn.params) for inner in jaxpr.eqns)


def names_axes(eqn: core.JaxprEqn) -> bool:
    """Whether the equation's value depends on other devices or on the place of this one."""
    return any(isinstance(effect, core.NamedAxisEffect) for effect in eqn.effects)


def moves_copies(jaxpr: core.Jaxpr) -> bool:
    """Whether a kernel has copies or semaphores of its own, which only JAX's TPU interpreter knows."""
    words = ("dma_", "semaphore_", "get_barrier_semaphore", "device_id", "axis_index")
    return any(eqn.primitive.name.startswith(words) for eqn in primitives(jaxpr))


def reaches_others(jaxpr: core.Jaxpr) -> bool:
    """Whether a kernel asks for its place among devices, as those do that copy or signal to others."""
    return any(eqn.primitive.name in ("device_id", "axis_index", "get_barrier_semaphore") for eqn in primitives(jaxpr))


def float_types(jaxpr: core.Jaxpr) -> set[str]:
    """The float types in which the kernel computes."""
    moved = ("convert_element_type", "get", "swap", "broadcast_in_dim", "reshape", "transpose", "squeeze")
    found = set()
    for eqn in primitives(jaxpr):
        if eqn.primitive.name in moved:
            continue
        if eqn.primitive.name == "reciprocal" and eqn.params.get("approx"):
            found.add("bfloat16")       # JAX's interpreter has one of so many digits, or of all, as XLA likes
        for var in eqn.outvars:
            dtype = getattr(var.aval, "dtype", None)
            if dtype is not None and str(dtype) in ("float32", "bfloat16", "float16"):
                found.add(str(dtype))
    return found


def frames(eqn: core.JaxprEqn) -> list[tuple[str, int, str]]:
    """File, line and function of the call stack that made the equation, innermost first: the user's."""
    traceback = eqn.source_info.traceback
    if traceback is None:
        return []
    found = [(frame.file_name, frame.start_line, frame.function_name)
             for frame in source_info_util.user_frames(traceback)]
    return list(users(found, lambda frame: frame[0]))


def place(eqn: core.JaxprEqn) -> str:
    """`kernel.py:49`, the line that made the equation; of a `pallas_call` that no line of the user's traces, as one that
    is called by JAX alone, that of its kernel."""
    stack = frames(eqn)
    if stack:
        return f"{os.path.basename(stack[0][0])}:{stack[0][1]}"
    if eqn.primitive.name == "pallas_call":
        words = (eqn.params["jaxpr"].debug_info.func_src_info or "").split(" at ")
        if len(words) == 2:
            return os.path.basename(words[1])
    return "unknown"


def kernel_name(eqn: core.JaxprEqn) -> str:
    """The kernel's function, or the name that its `pallas_call` gives it."""
    return eqn.params.get("name") or eqn.params["jaxpr"].debug_info.func_name
