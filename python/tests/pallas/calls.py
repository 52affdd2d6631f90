"""The `pallas_call`s that a function reaches, each with the inputs that it meets there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tessera.pallas.program import _rows
from tessera.pallas.reference import reference
from tessera.pallas.trace import trace
from tessera.pallas.walk import Later, walk

Call = tuple[Any, Any, Any]  # the equation, its world, and for each device its inputs


class _Enough(Exception):
    pass


def each_call(fn: Any, args: Sequence[Any], then: Callable[[Call], bool | None]) -> None:
    """`then` is called with each in turn, until it answers True; what they give to each other is computed by JAX."""
    traced = trace(fn, args, {}, seed=0, chip="v5e")

    def on_call(eqn: Any, inputs: Any, world: Any) -> list[Later]:
        lanes = _rows(inputs, world)
        if then((eqn, world, lanes)):
            raise _Enough
        results = Later(lambda: reference(eqn, world.shape, [lanes])["results"][0])
        return [Later(lambda i=i: [lane[i] for lane in results.get()]) for i in range(len(eqn.outvars))]

    try:
        walk(traced.jaxpr.jaxpr, traced.jaxpr.consts, [Later.of([value]) for value in traced.values], on_call)
    except _Enough:
        pass


def first_call(fn: Any, args: Sequence[Any]) -> Call:
    found: list[Call] = []

    def keep(call: Call) -> bool:
        found.append(call)
        return True

    each_call(fn, args, keep)
    return found[0]
