"""Evaluates a traced function from kernel to kernel.

A value is a list with one array for each device of its world. Equations between the calls are evaluated only if a call needs
their results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax._src import core

from tessera.pallas import jaxpr_tools, versions
from tessera.pallas.coverage import Path, Reached, labelled, part_label
from tessera.pallas.world import ALONE, World

Lanes = list[Any]
# Called with the equation of a kernel, its inputs and its world; returns the kernel's results.
OnCall = Callable[[core.JaxprEqn, Sequence["Later"], World], "Sequence[Later]"]
_IDENTITIES = ("pvary", "pcast", "sharding_constraint", "layout_constraint", "with_memory_space_constraint")


class Later:
    """A value that is computed once, at the first get()."""

    def __init__(self, make: Callable[[], Lanes]):
        self._make: Callable[[], Lanes] | None = make
        self._lanes: Lanes = []

    @staticmethod
    def of(lanes: Lanes) -> Later:
        return Later(lambda: lanes)

    @staticmethod
    def each(results: Callable[[], Sequence[Lanes]], count: int) -> list[Later]:
        """Returns `count` values; `results` returns the lanes of each."""

        def at(i: int) -> Later:
            return Later(lambda: results()[i])

        return [at(i) for i in range(count)]

    def get(self) -> Lanes:
        if self._make is not None:
            self._lanes = self._make()
            self._make = None
        return self._lanes


class NotWalked(Exception):
    """The inputs of a kernel are not known; str() is the place and the reason."""


@dataclass(frozen=True)
class _Visit:
    """The callback for kernels, the devices, and the path to the jaxpr that is walked."""

    on_call: OnCall
    world: World
    reached: Reached
    path: Path = ()

    def enter(self, label: str) -> _Visit:
        path = (*self.path, label)
        self.reached.paths.add(path)
        return replace(self, path=path)


def walk(jaxpr: core.Jaxpr, consts: Sequence[Any], args: Sequence[Later], on_call: OnCall, reached: Reached | None = None) -> list[Later]:
    """Evaluates the jaxpr; `on_call` returns the results of each kernel. `reached`: output, the kernels that were called."""
    return _walk(jaxpr, consts, args, _Visit(on_call, ALONE, reached or Reached()))


def _walk(jaxpr: core.Jaxpr, consts: Sequence[Any], args: Sequence[Later], visit: _Visit) -> list[Later]:
    env: dict[core.Var, Later] = {}
    size = visit.world.size
    env.update(zip(jaxpr.constvars, (Later.of([const] * size) for const in consts)))
    env.update(zip(jaxpr.invars, args))
    labels = {id(eqn): label for label, eqn in labelled(jaxpr)}

    def read(atom: Any) -> Later:
        return Later.of([atom.val] * size) if isinstance(atom, core.Literal) else env[atom]

    for eqn in jaxpr.eqns:
        inputs = [read(atom) for atom in eqn.invars]
        if id(eqn) not in labels:
            outputs: Sequence[Later] = _plain(eqn, inputs, visit.world)
        elif jaxpr_tools.is_kernel(eqn):
            visit.enter(labels[id(eqn)])
            outputs = visit.on_call(eqn, inputs, visit.world)
        else:
            outputs = _structure(eqn, inputs, visit.enter(labels[id(eqn)]))
        env.update(zip(eqn.outvars, outputs))
    return [read(atom) for atom in jaxpr.outvars]


def _inner(eqn: core.JaxprEqn, closed: Any, args: Sequence[Later], visit: _Visit) -> list[Later]:
    """Walks a jaxpr of an equation."""
    return _walk(closed.jaxpr, closed.consts, args, visit.enter(part_label(eqn, closed.jaxpr)))


def _plain(eqn: core.JaxprEqn, inputs: Sequence[Later], world: World) -> list[Later]:
    def evaluate() -> list[Lanes]:
        columns = [value.get() for value in inputs]
        if eqn.primitive.name in _IDENTITIES:
            return columns
        if eqn.primitive.name == "axis_index":
            names = eqn.params["axis_name"]
            names = (names,) if isinstance(names, str) else names
            return [[np.int32(np.ravel_multi_index([at[name] for name in names], [world.shape[n] for n in names])) for at in world.places]]
        if eqn.primitive.name == "platform_index":  # kernels run on a TPU
            return [[np.int32(jaxpr_tools.tpu_branch(eqn.params["platforms"]))] * world.size]
        if jaxpr_tools.names_axes(eqn):
            return _together(eqn, columns, world)
        rows = [_bind(eqn, row) for row in zip(*columns)] if columns else [_bind(eqn, ())] * world.size
        return [list(column) for column in zip(*rows)]

    all_of_them = Later(evaluate)
    return Later.each(all_of_them.get, len(eqn.outvars))


def _bind(eqn: core.JaxprEqn, values: Sequence[Any]) -> Sequence[Any]:
    params = eqn.primitive.get_bind_params(eqn.params)
    subfuns, params = params if isinstance(params, tuple) else ((), params)  # a pair before jax 0.10
    out = eqn.primitive.bind(*subfuns, *values, **params)
    return out if eqn.primitive.multiple_results else [out]


def _together(eqn: core.JaxprEqn, columns: Sequence[Lanes], world: World) -> list[Lanes]:
    """Evaluates a collective of XLA with JAX, on one host device for each device of the world."""
    devices = jax.devices("cpu")
    if len(devices) < world.size:
        raise NotWalked(
            f"{jaxpr_tools.place(eqn)}: {eqn.primitive.name} before a kernel needs {world.size} host "
            f"devices, found {len(devices)}; call tessera.pallas.host_devices({world.size}) first"
        )
    mesh = jax.sharding.Mesh(np.array(devices[: world.size]).reshape(tuple(world.shape.values())), tuple(world.shape))
    spec = jax.sharding.PartitionSpec(tuple(world.shape))

    def body(*values: Any) -> list[Any]:
        return [out[None] for out in _bind(eqn, [value[0] for value in values])]

    mapped = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
    stacked = mapped(*[np.stack([np.asarray(lane) for lane in lanes]) for lanes in columns])
    return [list(np.asarray(out)) for out in stacked]


def _structure(eqn: core.JaxprEqn, inputs: Sequence[Later], visit: _Visit) -> Sequence[Later]:
    params, name = eqn.params, eqn.primitive.name
    if name == "shard_map":
        return _shard_map(eqn, inputs, visit)
    if name == "cond":
        return _inner(eqn, params["branches"][_number(eqn, inputs[0])], inputs[1:], visit)
    if name == "scan":
        return _scan(eqn, inputs, visit)
    if name == "while":
        return _while(eqn, inputs, visit)
    closed = next((params[key] for key in ("jaxpr", "call_jaxpr", "fun_jaxpr") if key in params), None)
    closed = None if closed is None else versions.closed(closed)
    if closed is None or len(closed.jaxpr.invars) != len(inputs) or len(closed.jaxpr.outvars) != len(eqn.outvars):
        raise NotWalked(f"{jaxpr_tools.place(eqn)}: a kernel inside `{name}`, which is not analysed")
    return _inner(eqn, closed, inputs, visit)


def _number(eqn: core.JaxprEqn, value: Later) -> int:
    """Returns a value that controls a branch or a loop. Raises NotWalked if it is not the same on every device."""
    numbers = {int(np.asarray(lane)) for lane in value.get()}
    if len(numbers) != 1:
        raise NotWalked(f"{jaxpr_tools.place(eqn)}: a kernel under a `{eqn.primitive.name}` that the devices decide differently ({sorted(numbers)})")
    return numbers.pop()


def _shard_map(eqn: core.JaxprEqn, inputs: Sequence[Later], visit: _Visit) -> list[Later]:
    params = eqn.params
    if visit.world.size != 1:
        raise NotWalked(f"{jaxpr_tools.place(eqn)}: a shard_map inside a shard_map")
    inner = World(dict(params["mesh"].shape))
    outside = [axis for axis, size in inner.shape.items() if axis not in versions.manual_axes(params) and size > 1]
    if outside:
        raise NotWalked(f"{jaxpr_tools.place(eqn)}: a shard_map over some axes of its mesh, not over {', '.join(outside)}")

    def part(value: Later, spec: Any) -> Later:
        return Later(lambda: inner.split(np.asarray(value.get()[0]), spec))

    def whole(value: Later, spec: Any, var: Any) -> Later:
        return Later(lambda: [inner.join([np.asarray(lane) for lane in value.get()], spec, var.aval.shape)])

    body = versions.closed(params["jaxpr"])
    outputs = _inner(eqn, body, [part(v, s) for v, s in zip(inputs, params["in_specs"])], replace(visit, world=inner))
    return [whole(v, s, var) for v, s, var in zip(outputs, params["out_specs"], eqn.outvars)]


def _element(row: Later, at: int) -> Later:
    return Later(lambda: [np.asarray(lane)[at] for lane in row.get()])


def _scan(eqn: core.JaxprEqn, inputs: Sequence[Later], visit: _Visit) -> list[Later]:
    params, body = eqn.params, eqn.params["jaxpr"]
    fixed, carried = versions.scan_counts(params)
    consts, carry, rows = inputs[:fixed], list(inputs[fixed : fixed + carried]), inputs[fixed + carried :]
    steps = range(params["length"])
    stacks: list[list[Later]] = []
    for step in reversed(steps) if params["reverse"] else steps:
        now = [_element(row, step) for row in rows]
        out = _inner(eqn, body, [*consts, *carry, *now], visit)
        carry = out[:carried]
        stacks.append(out[carried:])
    if params["reverse"]:
        stacks.reverse()

    def stacked(column: Sequence[Later], var: Any) -> Later:
        if not column:
            return Later.of([np.zeros(var.aval.shape, var.aval.dtype)] * visit.world.size)
        return Later(lambda: [np.stack([np.asarray(v.get()[lane]) for v in column]) for lane in range(visit.world.size)])

    return [*carry, *(stacked([row[i] for row in stacks], var) for i, var in enumerate(eqn.outvars[carried:]))]


def _while(eqn: core.JaxprEqn, inputs: Sequence[Later], visit: _Visit) -> list[Later]:
    test, body = eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]
    of_test = eqn.params["cond_nconsts"]
    of_body = of_test + eqn.params["body_nconsts"]
    carry = list(inputs[of_body:])
    while _number(eqn, _inner(eqn, test, [*inputs[:of_test], *carry], visit)[0]):
        carry = _inner(eqn, body, [*inputs[of_test:of_body], *carry], visit)
    return carry
