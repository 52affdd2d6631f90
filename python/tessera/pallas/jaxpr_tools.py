"""Queries on jaxprs: inner jaxprs, kernels, places in the Python, named axes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from jax._src import core, source_info_util

from tessera.pallas.convert.places import users

# Primitives of kernels, with the call that creates each.
KERNELS = {
    "pallas_call": "pl.pallas_call",
    "mpmd_map": "pl.kernel",
    "core_map": "pl.core_map",
    "tpu_custom_call": "as_tpu_kernel",
    "mosaic_gpu_p": "as_gpu_kernel",
    "mosaic_gpu": "as_gpu_kernel",
    "triton_kernel_call": "triton_call",
}


def named_jaxprs(params: dict[str, Any]) -> Iterator[tuple[str, core.Jaxpr]]:
    """Returns the jaxprs among the params of an equation with their names: `jaxpr`, `branches[1]`. Closed jaxprs are opened."""
    for name, value in params.items():
        several = isinstance(value, (tuple, list))
        for at, one in enumerate(value if several else (value,)):
            one = one.jaxpr if hasattr(one, "jaxpr") and hasattr(one, "consts") else one
            if isinstance(one, core.Jaxpr):
                yield f"{name}[{at}]" if several else name, one


def inner_jaxprs(params: dict[str, Any]) -> Iterator[core.Jaxpr]:
    for _, one in named_jaxprs(params):
        yield one


def primitives(jaxpr: core.Jaxpr) -> Iterator[core.JaxprEqn]:
    """Returns all equations, also of inner jaxprs."""
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in inner_jaxprs(eqn.params):
            yield from primitives(inner)


def printed(jaxpr: core.Jaxpr) -> str | None:
    """Returns the text of a jaxpr. None if JAX cannot print it, for example a `select_ref` of a `select_ref` up to 0.10."""
    try:
        return str(jaxpr)
    except TypeError:
        return None


def is_kernel(eqn: core.JaxprEqn) -> bool:
    return eqn.primitive.name in KERNELS


def tpu_branch(platforms: Sequence[Sequence[str] | None]) -> int:
    """Returns the index of the branch of `platform_dependent` for a TPU. None among `platforms` is the default branch."""
    return next((at for at, names in enumerate(platforms) if names is None or "tpu" in names), 0)


def has_kernel(eqn: core.JaxprEqn) -> bool:
    """True if the equation is a kernel or contains one."""
    if is_kernel(eqn):
        return True
    return any(has_kernel(inner) for jaxpr in inner_jaxprs(eqn.params) for inner in jaxpr.eqns)


def names_axes(eqn: core.JaxprEqn) -> bool:
    """True if the equation's value depends on other devices or on the position of this device."""
    return any(isinstance(effect, core.NamedAxisEffect) for effect in eqn.effects)


def moves_copies(jaxpr: core.Jaxpr) -> bool:
    """True if the kernel has its own copies or semaphores, which only JAX's TPU interpreter supports."""
    words = ("dma_", "semaphore_", "get_barrier_semaphore", "device_id", "axis_index")
    return any(eqn.primitive.name.startswith(words) for eqn in primitives(jaxpr))


def reaches_others(jaxpr: core.Jaxpr) -> bool:
    """True if the kernel reads its position among the devices, like kernels that copy or signal to other devices."""
    return any(eqn.primitive.name in ("device_id", "axis_index", "get_barrier_semaphore") for eqn in primitives(jaxpr))


def float_types(jaxpr: core.Jaxpr) -> set[str]:
    """The float types in which the kernel computes."""
    moved = ("convert_element_type", "get", "swap", "broadcast_in_dim", "reshape", "transpose", "squeeze")
    found = set()
    for eqn in primitives(jaxpr):
        if eqn.primitive.name in moved:
            continue
        if eqn.primitive.name == "reciprocal" and eqn.params.get("approx"):
            found.add("bfloat16")  # JAX's interpreter computes it in this or in full precision, depending on XLA
        for var in eqn.outvars:
            dtype = getattr(var.aval, "dtype", None)
            if dtype is not None and str(dtype) in ("float32", "bfloat16", "float16"):
                found.add(str(dtype))
    return found


def frames(eqn: core.JaxprEqn) -> list[tuple[str, int, str]]:
    """Returns file, line and function of the user's frames in the equation's call stack, innermost first."""
    traceback = eqn.source_info.traceback
    if traceback is None:
        return []
    found = [(frame.file_name, frame.start_line, frame.function_name) for frame in source_info_util.user_frames(traceback)]
    return list(users(found, lambda frame: frame[0]))


def place(eqn: core.JaxprEqn) -> str:
    """Returns the line that created the equation: `kernel.py:49`. For a kernel that no line of the user created, for example one that
    only JAX calls, returns the line of its function."""
    stack = frames(eqn)
    if stack:
        return f"{os.path.basename(stack[0][0])}:{stack[0][1]}"
    jaxpr = next(inner_jaxprs(eqn.params), None) if is_kernel(eqn) else None
    if jaxpr is not None:
        words = (jaxpr.debug_info.func_src_info or "").split(" at ")
        if len(words) == 2:
            return os.path.basename(words[1])
    return "unknown"


def kernel_name(eqn: core.JaxprEqn) -> str:
    """Returns the kernel's name in the call; by default the name of its function."""
    if eqn.params.get("name"):
        return str(eqn.params["name"])
    jaxpr = next(inner_jaxprs(eqn.params), None)
    return jaxpr.debug_info.func_name if jaxpr is not None else eqn.primitive.name
