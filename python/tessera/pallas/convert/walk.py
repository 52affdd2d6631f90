"""Walks a jaxpr equation by equation; each primitive has a rule that gives the values of its results.

A value is written where it is used, if it is used once and nothing between stores to memory that it reads; else it gets
a name where it is computed. A read that something may store to before its last use is copied there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jax.extend import core as jax_core

from tessera.pallas.convert.kernel import Opaque, Place, Refused
from tessera.pallas.convert.names import Names
from tessera.pallas.convert.places import assigned_name, place_of
from tessera.pallas.convert.values import ATOM, TYPES, Ref, Scalar, Tile, Unused, dtype_name, is_float, named, number, stored_type
from tessera.pallas.convert.wrapping import wrapped
from tessera.pallas.convert.writer import NOWHERE, Writer
from tessera.pallas.versions import acts, effect_target, meets_others

Value = Scalar | Tile | Ref | Unused
Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}
_MODULAR: set[str] = set()      # their results have the right low bits whatever the high bits of their operands are
_INLINE = 90


def rule(*primitives: str, modular: bool = False) -> Callable[[Rule], Rule]:
    """The function converts these primitives: it gets the conversion, the equation and its operands.

    Integer operands are wrapped in their type, except for `modular` rules.
    """
    def add(function: Rule) -> Rule:
        for primitive in primitives:
            RULES[primitive] = function
        _MODULAR.update(primitives if modular else ())
        return function
    return add


@dataclass
class Conversion:
    """What is known while one `pallas_call` is converted."""
    writer: Writer
    names: Names
    mesh: tuple[tuple[str, int], ...]
    place: Place = NOWHERE
    programs: list[tuple[Scalar, Scalar]] = field(default_factory=list)     # program_id and num_programs
    collective: int | None = None
    barrier: Ref | None = None
    reaches: bool = False               # it names another device
    parallel: bool = False              # points of the grid may be on several cores
    cores: dict[str, int] = field(default_factory=dict)         # the axes of a mesh of TensorCores, with their sizes
    named: dict[str, Scalar] = field(default_factory=dict)      # places along the named dimensions of the grid
    opaque: list[Opaque] = field(default_factory=list)
    loops: dict[str, str] = field(default_factory=dict)     # the Python's words for variables of loops
    windows: set[str] = field(default_factory=set)
    arrays: dict[str, str] = field(default_factory=dict)    # the Python's refs for arrays behind them
    padded: frozenset[str] = frozenset()                # arrays that are padded to whole tiles
    unpadded: dict[str, tuple[int, ...]] = field(default_factory=dict)     # extents before padding, by the padded memory
    leaving: set[str] = field(default_factory=set)      # arrays that must be, as a pipeline's copies reach over their ends
    equations: int = 0
    used: set[Any] = field(default_factory=set)
    learnt: dict[int, Any] = field(default_factory=dict)

    def learn(self, jaxpr: Any) -> None:
        """Notes which variables of a body are used at all."""
        if id(jaxpr) in self.learnt:
            return
        self.learnt[id(jaxpr)] = jaxpr
        for eqn in jaxpr.eqns:
            self.used.update(v for v in eqn.invars if not isinstance(v, jax_core.Literal))
        self.used.update(v for v in jaxpr.outvars if not isinstance(v, jax_core.Literal))

    def refuse(self, what: str) -> Refused:
        return Refused(self.place, what)

    def say(self, text: str) -> None:
        self.writer.say(text, self.place)

    def type_of(self, dtype: Any) -> str:
        name = dtype_name(dtype)
        if name not in TYPES:
            raise self.refuse(f"the language has no type {name}")
        return TYPES[name]

    def declare(self, space: str, wanted: str | None, dtype: str, shape: Sequence[int]) -> Ref:
        """New memory of the kernel."""
        name = self.names.new(wanted)
        extents = f"[{', '.join(map(str, shape))}]" if shape else ""
        self.writer.declare(f"{space} {name}: {self.type_of(stored_type(dtype, space.split()[-1]))}{extents}", self.place)
        dims = tuple(_whole(n) for n in shape)
        return Ref(name, name, space, dtype, dims, tuple(shape))

    def name(self, value: Tile | Scalar, wanted: str | None = None) -> Tile | Scalar:
        """The value behind a name that is given to it here."""
        if isinstance(value, Scalar):
            value, name = wrapped(value), self.names.new(wanted, "n")
            self.say(f"{name} = {value.text}")
            return Scalar(name, ATOM, value.low, value.high, value.dtype)
        if value.type == "number":
            if value.simple:
                return value
            name = self.names.new(wanted, "r")
            self.say(f"{name} = {value.text}")
            return named(value, name, "number")
        name, dtype = self.names.new(wanted), value.type
        if value.ref is not None or value.text.isidentifier():
            self.say(f"{name} = cast({value.text}, {dtype})")
        else:
            self.say(f"{name} = {value.text}")
        return named(value, name, dtype)


def _whole(size: int):
    from tessera.pallas.convert.values import Dim
    return Dim(number(0), size, whole=True)


_MOST = 1024        # elements of a constant array, each of which is a line of the text


def constant(c: Conversion, value: Any, aval: Any) -> Value:
    """A constant of the jaxpr."""
    array, dtype = np.asarray(value), dtype_name(aval.dtype)
    if array.shape == ():
        if not is_float(dtype):
            return number(int(array), dtype)
        one = float(array)
        return Tile(real(one), ATOM if one >= 0 else 2, (), (), dtype, "number") if one == one else nan(c, dtype)
    if array.size > _MOST:
        raise c.refuse(f"a constant array of {array.size} elements, at most {_MOST} are written out")
    made = c.declare("tile", "constant", dtype, array.shape)
    for at in np.ndindex(array.shape):
        one = constant(c, array[at], aval)
        c.say(f"{made.name}[{', '.join(map(str, at))}] = {one.text if getattr(one, 'type', 'number') == 'number' else f'cast({one.text})'}")
    return Tile(made.name, ATOM, array.shape, array.shape, dtype, TYPES[dtype])


def nan(c: Conversion, dtype: str) -> Tile:
    """The language has no word for it: the bits of one."""
    held = c.declare("tile", "nan_bits", "int32", (1,))
    c.say(f"{held.name} = {0x7fc00000}")
    name = c.names.new("nan")
    c.say(f"{name} = bitcast({held.name}, f32)")
    return Tile(f"{name}[0]", ATOM, (), (), dtype, "f32")


def real(value: float) -> str:
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    if "." not in mantissa and not exponent:
        mantissa += ".0"
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


class _Plan:
    """Which equations use each variable, where they may not be told twice, and what they store to."""

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
    """Whether the equation may change memory of these roots: by a store, or by letting others go on."""
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
    return eqn.primitive.name in ("cond", "scan", "while", "run_scoped", "pjit", "jit", "closed_call", "core_call",
                                  "custom_jvp_call", "custom_vjp_call", "remat2", "checkpoint")


def walk(c: Conversion, jaxpr: Any, arguments: Sequence[Value], constants: Sequence[Value] = ()) -> list[Value]:
    """The values of the jaxpr's results; what its equations do is written on the way."""
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
        handler = RULES.get(eqn.primitive.name)
        if handler is None:
            from tessera.pallas.convert.unknown import unknown
            handler = unknown
        operands = [read(v) for v in eqn.invars]
        if eqn.primitive.name not in _MODULAR:
            operands = [wrapped(o) if isinstance(o, Scalar) else o for o in operands]
        found = handler(c, eqn, *operands)
        results = found if isinstance(found, (list, tuple)) else [found]
        last = at + 1 == len(jaxpr.eqns)        # it gives the value of its line, and not a part of it
        if not last:
            ahead = place_of(jaxpr.eqns[at + 1].source_info, outer)
            last = ahead != c.place
        for var, value in zip(eqn.outvars, results):
            values[var] = _settle(c, jaxpr, plan, read, at, var, value, last)
    c.place = outer
    return [read(v) for v in jaxpr.outvars]


def _is_condition(eqn: Any, var: Any) -> bool:
    """Whether a branch asks for the value once, before its bodies begin."""
    return eqn.primitive.name == "cond" and var is eqn.invars[0] and var not in eqn.invars[1:]


def _settle(c: Conversion, jaxpr: Any, plan: _Plan, read: Callable, at: int, var: Any, value: Any, last: bool) -> Value:
    uses = plan.uses.get(var, [])
    if not uses or isinstance(value, (Ref, Unused)):
        return value
    if isinstance(value, Scalar) and value.known is not None or value.simple:
        return value
    given = assigned_name(c.place) if last else None
    between = range(at + 1, min(uses[-1] + 1, len(jaxpr.eqns)))
    moved = bool(value.reads) and any(
        (k != uses[-1] or has_body(jaxpr.eqns[k]) and not _is_condition(jaxpr.eqns[k], var)) and _stores(jaxpr.eqns[k], read, value.reads) for k in between)
    in_body = any(k < len(jaxpr.eqns) and has_body(jaxpr.eqns[k]) and acts(jaxpr.eqns[k])
                  and not _is_condition(jaxpr.eqns[k], var) for k in uses)
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
