"""Converts a jaxpr equation by equation, with the rule of each primitive.

A value that is used once is written at its use, if no equation before that stores to memory that it reads. Other values get a name where
they are computed. A read of memory is copied where it is computed if the memory may be stored to before the last use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax.extend import core as jax_core

from tessera.pallas.convert.constants import constant
from tessera.pallas.convert.conversion import MODULAR, RULES, Conversion, Value
from tessera.pallas.convert.kernel import Place
from tessera.pallas.convert.places import assigned_name, place_of
from tessera.pallas.convert.unknown import unknown
from tessera.pallas.convert.values import Ref, Scalar, Tile, Unused
from tessera.pallas.convert.wrapping import wrapped
from tessera.pallas.versions import acts, effect_target, meets_others

_INLINE = 90


class _Plan:
    """The indices of the equations that use each variable. A result of the jaxpr counts as used after the last equation."""

    def __init__(self, jaxpr: Any):
        self.uses: dict[Any, list[int]] = {}
        for at, eqn in enumerate(jaxpr.eqns):
            for var in eqn.invars:
                if not isinstance(var, jax_core.Literal):
                    self.uses.setdefault(var, []).append(at)
        for var in jaxpr.outvars:
            if not isinstance(var, jax_core.Literal):
                self.uses.setdefault(var, []).append(len(jaxpr.eqns))


def _stores(eqn: Any, read: Callable[[Any], Value], roots: frozenset[str]) -> bool:
    """True if the equation may change memory of these roots: by a store, or because other agents may run."""
    for effect in eqn.effects:
        kind = type(effect).__name__
        if kind in ("ReadEffect", "DebugEffect"):
            continue
        if kind in ("WriteEffect", "AccumEffect"):
            stored = read(effect_target(effect, eqn.invars))
            if not isinstance(stored, Ref) or stored.root in roots:
                return True
            continue
        return True
    return meets_others(eqn)


def has_body(eqn: Any) -> bool:
    return eqn.primitive.name in (
        "cond",
        "scan",
        "while",
        "run_scoped",
        "pjit",
        "jit",
        "closed_call",
        "core_call",
        "custom_jvp_call",
        "custom_vjp_call",
        "remat2",
        "checkpoint",
    )


def walk(c: Conversion, jaxpr: Any, arguments: Sequence[Value], constants: Sequence[Value] = ()) -> list[Value]:
    """Writes the equations of the jaxpr and returns the values of its results."""
    values: dict[Any, Value] = dict(zip(jaxpr.invars, arguments))
    values.update(zip(jaxpr.constvars, constants))

    def read(var: Any) -> Value:
        return constant(c, var.val, var.aval) if isinstance(var, jax_core.Literal) else values[var]

    plan = _Plan(jaxpr)
    outer = c.place
    ahead: Place | None = None
    for at, eqn in enumerate(jaxpr.eqns):
        c.equations += 1
        here, ahead = ahead, None
        if not acts(eqn) and not any(v in plan.uses for v in eqn.outvars):
            continue
        c.place = here or place_of(eqn.source_info, outer)
        handler = RULES.get(eqn.primitive.name, unknown)
        operands = [read(v) for v in eqn.invars]
        if eqn.primitive.name not in MODULAR:
            operands = [wrapped(o) if isinstance(o, Scalar) else o for o in operands]
        found = handler(c, eqn, *operands)
        results = found if isinstance(found, (list, tuple)) else [found]
        last = at + 1 == len(jaxpr.eqns)  # the equation computes the value of its line, not a part of it
        if not last:
            ahead = place_of(jaxpr.eqns[at + 1].source_info, outer)
            last = ahead != c.place
        for var, value in zip(eqn.outvars, results):
            values[var] = _settle(c, jaxpr, plan, read, at, var, value, last)
    c.place = outer
    return [read(v) for v in jaxpr.outvars]


def _is_condition(eqn: Any, var: Any) -> bool:
    """True if the value is only the condition of a branch, which is evaluated once, before its bodies."""
    return eqn.primitive.name == "cond" and var is eqn.invars[0] and var not in eqn.invars[1:]


def _settle(c: Conversion, jaxpr: Any, plan: _Plan, read: Callable, at: int, var: Any, value: Any, last: bool) -> Value:
    uses = plan.uses.get(var, [])
    if not uses or isinstance(value, (Ref, Unused)):
        return value
    if (isinstance(value, Scalar) and value.known is not None) or value.simple:
        return value
    given = assigned_name(c.place) if last else None
    between = range(at + 1, min(uses[-1] + 1, len(jaxpr.eqns)))
    moved = bool(value.reads) and any(
        (k != uses[-1] or (has_body(jaxpr.eqns[k]) and not _is_condition(jaxpr.eqns[k], var))) and _stores(jaxpr.eqns[k], read, value.reads)
        for k in between
    )
    in_body = any(k < len(jaxpr.eqns) and has_body(jaxpr.eqns[k]) and acts(jaxpr.eqns[k]) and not _is_condition(jaxpr.eqns[k], var) for k in uses)
    if isinstance(value, Tile) and value.ref is not None:
        return c.name(value, given) if moved else value
    alone = len(uses) == 1 and not moved and not in_body and len(value.text) <= _INLINE
    if isinstance(value, Scalar):
        return value if alone and given is None else c.name(value, given)
    if value.type == "number" and len(uses) == 1 and not moved:
        return value
    if value.product or value.sum:
        alone = len(uses) == 1 and not moved and not in_body
    return value if alone else c.name(value, given)
