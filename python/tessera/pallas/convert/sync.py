"""Rules of copies, semaphores, barriers, and device numbers in a mesh."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import prod
from types import SimpleNamespace
from typing import Any

from tessera.pallas.convert import padding, scalars, tiles
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.refs import leaves, scalar, taken
from tessera.pallas.convert.values import ATOM, COMPARE, Ref, Scalar, Tile, dtype_name, number, whole


def _device(c: Conversion) -> Scalar:
    size = prod(n for _, n in c.mesh)
    if size == 1:
        return number(0)
    c.names_device = True
    return Scalar("device", ATOM, 0, size - 1)


def coordinate(c: Conversion, axis: Any) -> Scalar:
    """Returns this device's index along an axis of the mesh, or its row-major index in several axes."""
    if isinstance(axis, (tuple, list)):
        place = number(0)
        for one in axis:
            size = dict(c.mesh).get(one)
            if size is None:
                raise c.refuse(f"the mesh has no axis {one!r}")
            place = scalars.add(c, scalars.multiply(c, place, number(size), "int32"), coordinate(c, one), "int32")
        return place
    names = [name for name, _ in c.mesh]
    if axis not in names:
        raise c.refuse(f"the mesh has no axis {axis!r}")
    at = names.index(axis)
    stride = prod(n for _, n in c.mesh[at + 1 :])
    found = scalars.divide(c, _device(c), number(stride), "int32", down=True)
    return scalars.remainder(c, found, number(c.mesh[at][1]), "int32", down=True) if at else found


def device_number(c: Conversion, given: Any, kind: Any) -> Scalar:
    """Returns the row-major number of the device for a LOGICAL id, a MESH tuple or a dictionary of axes."""
    c.names_device = True
    if "logical" in str(kind).lower() and not isinstance(given, (tuple, list, dict)):
        return scalar(c, given)
    if isinstance(given, dict):
        flat: dict[Any, Scalar] = {}
        for axes, place in given.items():
            if not isinstance(axes, tuple):
                flat[axes] = scalar(c, place)
                continue
            for i, one in enumerate(axes):
                behind = prod(dict(c.mesh)[a] for a in axes[i + 1 :])
                part = scalars.divide(c, scalar(c, place), number(behind), "int32", down=True)
                flat[one] = scalars.remainder(c, part, number(dict(c.mesh)[one]), "int32", down=True)
        places = [flat.get(name) or coordinate(c, name) for name, _ in c.mesh]
    else:
        places = [scalar(c, p) for p in (given if isinstance(given, (tuple, list)) else (given,))]
        if len(places) != len(c.mesh):
            raise c.refuse(f"a device id of {len(places)} places in a mesh of {len(c.mesh)} axes")
    found = number(0)
    for place, (_, size) in zip(places, c.mesh):
        found = scalars.add(c, scalars.multiply(c, found, number(size), "int32"), place, "int32")
    return found


def destination(c: Conversion, given: Any, kind: Any, core: Any = None) -> str:
    """Returns the device, and the core if devices have several, in the syntax of copies and signals. Empty for this core."""
    if isinstance(given, dict) and (named := {axis: place for axis, place in given.items() if axis in c.cores}):
        core = _core_number(c, named)
        given = {axis: place for axis, place in given.items() if axis not in c.cores} or None
    if prod(c.cores.values()) == 1:
        if core is not None and (c.parallel or scalar(c, core).known != 0):
            raise c.refuse("a signal to another core: a kernel is taken to run on one of each device, core 0")
        return "" if given is None else device_number(c, given, kind).text
    if given is None and core is None:
        return ""
    c.names_device = True
    device = Scalar("device") if given is None else device_number(c, given, kind)
    return f"{device.text} core {'core' if core is None else scalar(c, core).text}"


def _core_number(c: Conversion, named: dict[str, Any]) -> Scalar:
    found = number(0)
    for axis, size in c.cores.items():
        place = scalar(c, named[axis]) if axis in named else c.named[axis]
        found = scalars.add(c, scalars.multiply(c, found, number(size), "int32"), place, "int32")
    return found


Copy = tuple[Ref, Ref, Ref, Ref | None, Any]


def _each_copy(c: Conversion, eqn: Any, flat: Any, then: Callable[[Copy], None]) -> None:
    """Calls `then` with source, destination, both semaphores (arrival, sending) and the device of a start or a wait. For a `select_ref`,
    writes one branch per choice and calls `then` in each."""
    parts = eqn.params["tree"].unflatten(flat)
    if len(parts) == 9:  # before JAX 0.10 each ref is followed by its transforms
        refs = [None if ref is None else taken(c, ref, transforms or ()) for ref, transforms in zip(parts[:8:2], parts[1:8:2])]
        then((*refs, parts[-1]))
    else:
        _each_choice(c, list(parts[:4]), lambda refs: then((*refs, parts[-1])))


def _with_all_transforms(given: Any) -> Any:
    """Returns a ref with the transforms of all refs around it merged. Its `ref` is memory, or the choices of a `select_ref`."""
    ref, transforms = given, ()
    while hasattr(ref, "transforms"):
        ref, transforms = ref.ref, (*ref.transforms, *transforms)
    return given if ref is given else SimpleNamespace(ref=ref, transforms=transforms)


def _each_choice(c: Conversion, given: list[Any], then: Callable[[list[Ref | None]], None]) -> None:
    given = [_with_all_transforms(one) for one in given]
    at = next((at for at, one in enumerate(given) if isinstance(getattr(one, "ref", None), (tuple, list))), None)
    if at is None:
        return then([None if one is None else _slice(c, one) for one in given])
    choices, (select, *behind) = given[at].ref, given[at].transforms
    which = scalar(c, select.idx)
    c.writer.open(f"if {which.at(COMPARE - 1)} == 0", c.place)
    for place, choice in enumerate(choices):
        if place:
            test = "" if place + 1 == len(choices) else f" if {which.at(COMPARE - 1)} == {place}"
            c.writer.otherwise(f"else{test}", c.place)
        chosen = SimpleNamespace(ref=choice, transforms=tuple(behind))
        _each_choice(c, [*given[:at], chosen, *given[at + 1 :]], then)
    c.writer.close(c.place)


def _reshaped(c: Conversion, source: Ref, target: Ref) -> str:
    """Returns ` reshaped` if source and destination have different shapes: elements are then copied in order."""
    if source.shape == target.shape or any(isinstance(n, Scalar) for n in (*source.shape, *target.shape)):
        return ""
    return " reshaped"


def _slice(c: Conversion, given: Any) -> Ref:
    """Returns the slice for a ref, or for a ref with transforms, with converted indices."""
    if isinstance(given, Ref):
        return given
    return taken(c, given.ref if isinstance(given.ref, Ref) else _slice(c, given.ref), given.transforms)


@rule("axis_index")
def _axis_index(c: Conversion, eqn: Any) -> Any:
    axis = eqn.params["axis_name"]
    return c.named[axis] if isinstance(axis, str) and axis in c.named else coordinate(c, eqn.params["axis_name"])


@rule("dma_start")
def _start(c: Conversion, eqn: Any, *flat: Any) -> Any:
    _each_copy(c, eqn, flat, lambda copy: _start_one(c, eqn, *copy))
    return []


def _start_one(c: Conversion, eqn: Any, source: Ref, target: Ref, arrived: Ref, sent: Ref | None, device: Any) -> None:
    if padding.is_of_pipeline(eqn):
        c.leaving.update(
            ref.root
            for ref in (source, target)
            if ref.space == "hbm"
            and padding.is_padded(padding.to_tiles(ref))
            and any(leaves(dim, extent) for dim, extent in zip(ref.dims, ref.extents))
        )
    elif any(leaves(dim, extent) for ref in (source, target) for dim, extent in zip(ref.dims, c.unpadded.get(ref.root, ()))):
        raise c.refuse("a copy that can leave an array which `emit_pipeline` pads to whole tiles")
    to = destination(c, device, eqn.params.get("device_id_type"))
    add = " add" if eqn.params.get("add") else ""
    add += _reshaped(c, source, target)
    if not to:
        c.say(f"start {source.text} -> {target.text}, {arrived.text}{add}")
    else:
        assert sent is not None
        c.say(f"start {source.text} -> {to}: {target.text}, {sent.text}, {arrived.text}{add}")


@rule("dma_wait")
def _wait_copy(c: Conversion, eqn: Any, *flat: Any) -> Any:
    _each_copy(c, eqn, flat, lambda copy: c.say(f"wait {copy[2].text} for {copy[1].text}"))
    return []


@rule("semaphore_signal")
def _signal(c: Conversion, eqn: Any, *flat: Any) -> Any:
    ref, transforms, count, device, core = eqn.params["args_tree"].unflatten(flat)
    to = destination(c, device, eqn.params.get("device_id_type"), core)
    c.say(f"signal {taken(c, ref, transforms).text}{to and f' on {to}'}, {scalar(c, count).text}")
    return []


@rule("semaphore_wait")
def _wait(c: Conversion, eqn: Any, *flat: Any) -> Any:
    ref, transforms, count, decrement = eqn.params["args_tree"].unflatten(flat)
    decrements = decrement.known if isinstance(decrement, Scalar) else bool(decrement)
    where, count = taken(c, ref, transforms).text, scalar(c, count).text
    c.say(f"wait {where}, {count}")
    if not decrements:  # the count is restored; only this core waits on its semaphore
        aval = eqn.invars[0].aval
        if "dma" in dtype_name(getattr(aval, "inner_aval", aval).dtype):
            raise c.refuse("a wait that does not decrement a semaphore of copies")
        c.say(f"signal {where}, {count}")
    return []


@rule("semaphore_read")
def _read(c: Conversion, eqn: Any, *flat: Any) -> Any:
    ref, transforms = eqn.params["args_tree"].unflatten(flat)
    where = taken(c, ref, transforms)
    return c.name(Scalar(f"read({where.text})", ATOM, 0, (1 << 31) - 1))


@rule("get_barrier_semaphore")
def _barrier(c: Conversion, eqn: Any) -> Any:
    if c.collective is None:
        raise c.refuse("a barrier semaphore of a kernel without a collective_id")
    if c.barrier is None:
        name = c.names.new("barrier_sem")
        c.writer.declare(f"sem {name}: barrier({c.collective})", c.place)
        c.barrier = whole(name, name, "sem", "int32", ())
    return c.barrier


@rule("delay", "debug_callback", "trace_value", "check")  # a `check` stops a run only if checks are enabled
def _nothing(c: Conversion, eqn: Any, *_: Any) -> Any:
    return []


@rule("debug_print")
def _print(c: Conversion, eqn: Any, *shown: Any) -> Any:
    """A `print`, which does not count as a step of the run."""
    texts = [json.dumps(str(eqn.params["fmt"]), ensure_ascii=False)]
    for value in shown:
        if isinstance(value, Tile) and value.ref is None:
            made = tiles.cell(c, value.dtype, value.shape or (1,), "shown")
            tiles.store(c, made, value)
            texts.append(made.text)
        else:
            texts.append(value.text)
    c.say(f"print {', '.join(texts)}")
    return []


@rule("program_id")
def _program_id(c: Conversion, eqn: Any) -> Any:
    return c.programs[eqn.params["axis"]][0]


@rule("num_programs")
def _num_programs(c: Conversion, eqn: Any) -> Any:
    return c.programs[eqn.params["axis"]][1]
