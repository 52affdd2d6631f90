"""What the language that the engine reads can say: an older engine gets refusals by name and no text that it cannot read."""

from __future__ import annotations

_BODY = "kernel q()\n  out o: i32[2] smem\n  vmem x: i32[2, 8, 128];  vmem y: i32[2, 8, 128];  vmem f: f32[2, 8, 128]\n{{\n  {}\n  o[1] = 0\n}}\n"
#: A statement that only an engine with these words reads.
_PROBES = {
    "INTEGERS": "x = 3; y = 5; x = bit_and(x, shift_left(y, 1)); f = sqrt(x); y = truncate(f, i32); o[0] = quotient(bit_or(7, 8), 2)",
    "REDUCTIONS": "f = 1; f = f + reduce_sum(f, 1); f = transpose(transpose(f, 0, 2, 1), 0, 2, 1); f = max(f, 0); o[0] = 0",
    "SHAPES": "x = 3; v = view(x) as i32[16, 128]; v = v + 1; y = reshape(v, 2, 8, 128); x = y; o[0] = 0",
    "CONTROL": "o[0] = 3; while o[0] > 0 { o[0] = o[0] - 1 }; opaque x",
}

#: Functions of one tile: jax's primitive and the word.
FUNCTIONS = {name: name for name in ("exp", "log", "tanh", "erf", "rsqrt", "abs")}
_NEWER = ("sqrt", "floor", "ceil", "sign", "sin", "cos", "exp2", "log1p", "expm1", "logistic", "erfc")
#: `bit_and(a, b)`, `truncate(x, i32)`, `quotient(a, b)` and the rest that integers need, with the functions above.
INTEGERS = False
#: `reduce_sum(x, dim)`, `transpose(x, 0, 2, 1)`, products of three dimensions.
REDUCTIONS = False
#: `reshape(x, 8, 128)`, `bitcast`, `view(x) as T[...]`, slices with a step.
SHAPES = False
#: `while`, `opaque`.
CONTROL = False

_decided = False


def newer(on: bool = True) -> None:
    """Writes all words, or only those that the language had before kernels were imported."""
    _set(dict.fromkeys(_PROBES, on))


def decide() -> None:
    """Asks the engine once which words it reads."""
    if not _decided:
        _set({group: _reads(statement) for group, statement in _PROBES.items()})


def _set(known: dict[str, bool]) -> None:
    global _decided
    _decided = True
    globals().update(known)
    for name in _NEWER:
        if known["INTEGERS"]:
            FUNCTIONS[name] = name
        else:
            FUNCTIONS.pop(name, None)


def _reads(statement: str) -> bool:
    from tessera import _engine
    try:
        return _engine.verify(_BODY.format(statement), {}).object.get("status") != "bad_input"
    except OSError:
        return True         # no engine at hand: the text is for one that comes later
    except Exception:       # an engine that refuses the text says so in its own way
        return False
