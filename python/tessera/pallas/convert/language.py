"""What the language that is written can say."""

#: Functions of one tile: jax's primitive and the word.
FUNCTIONS = {name: name for name in ("exp", "log", "tanh", "erf", "rsqrt", "abs")}
#: Those that came later.
_NEWER = ("sqrt", "floor", "ceil", "sign", "sin", "cos", "exp2", "log1p", "expm1", "logistic", "erfc")
#: `bit_and(a, b)`, `truncate(x, i32)`, `quotient(a, b)` and the rest that integers need.
INTEGERS = False
#: `sum(x, dim)`, `transpose(x, 0, 2, 1)`, products of three dimensions.
REDUCTIONS = False
#: `reshape(x, 8, 128)`, `concat(dim, x, y)`, `tiled`, `bitcast`, `view(x) as T[...]`.
SHAPES = False
#: `while`, `opaque`.
CONTROL = False


def newer(on: bool = True) -> None:
    """Writes what the newest language has, or only what the one before the importer had."""
    global INTEGERS, REDUCTIONS, SHAPES, CONTROL
    INTEGERS = REDUCTIONS = SHAPES = CONTROL = on
    for name in _NEWER:
        if on:
            FUNCTIONS[name] = name
        else:
            FUNCTIONS.pop(name, None)
