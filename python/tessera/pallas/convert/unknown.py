"""Primitives without a rule: refused, unless they only compute values; these values are then unknown (`opaque`)."""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.kernel import Opaque
from tessera.pallas.convert.tiles import full, of_cell
from tessera.pallas.convert.values import Ref, Scalar, Tile, Unused, dtype_name


def unknown(c: Conversion, eqn: Any, *operands: Any) -> list[Any]:
    """Writes an `opaque` op, which reads the operands and writes tiles of unknown values."""
    what = eqn.primitive.name
    if eqn.effects or not eqn.outvars or any(isinstance(o, Ref) for o in operands):
        raise c.refuse(f"`{what}` cannot be converted")
    return leave_open(c, what, [v.aval for v in eqn.outvars], operands)


def leave_open(c: Conversion, what: str, results: list[Any], operands: Any) -> list[Any]:
    if any(not hasattr(r, "shape") or r.shape == () for r in results):
        raise c.refuse(f"`{what}` gives a number that is unknown")
    read = [
        full(c, c.name(o) if o.ref is None else o).text
        for o in operands
        if isinstance(o, Tile) and o.type != "number" and not isinstance(o, (Scalar, Unused))
    ]
    cells = [c.declare("tile", what, dtype_name(r.dtype), r.shape) for r in results]
    sources = f" from {', '.join(read)}" if read else ""
    c.say(f"opaque {', '.join(cell.text for cell in cells)}{sources}")
    c.opaque.append(Opaque(c.place, what))
    return [of_cell(cell).with_(opaque=True) for cell in cells]
