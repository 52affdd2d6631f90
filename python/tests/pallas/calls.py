"""The `pallas_call`s that a function reaches, each with the inputs that it meets there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from tessera.pallas import jaxpr_tools
from tessera.pallas.program import _rows
from tessera.pallas.reference import NoReference, reference
from tessera.pallas.trace import trace
from tessera.pallas.walk import Later, NotWalked, walk

Call = tuple[Any, Any, Any]  # the equation, its world, and for each device its inputs


class _Enough(Exception):
    pass


def each_call(fn: Any, args: Sequence[Any], then: Callable[[Call], bool | None], without_inputs: Callable[[Any, str], None] | None = None) -> None:
    """`then` is called with each in turn, until it answers True; what they give to each other is computed by JAX.

    `without_inputs` is called with the equation, and why, where JAX does not compute what the call is given.
    """
    traced = trace(fn, args, {}, seed=0, chip="v5e")

    def on_call(eqn: Any, inputs: Any, world: Any) -> list[Later]:
        try:
            lanes = _rows(inputs, world)
        except NotWalked as error:
            if without_inputs is None:
                raise
            without_inputs(eqn, str(error))
            return [Later(lambda: _rows(inputs, world)) for _ in eqn.outvars]
        if then((eqn, world, lanes)):
            raise _Enough
        results = Later(lambda: values(eqn, world, lanes))
        return [Later(lambda i=i: [lane[i] for lane in results.get()]) for i in range(len(eqn.outvars))]

    with contextlib.suppress(_Enough):
        walk(traced.jaxpr.jaxpr, traced.jaxpr.consts, [Later.of([value]) for value in traced.values], on_call)


def values(eqn: Any, world: Any, lanes: Any) -> Any:
    try:
        return reference(eqn, world.shape, [lanes])["results"][0]
    except NoReference as error:
        raise NotWalked(f"{jaxpr_tools.place(eqn)}: no values: {error}") from None


def first_call(fn: Any, args: Sequence[Any]) -> Call:
    found: list[Call] = []

    def keep(call: Call) -> bool:
        found.append(call)
        return True

    each_call(fn, args, keep)
    return found[0]
