"""Constants of a jaxpr, and number literals of the language."""

from __future__ import annotations

from typing import Any

import numpy as np

from tessera.pallas.convert.conversion import Conversion, Value
from tessera.pallas.convert.values import ATOM, TYPES, Tile, dtype_name, is_float, number

_MOST = 1024  # max elements of a constant array; each is a line of the text


def constant(c: Conversion, value: Any, aval: Any) -> Value:
    """Converts a constant of the jaxpr. An array is refused if it has more than _MOST elements."""
    array, dtype = np.asarray(value), dtype_name(aval.dtype)
    if array.shape == ():
        if not is_float(dtype):
            return number(int(array), dtype)
        one = float(array)
        return Tile(real(one), ATOM if one >= 0 else 2, (), (), dtype, "number", known=one) if one == one else nan(c, dtype)
    if array.size > _MOST:
        raise c.refuse(f"a constant array of {array.size} elements, at most {_MOST} are written out")
    made = c.declare("tile", "constant", dtype, array.shape)
    for at in np.ndindex(array.shape):
        element: Any = constant(c, array[at], aval)
        c.say(
            f"{made.name}[{', '.join(map(str, at))}] = {element.text if getattr(element, 'type', 'number') == 'number' else f'cast({element.text})'}"
        )
    return Tile(made.name, ATOM, array.shape, array.shape, dtype, TYPES[dtype])


def nan(c: Conversion, dtype: str) -> Tile:
    """A NaN, made from its bits: the language has no literal for it."""
    held = c.declare("tile", "nan_bits", "int32", (1,))
    c.say(f"{held.name} = {0x7FC00000}")
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
