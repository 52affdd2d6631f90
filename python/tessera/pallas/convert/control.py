"""Rules of branches, calls and scopes. Each result of a branch is stored in a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tessera.pallas import versions
from tessera.pallas.convert import scalars, tiles
from tessera.pallas.convert.arithmetic import floor_tiles
from tessera.pallas.convert.bodies import Cell, run_body
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.places import assigned_name
from tessera.pallas.convert.refs import loaded, scalar, stored
from tessera.pallas.convert.scratch import scratch
from tessera.pallas.convert.values import COMPARE, Scalar, Tile, Unused, dtype_name, number
from tessera.pallas.convert.walk import walk
from tessera.pallas.convert.wrapping import wrapped
from tessera.pallas.jaxpr_tools import tpu_branch


@rule("cond")
def _cond(c: Conversion, eqn: Any, index: Any, *operands: Any) -> Any:
    branches = eqn.params["branches"]
    which = scalar(c, index)
    if which.known is not None:
        chosen = min(max(which.known, 0), len(branches) - 1)
        is_of_platform = any(which is one for one in c.of_platform)
        c.take(eqn, range(len(branches)) if is_of_platform else (chosen,))
        return run_body(c, branches[chosen], operands)
    c.take(eqn, range(len(branches)))
    if not versions.acts(eqn) and len(branches) == 2 and not _reads(branches) and all(v.aval.shape == () for v in eqn.outvars):
        no, yes = (run_body(c, b, operands) for b in branches)
        if all(isinstance(v, Scalar) for v in (*no, *yes)):
            return [scalars.choose(c, which, y, n, dtype_name(v.aval.dtype)) for y, n, v in zip(yes, no, eqn.outvars)]
    cells = [Cell(c, v.aval, None) if c.is_used(v) else None for v in eqn.outvars]
    ranges: list[list[Any]] = [[] for _ in cells]

    def body(branch: Any) -> None:
        for cell, value, seen in zip(cells, run_body(c, branch, operands), ranges):
            if cell is not None:
                value = wrapped(value) if isinstance(value, Scalar) else value
                cell.put(c, value)
                seen.append(value)

    if len(branches) == 2 and not any(cells) and not branches[1].jaxpr.eqns:
        c.writer.open(f"if {scalars.compare(c, '==', which, number(0)).text}", c.place)
        body(branches[0])
        c.writer.close(c.place)
        return [Unused() for _ in cells]
    if len(branches) == 2:
        c.writer.open(f"if {which.text}", c.place)
        body(branches[1])
        if any(cells) or branches[0].jaxpr.eqns:
            c.writer.otherwise("else", c.place)
            body(branches[0])
        c.writer.close(c.place)
    else:
        for at, branch in enumerate(branches):
            test = f"{which.at(COMPARE - 1)} {'<=' if at == 0 else '=='} {at}"
            if at == 0:
                c.writer.open(f"if {test}", c.place)
            else:
                c.writer.otherwise("else" if at + 1 == len(branches) else f"else if {test}", c.place)
            body(branch)
        c.writer.close(c.place)
    return [Unused() if cell is None else _joined(cell, seen) for cell, seen in zip(cells, ranges)]


def _joined(cell: Cell, seen: Sequence[Any]) -> Any:
    if cell.integer and all(isinstance(v, Scalar) for v in seen):
        return cell.get(min(v.low for v in seen), max(v.high for v in seen))
    return cell.get()


def _reads(branches: Sequence[Any]) -> bool:
    return any(versions.acts(e) or e.primitive.name in ("cond", "while", "scan") for b in branches for e in b.jaxpr.eqns)


@rule("pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat2", "checkpoint")
def _call(c: Conversion, eqn: Any, *operands: Any) -> Any:
    name = eqn.params.get("name", "")
    if name in ("floor_divide", "remainder") and len(operands) == 2 and not tiles.is_float(dtype_name(eqn.outvars[0].aval.dtype)):
        kind = "quotient" if name == "floor_divide" else "remainder"
        low, high = tiles.as_tile(c, operands[1]).range
        if low > 0 or high < 0:
            if not all(isinstance(o, Scalar) for o in operands):
                return floor_tiles(c, eqn, *operands, kind)
            make = scalars.divide if kind == "quotient" else scalars.remainder
            return make(c, operands[0], operands[1], dtype_name(eqn.outvars[0].aval.dtype), down=True)
    closed = eqn.params.get("jaxpr") or eqn.params.get("call_jaxpr") or eqn.params.get("fun_jaxpr")
    return run_body(c, versions.closed(closed), operands)


@rule("platform_index")
def _platform(c: Conversion, eqn: Any) -> Any:
    c.of_platform.append(number(tpu_branch(eqn.params["platforms"])))
    return c.of_platform[-1]


@rule("run_scoped")
def _run_scoped(c: Conversion, eqn: Any, *constants: Any) -> Any:
    if eqn.params.get("collective_axes"):
        raise c.refuse("`run_scoped` with collective axes")
    jaxpr = eqn.params["jaxpr"]
    names = jaxpr.debug_info.arg_names or ()
    c.learn(jaxpr)
    made = [scratch(c, v.aval, names[i] if i < len(names) else None, scoped=True) for i, v in enumerate(jaxpr.invars)]
    scoped = [m for m in made if m.space != "sem"]
    for ref in scoped:
        c.say(f"alloc {ref.name}")
    found = walk(c, jaxpr, made, constants)
    found = [_kept(c, v, frozenset(r.root for r in scoped)) for v in found]
    for ref in reversed(scoped):
        c.say(f"free {ref.name}")
    return found


@rule("empty_ref", "new_ref")
def _new_ref(c: Conversion, eqn: Any, *value: Any) -> Any:
    """Memory that the kernel allocates without a scope."""
    made = scratch(c, eqn.outvars[0].aval, assigned_name(c.place))
    for one in value:
        stored(c, made, one)
    return made


@rule("freeze", "free_ref")
def _freeze(c: Conversion, eqn: Any, ref: Any) -> Any:
    return loaded(c, ref) if eqn.outvars else []


def _kept(c: Conversion, value: Any, gone: frozenset[str]) -> Any:
    return c.name(value) if isinstance(value, (Scalar, Tile)) and value.reads & gone else value
