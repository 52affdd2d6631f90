"""Replaces views of refs with another shape or type, which JAX's interpreters do not support.

A read through a view becomes a read of the memory, followed by the same transforms of the value. A store becomes a read, a change of the
value, and a store of the whole value. If a copy has a view, and no copy leaves the device, every copy becomes a read and a store at its
start. In a kernel without races this is one of its schedules. Slices with a stride of 0 are also views.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax, tree_util
from jax._src import core, linear_util
from jax._src.interpreters import partial_eval
from jax._src.state import primitives as state
from jax.experimental.pallas import tpu as pltpu
from jax.extend import core as jex_core

from tessera.pallas import jaxpr_tools

_VIEWS = ("ReshapeTransform", "BitcastTransform")


def written_out(jaxpr: core.Jaxpr) -> core.Jaxpr:
    """Returns the jaxpr without reads and stores through views; the jaxpr itself if it has none."""
    return _without_views(jaxpr, _can_copy_at_starts(jaxpr))


def without_pauses(jaxpr: core.Jaxpr) -> core.Jaxpr:
    """Removes equations that change no value, and that JAX compiles only for a TPU or that cannot be serialized. Returns the jaxpr
    itself if it has none."""
    silent = ("delay", "trace_value", "check")
    if not any(eqn.primitive.name in silent for eqn in jaxpr_tools.primitives(jaxpr)):
        return jaxpr

    def inner(value: Any) -> Any:
        if isinstance(value, core.Jaxpr):
            return without_pauses(value)
        if isinstance(value, jex_core.ClosedJaxpr):
            return value.replace(jaxpr=without_pauses(value.jaxpr))
        return tuple(map(inner, value)) if type(value) is tuple else value

    return jaxpr.replace(
        eqns=[
            eqn.replace(params={name: inner(value) for name, value in eqn.params.items()}) for eqn in jaxpr.eqns if eqn.primitive.name not in silent
        ]
    )


def _can_copy_at_starts(jaxpr: core.Jaxpr) -> bool:
    eqns = list(jaxpr_tools.primitives(jaxpr))
    starts = [_parts(eqn) for eqn in eqns if eqn.primitive.name == "dma_start"]
    return (
        all(parts is not None and parts[-1] is None for parts in starts)
        and any(_has_view(one) for parts in starts if parts for one in parts[:2])
        and not any(eqn.primitive.name == "semaphore_read" for eqn in eqns)
    )


def _parts(eqn: core.JaxprEqn) -> Sequence[Any] | None:
    """Returns source, destination, both semaphores and the device of a copy. None if a side is not a part of one memory, like a
    `select_ref`, and before JAX 0.10."""
    parts = tree_util.tree_unflatten(eqn.params["tree"], eqn.invars)
    return parts if len(parts) == 5 and all(isinstance(getattr(one, "ref", one), core.Var) for one in parts[:2]) else None


def _has_view(side: Any) -> bool:
    return _first_view(getattr(side, "transforms", ())) is not None


def _without_views(jaxpr: core.Jaxpr, at_starts: bool) -> core.Jaxpr:
    """at_starts: replace each copy by a read and a store at its start."""
    eqns: list[core.JaxprEqn] = []
    for eqn in jaxpr.eqns:
        if eqn.primitive in (state.get_p, state.swap_p) and _first_view(_transforms(eqn)) is not None:
            eqns += _instead(eqn, _access)
        elif at_starts and eqn.primitive.name == "dma_start":
            eqns += _instead(eqn, _copy)
        elif not at_starts or eqn.primitive.name != "dma_wait":
            eqns.append(eqn.replace(params={name: _inner(value, at_starts) for name, value in eqn.params.items()}))
    same = len(eqns) == len(jaxpr.eqns) and all(new.params[k] is old.params[k] for new, old in zip(eqns, jaxpr.eqns) for k in old.params)
    return jaxpr if same else jaxpr.replace(eqns=eqns)


def _inner(value: Any, at_starts: bool) -> Any:
    if isinstance(value, core.Jaxpr):  # from 0.12 on every jaxpr
        return _without_views(value, at_starts)
    if isinstance(value, jex_core.ClosedJaxpr):
        made = _without_views(value.jaxpr, at_starts)
        return value if made is value.jaxpr else value.replace(jaxpr=made)
    if type(value) is tuple and any(isinstance(one, (core.Jaxpr, jex_core.ClosedJaxpr)) for one in value):
        parts = tuple(_inner(one, at_starts) for one in value)
        return value if all(new is old for new, old in zip(parts, value)) else parts
    return value


def _transforms(eqn: core.JaxprEqn) -> Sequence[Any]:
    behind = eqn.invars[1 if eqn.primitive is state.get_p else 2 :]
    return tree_util.tree_unflatten(eqn.params["tree"], behind)


def _first_view(transforms: Sequence[Any]) -> int | None:
    return next((at for at, one in enumerate(transforms) if type(one).__name__ in _VIEWS or _repeats(one)), None)


def _repeats(transform: Any) -> bool:
    return any(getattr(index, "stride", 1) == 0 for index in getattr(transform, "indices", ()))


def _read(ref: Any, transforms: Sequence[Any]) -> Any:
    at = _first_view(transforms)
    at = len(transforms) if at is None else at
    flat, leading = tree_util.tree_flatten(tuple(transforms[:at]))
    return _taken(state.get_p.bind(ref, *flat, tree=leading), transforms[at:])


def _store(ref: Any, transforms: Sequence[Any], new: Any) -> None:
    at = _first_view(transforms)
    at = len(transforms) if at is None else at
    flat, leading = tree_util.tree_flatten(tuple(transforms[:at]))
    whole = new if at == len(transforms) else _put(state.get_p.bind(ref, *flat, tree=leading), transforms[at:], new)
    state.swap_p.bind(ref, whole, *flat, tree=leading)


def _access(eqn: core.JaxprEqn, ref: Any, *given: Any) -> list[Any]:
    reads = eqn.primitive is state.get_p
    transforms = tree_util.tree_unflatten(eqn.params["tree"], given if reads else given[1:])
    before = _read(ref, transforms)
    if not reads:
        _store(ref, transforms, given[0])
    return [before]


def _copy(eqn: core.JaxprEqn, *given: Any) -> list[Any]:
    source, target, *_ = tree_util.tree_unflatten(eqn.params["tree"], given)
    (ref, transforms), (to, places) = ((getattr(one, "ref", one), getattr(one, "transforms", ())) for one in (source, target))
    value = _read(ref, transforms)
    _store(to, places, value.reshape(_read(to, places).shape))
    return []


def _instead(eqn: core.JaxprEqn, does: Callable[..., list[Any]]) -> list[core.JaxprEqn]:
    """Returns the equations of the function `does`, with the variables of the equation that they replace."""

    def values(*given: Any) -> Any:
        return does(eqn, *given)

    info = core.DebugInfo("views", "views", None, None)
    made, *_ = partial_eval.trace_to_jaxpr_dynamic(linear_util.wrap_init(values, debug_info=info), [v.aval for v in eqn.invars])
    if isinstance(made, jex_core.ClosedJaxpr):
        made = made.jaxpr
    names: dict[Any, Any] = dict(zip(made.invars, eqn.invars))
    names.update(zip(made.outvars, eqn.outvars))

    def renamed(atom: Any) -> Any:
        return atom if isinstance(atom, core.Literal) else names.get(atom, atom)

    def effect(one: Any) -> Any:
        return type(one)(renamed(one.input)) if hasattr(one, "input") and not isinstance(one.input, int) else one

    return [
        one.replace(invars=[renamed(v) for v in one.invars], outvars=[renamed(v) for v in one.outvars], effects={effect(e) for e in one.effects})
        for one in made.eqns
    ]


def _sliced(value: Any, indexer: Any) -> tuple[list[Any], list[int], list[int], list[int]]:
    """Returns start, extent (from the first to the last element) and stride for each dimension, and the dimensions that are removed."""
    starts, sizes, strides, gone = [], [], [], []
    for dim, index in enumerate(indexer.indices):
        if type(index).__name__ == "Slice":
            starts.append(index.start)
            sizes.append((index.size - 1) * index.stride + 1)
            strides.append(index.stride)
        else:
            starts.append(index)
            sizes.append(1)
            strides.append(1)
            gone.append(dim)
    return [jnp.int32(start) if isinstance(start, int) else lax.convert_element_type(start, jnp.int32) for start in starts], sizes, strides, gone


def _taken(value: Any, transforms: Sequence[Any]) -> Any:
    for one in transforms:
        kind = type(one).__name__
        if kind == "ReshapeTransform":
            value = value.reshape(one.shape)
        elif kind == "BitcastTransform":
            value = pltpu.bitcast(value, one.dtype)
        else:
            starts, sizes, strides, gone = _sliced(value, one)
            part = lax.dynamic_slice(value, starts, sizes)
            part = lax.slice(part, [0] * part.ndim, part.shape, [max(stride, 1) for stride in strides])
            repeated = [index.size if stride == 0 else n for index, stride, n in zip(one.indices, strides, part.shape)]
            value = lax.squeeze(jnp.broadcast_to(part, repeated), gone)
    return value


def _put(value: Any, transforms: Sequence[Any], new: Any) -> Any:
    """Returns the value with the part that the transforms select replaced by `new`."""
    if not transforms:
        return new
    one, rest = transforms[0], transforms[1:]
    kind = type(one).__name__
    if kind == "ReshapeTransform":
        return _put(value.reshape(one.shape), rest, new).reshape(value.shape)
    if kind == "BitcastTransform":
        return pltpu.bitcast(_put(pltpu.bitcast(value, one.dtype), rest, new), value.dtype)
    starts, sizes, strides, gone = _sliced(value, one)
    part = lax.dynamic_slice(value, starts, sizes)
    inner = _put(_taken(value, [one]), rest, new)
    inner = lax.expand_dims(inner, gone)
    apart = [(0, 0, stride - 1) for stride in strides]
    where = lax.pad(jnp.ones(inner.shape, jnp.int32), jnp.int32(0), apart) != 0
    spread = lax.pad(inner, jnp.zeros((), inner.dtype), apart)
    return lax.dynamic_update_slice(value, jnp.where(where, spread, part), starts)
