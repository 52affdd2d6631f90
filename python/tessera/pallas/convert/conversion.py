"""State of the conversion of one `pallas_call`, and the table of rules, one for each primitive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from jax.extend import core as jax_core

from tessera.pallas.convert.kernel import Opaque, Place, Refused
from tessera.pallas.convert.names import Names
from tessera.pallas.convert.values import ATOM, TYPES, Ref, Scalar, Tile, Unused, dtype_name, named, stored_type, whole
from tessera.pallas.convert.wrapping import wrapped
from tessera.pallas.convert.writer import NOWHERE, Writer

Value = Scalar | Tile | Ref | Unused
Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}
MODULAR: set[str] = set()  # primitives for which the low bits of results do not depend on the high bits of operands


def rule(*primitives: str, modular: bool = False) -> Callable[[Rule], Rule]:
    """Decorator that registers a rule for these primitives. The rule is called with the conversion, the equation and its operands.

    Integer operands are wrapped to their type, except for `modular` rules.
    """

    def add(function: Rule) -> Rule:
        for primitive in primitives:
            RULES[primitive] = function
        MODULAR.update(primitives if modular else ())
        return function

    return add


@dataclass
class Conversion:
    """State of the conversion of one `pallas_call`."""

    writer: Writer
    names: Names
    mesh: tuple[tuple[str, int], ...]
    place: Place = NOWHERE
    programs: list[tuple[Scalar, Scalar]] = field(default_factory=list)  # program_id and num_programs
    collective: int | None = None
    barrier: Ref | None = None
    names_device: bool = False  # the text contains a device number
    parallel: bool = False  # parallel dimensions of the grid are marked as parallel
    cores: dict[str, int] = field(default_factory=dict)  # sizes of the axes of a mesh of TensorCores
    named: dict[str, Scalar] = field(default_factory=dict)  # indices in the named dimensions of the grid
    opaque: list[Opaque] = field(default_factory=list)
    loops: dict[str, str] = field(default_factory=dict)  # the Python's names for loop variables
    windows: set[str] = field(default_factory=set)
    arrays: dict[str, str] = field(default_factory=dict)  # the Python ref of each array
    padded: frozenset[str] = frozenset()  # arrays that are padded to whole tiles
    unpadded: dict[str, tuple[int, ...]] = field(default_factory=dict)  # extents before padding, by the padded memory
    leaving: set[str] = field(default_factory=set)  # arrays that must be padded, because copies of a pipeline exceed them
    equations: int = 0
    used: set[Any] = field(default_factory=set)
    learnt: dict[int, Any] = field(default_factory=dict)
    of_platform: list[Scalar] = field(default_factory=list)  # results of `platform_index`
    taken: dict[int, tuple[Any, Place, set[int]]] = field(default_factory=dict)  # by id: a `cond`, its place, its converted branches

    def learn(self, jaxpr: Any) -> None:
        """Records the used variables of a body."""
        if id(jaxpr) in self.learnt:
            return
        self.learnt[id(jaxpr)] = jaxpr
        for eqn in jaxpr.eqns:
            self.used.update(v for v in eqn.invars if not isinstance(v, jax_core.Literal))
        self.used.update(v for v in jaxpr.outvars if not isinstance(v, jax_core.Literal))

    def take(self, cond: Any, branches: Iterable[int]) -> None:
        """Records branches of a `cond` that are converted."""
        self.taken.setdefault(id(cond), (cond, self.place, set()))[2].update(branches)

    def left_out(self) -> tuple[Place, ...]:
        """Returns the places of branches that do something but are never converted, because these sizes never take them."""
        found = [
            place
            for cond, place, taken in self.taken.values()
            for index, branch in enumerate(cond.params["branches"])
            if index not in taken and branch.jaxpr.eqns
        ]
        return tuple(dict.fromkeys(found))

    def is_used(self, var: Any) -> bool:
        return type(var).__name__ != "DropVar" and var in self.used

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
        """Declares new memory of the kernel."""
        name = self.names.new(wanted)
        extents = f"[{', '.join(map(str, shape))}]" if shape else ""
        self.writer.declare(f"{space} {name}: {self.type_of(stored_type(dtype, space.split()[-1]))}{extents}", self.place)
        return whole(name, name, space, dtype, tuple(shape))

    @overload
    def name(self, value: Scalar, wanted: str | None = None) -> Scalar: ...
    @overload
    def name(self, value: Tile, wanted: str | None = None) -> Tile: ...
    @overload
    def name(self, value: Tile | Scalar, wanted: str | None = None) -> Tile | Scalar: ...
    def name(self, value: Tile | Scalar, wanted: str | None = None) -> Tile | Scalar:
        """Assigns the value to a new name and returns the named value."""
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
