"""Writes out, for JAX's interpreters, what they do not know: values of refs that are seen under another shape or type.

A read through such a view becomes a read of the memory and the same steps on its value; a store becomes a read, the
changed value, and a store of all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax, tree_util
from jax._src import core
from jax._src import linear_util
from jax._src.interpreters import partial_eval
from jax._src.state import primitives as state
from jax.experimental.pallas import tpu as pltpu

_VIEWS = ("ReshapeTransform", "BitcastTransform")


def written_out(jaxpr: core.Jaxpr) -> core.Jaxpr:
    """The jaxpr without reads and stores of values through views; itself where it has none."""
    eqns: list[core.JaxprEqn] = []
    for eqn in jaxpr.eqns:
        if eqn.primitive in (state.get_p, state.swap_p) and _first_view(_transforms(eqn)) is not None:
            eqns += _instead(eqn)
        else:
            eqns.append(eqn.replace(params={name: _inner(value) for name, value in eqn.params.items()}))
    same = len(eqns) == len(jaxpr.eqns) and all(new.params[k] is old.params[k] for new, old in zip(eqns, jaxpr.eqns) for k in old.params)
    return jaxpr if same else jaxpr.replace(eqns=eqns)


def _inner(value: Any) -> Any:
    if isinstance(value, core.ClosedJaxpr):
        made = written_out(value.jaxpr)
        return value if made is value.jaxpr else value.replace(jaxpr=made)
    if isinstance(value, core.Jaxpr):
        return written_out(value)
    if type(value) is tuple and any(isinstance(one, (core.Jaxpr, core.ClosedJaxpr)) for one in value):
        made = tuple(map(_inner, value))
        return value if all(new is old for new, old in zip(made, value)) else made
    return value


def _transforms(eqn: core.JaxprEqn) -> Sequence[Any]:
    behind = eqn.invars[1 if eqn.primitive is state.get_p else 2:]
    return tree_util.tree_unflatten(eqn.params["tree"], behind)


def _first_view(transforms: Sequence[Any]) -> int | None:
    return next((at for at, one in enumerate(transforms) if type(one).__name__ in _VIEWS), None)


def _instead(eqn: core.JaxprEqn) -> list[core.JaxprEqn]:
    """Equations that give the same results, between the same variables."""
    tree, reads = eqn.params["tree"], eqn.primitive is state.get_p

    def values(ref: Any, *given: Any) -> Any:
        transforms = tree_util.tree_unflatten(tree, given if reads else given[1:])
        at = _first_view(transforms)
        flat, leading = tree_util.tree_flatten(tuple(transforms[:at]))
        whole = state.get_p.bind(ref, *flat, tree=leading)
        if reads:
            return [_taken(whole, transforms[at:])]
        before = _taken(whole, transforms[at:])
        state.swap_p.bind(ref, _put(whole, transforms[at:], given[0]), *flat, tree=leading)
        return [before]

    info = core.DebugInfo("views", "views", None, None)
    made, *_ = partial_eval.trace_to_jaxpr_dynamic(linear_util.wrap_init(values, debug_info=info), [v.aval for v in eqn.invars])
    if isinstance(made, core.ClosedJaxpr):
        made = made.jaxpr
    names: dict[Any, Any] = dict(zip(made.invars, eqn.invars))
    names.update(zip(made.outvars, eqn.outvars))

    def renamed(atom: Any) -> Any:
        return atom if isinstance(atom, core.Literal) else names.get(atom, atom)

    def effect(one: Any) -> Any:
        return type(one)(renamed(one.input)) if hasattr(one, "input") and not isinstance(one.input, int) else one

    return [one.replace(invars=[renamed(v) for v in one.invars], outvars=[renamed(v) for v in one.outvars],
                        effects={effect(e) for e in one.effects}) for one in made.eqns]


def _sliced(value: Any, indexer: Any) -> tuple[list[Any], list[int], list[int], list[int]]:
    """Of each dimension where it begins, how many elements lie from there to its last, each how manieth is taken, and the
    dimensions that go."""
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
            value = lax.squeeze(lax.slice(part, [0] * part.ndim, part.shape, strides), gone)
    return value


def _put(value: Any, transforms: Sequence[Any], new: Any) -> Any:
    """The value with what the transforms take of it replaced."""
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
