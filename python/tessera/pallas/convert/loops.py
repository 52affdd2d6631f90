"""Rules of loops. Counting loops become `for`, others `while`. Carried values are stored in cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax.extend import core as jax_core

from tessera.pallas.convert import scalars, tiles
from tessera.pallas.convert.bodies import Cell, run_body
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.places import is_users
from tessera.pallas.convert.refs import scalar
from tessera.pallas.convert.values import ATOM, Dim, Ref, Scalar, Tile, dtype_name, number
from tessera.pallas.convert.wrapping import wrapped
from tessera.pallas.versions import scan_counts


@rule("scan")
def _scan(c: Conversion, eqn: Any, *operands: Any) -> Any:
    p = eqn.params
    constants, carried = scan_counts(p)
    body = p["jaxpr"]
    c.learn(body.jaxpr)
    consts, first = operands[:constants], operands[constants : constants + carried]
    rows: Sequence[Any] = operands[constants + carried :]
    columns = eqn.outvars[carried:]
    if p["length"] == 1 and not rows and not columns:
        return run_body(c, body, operands)
    rows = [tiles.reusable(c, tiles.full(c, x)) for x in rows]
    made = [tiles.cell(c, dtype_name(v.aval.dtype), v.aval.shape, "rows") for v in columns]

    def run(carries: Sequence[Any], turn: Scalar) -> list[Any]:
        at = scalars.add(c, number(p["length"] - 1), turn, "int32", -1) if p["reverse"] else turn
        found = run_body(c, body, [*consts, *carries, *(_row(c, x, at) for x in rows)])
        for cell, value in zip(made, found[carried:]):
            tiles.store(c, _row_of(c, cell, at), value)
        return found[:carried]

    loop = _Loop(c, body.jaxpr, body.jaxpr.invars[constants : constants + carried], first, eqn.outvars)
    return [*loop.counted(c, number(0), number(p["length"]), None, run), *(tiles.of_cell(cell) for cell in made)]


def _row_of(c: Conversion, ref: Ref, at: Scalar) -> Ref:
    """Returns the element `at` of the ref's first dimension."""
    place = next(i for i, d in enumerate(ref.dims) if d.size is not None)
    start = scalars.add(c, ref.dims[place].start, at, "int32")
    dims = (*ref.dims[:place], Dim(start, None), *ref.dims[place + 1 :])
    return Ref(ref.name, ref.root, ref.space, ref.dtype, dims, ref.extents, ref.held)


def _row(c: Conversion, x: Tile, at: Scalar) -> Tile:
    """Returns the row of an array for one iteration."""
    shape = x.shape[1:]
    if x.ref is not None:
        ref = _row_of(c, x.ref, at)
        return x.with_(text=ref.text, shape=shape, written=shape, ref=ref, reads=ref.reads)
    text = f"{x.at(ATOM)}[{', '.join([at.text] + [':'] * len(shape))}]"
    return x.with_(text=text, level=ATOM, shape=shape, written=shape, reads=x.reads | at.reads)


@rule("while")
def _while(c: Conversion, eqn: Any, *operands: Any) -> Any:
    p = eqn.params
    asked, held = p["cond_nconsts"], p["body_nconsts"]
    consts = operands[asked : asked + held]
    first = list(operands[asked + held :])
    cond, body = p["cond_jaxpr"], p["body_jaxpr"]
    c.learn(body.jaxpr)
    c.learn(cond.jaxpr)
    loop = _Loop(c, body.jaxpr, body.jaxpr.invars[held:], first, eqn.outvars)
    counter, bound = _counted_while(cond.jaxpr, body.jaxpr, held, asked)
    run = lambda carries, _: run_body(c, body, [*consts, *carries])  # noqa: E731
    if counter is not None and counter in loop.steps and loop.steps[counter] == 1 and isinstance(first[counter], Scalar):
        limit = scalar(c, literal_of(c, bound) if isinstance(bound, jax_core.Literal) else first[bound])
        return loop.counted(c, first[counter], limit, counter, run)
    return loop.general(c, lambda carries: scalar(c, run_body(c, cond, [*operands[:asked], *carries])[0]), run)


def literal_of(c: Conversion, var: Any) -> Any:
    return number(int(var.val))


def _counted_while(cond: Any, body: Any, held: int, asked: int) -> tuple[int | None, Any]:
    """For `while i < n` with a constant n: the index of the carry i, and the index or the literal of n. (None, None) for other loops.

    Whether i counts is not checked here.
    """
    if len(cond.eqns) != 1 or cond.eqns[0].primitive.name != "lt" or asked:
        return None, None
    left, right = cond.eqns[0].invars
    if isinstance(left, jax_core.Literal) or cond.outvars[0] is not cond.eqns[0].outvars[0]:
        return None, None
    counter = cond.invars.index(left)
    if isinstance(right, jax_core.Literal):
        return counter, right
    bound = cond.invars.index(right)
    return (counter, bound) if body.outvars[bound] is body.invars[held + bound] else (None, None)


class _Loop:
    """The carried values of a loop.

    steps: increment per iteration, by carry, of carries that count. kept: True for carries that never change.
    """

    def __init__(self, c: Conversion, body: Any, variables: Sequence[Any], first: Sequence[Any], results: Sequence[Any]):
        self.first, self.results, self.variables = list(first), list(results), list(variables)
        made = {v: e for e in body.eqns for v in e.outvars}
        self.kept = [out is var or isinstance(f, Ref) for out, var, f in zip(body.outvars, variables, first)]
        self.steps: dict[int, int] = {}
        self.names = body.debug_info.arg_names or ()
        self.is_users = is_users(str(body.debug_info.func_src_info or "").rpartition(" at ")[2].rpartition(":")[0])
        self.offset = len(body.invars) - len(variables)
        used = {v for e in body.eqns for v in e.invars if not isinstance(v, jax_core.Literal)}
        used |= {v for v in body.outvars if not isinstance(v, jax_core.Literal)}
        self.needed = [var in used or c.is_used(res) for var, res in zip(variables, results)]
        for at, (out, var) in enumerate(zip(body.outvars, variables)):
            eqn = made.get(out) if not isinstance(out, jax_core.Literal) else None
            if eqn is not None and eqn.primitive.name == "add" and isinstance(first[at], Scalar):
                a, b = eqn.invars
                if a is var and isinstance(b, jax_core.Literal):
                    self.steps[at] = int(b.val)
                elif b is var and isinstance(a, jax_core.Literal):
                    self.steps[at] = int(a.val)

    def _cells(self, c: Conversion, but: Sequence[int]) -> dict[int, Cell]:
        cells = {
            at: Cell(c, var.aval, self._name(at)) for at, var in enumerate(self.variables) if not self.kept[at] and at not in but and self.needed[at]
        }
        for at, cell in cells.items():
            cell.put(c, self.first[at])
        return cells

    def _name(self, at: int) -> str | None:
        place = self.offset + at
        name = self.names[place] if place < len(self.names) else None
        return name if name and name.isidentifier() else None

    def counted(self, c: Conversion, start: Scalar, stop: Scalar, counter: int | None, run: Any) -> list[Any]:
        """Writes a `for` loop. Counting carries are computed from its variable; the others are stored in cells."""
        cells = self._cells(c, list(self.steps))
        lead = counter if counter is not None else next((a for a, s in self.steps.items() if s == 1), None)
        begin = self.first[lead] if lead is not None else start
        begin = wrapped(begin)
        end = stop if counter is not None else scalars.add(c, begin, scalars.add(c, stop, start, "int64", -1), "int64")
        begin, end = (c.name(v) if v.reads else v for v in (begin, end))
        known = self._name(lead) if lead is not None else None
        variable = c.names.new(known, "i")
        c.loops[variable] = known if known and known.strip("_") and self.is_users else "iteration"
        bounds = end.text if begin.known == 0 else f"{begin.text} .. {end.text}"
        c.writer.open(f"for {variable} in {bounds}", c.place)
        index = Scalar(variable, ATOM, begin.low, max(end.high - 1, begin.low), begin.dtype)
        turns = scalars.add(c, index, begin, "int64", -1)
        self._turn(c, cells, lambda at: index if at == lead else self._after(c, at, turns), lambda carries: run(carries, turns))
        c.writer.close(c.place)
        count = scalars.extreme(c, "max", scalars.add(c, end, begin, "int64", -1), number(0), "int64")
        return self._ended(cells, lambda at: self._after(c, at, count))

    def _after(self, c: Conversion, at: int, turns: Scalar) -> Scalar:
        """Returns the value of a counting carry after `turns` iterations."""
        dtype = dtype_name(self.variables[at].aval.dtype)
        return scalars.add(c, self.first[at], scalars.multiply(c, turns, number(self.steps[at]), dtype), dtype)

    def general(self, c: Conversion, asks: Any, run: Any) -> list[Any]:
        """Writes a `while` loop. Changing carries are stored in cells, and so is the condition if it needs statements."""
        cells = self._cells(c, [])
        said = len(c.writer.statements)
        condition = asks(self._carries(cells, None))
        again: Cell | None = None
        if len(c.writer.statements) > said:
            again = Cell(c, self.variables[0].aval.update(shape=(), dtype="int32"), "again")
            again.put(c, condition)
            condition = again.get(0, 1)
        c.writer.open(f"while {condition.text}", c.place)
        self._turn(c, cells, None, lambda carries: run(carries, None))
        if again is not None:
            again.put(c, asks(self._carries(cells, None)))
        c.writer.close(c.place)
        return self._ended(cells, None)

    def _carries(self, cells: dict[int, Cell], counts: Any) -> list[Any]:
        return [
            cells[at].get() if at in cells else f if self.kept[at] or not self.needed[at] or counts is None else counts(at)
            for at, f in enumerate(self.first)
        ]

    def _turn(self, c: Conversion, cells: dict[int, Cell], counts: Any, run: Any) -> None:
        """Writes one iteration. All cells are read before any of them is changed."""
        before = self._carries(cells, counts)
        held = [c.name(v, self._name(at)) if at in cells and isinstance(v, Scalar) else v for at, v in enumerate(before)]
        after = run(held)
        changed = frozenset(cell.ref.root for cell in cells.values())
        ready = {at: c.name(after[at]) if len(cells) > 1 and _depends(after[at], changed - {cells[at].ref.root}) else after[at] for at in cells}
        for at, cell in cells.items():
            if getattr(ready[at], "text", None) != cell.ref.text:
                cell.put(c, ready[at])

    def _ended(self, cells: dict[int, Cell], counts: Any) -> list[Any]:
        return [
            cells[at].get() if at in cells else f if self.kept[at] or counts is None or at not in self.steps else counts(at)
            for at, f in enumerate(self.first)
        ]


def _depends(value: Any, roots: frozenset[str]) -> bool:
    return bool(getattr(value, "reads", frozenset()) & roots)
