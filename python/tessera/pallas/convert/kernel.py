"""What a conversion answers: the text of the kernel and what its caller must know of it, or why there is none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tessera.errors import Unsupported


@dataclass(frozen=True)
class Operand:
    """One input of the `pallas_call` as the text names it.

    `dtype` and `shape` are those that the text declares: arrays go in as `array.astype(dtype).reshape(shape)`.
    They are the call's own, but for a scalar, which has shape (1,), and bool, which is i8 or i32.
    `index` is the input's place among the call's inputs.
    """
    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    index: int


@dataclass(frozen=True)
class Result:
    """One output of the `pallas_call`; `aliased` is the index of the input that shares its memory, or None.

    `dtype` and `shape` are those that the text declares; `result_shape` and `result_dtype` those of the call's output.
    """
    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    result_dtype: np.dtype
    result_shape: tuple[int, ...]
    aliased: int | None = None


@dataclass(frozen=True)
class Place:
    """A line of a Python file, in a `function`, and the calls that led there, innermost caller first.

    Each call is its file, its line and the function that it stands in.
    """
    file: str
    line: int
    stack: tuple[tuple[str, int, str], ...] = ()
    function: str = ""

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Opaque:
    """A primitive whose value the text leaves unknown, at a place."""
    place: Place
    primitive: str


@dataclass(frozen=True)
class Kernel:
    """A converted `pallas_call`.

    `text` is the .tsr; `operands` and `results` are in the order of the call's inputs and outputs; `devices` is the
    number of devices it is written for, None where it reaches no other device; `control` the indices of inputs whose
    values decide what is done; `places` maps each line of the text, from 1 on, to its place in the Python; `loops` maps
    the text's variables of loops and of the grid to what the Python calls them, `step` or `program_id(0)`; `windows` are
    refs that are blocks of a pipeline; `arrays` maps names of whole arrays that the Python does not have to their refs,
    `renamed` those that are words of the language, `sem_`, to what the Python calls them; `cores`: cores of each device;
    `padded`: some arrays are padded to whole tiles, as on a TPU.
    """
    text: str
    operands: tuple[Operand, ...]
    results: tuple[Result, ...]
    devices: int | None = None
    control: frozenset[int] = frozenset()
    opaque: tuple[Opaque, ...] = ()
    places: dict[int, Place] = field(default_factory=dict)
    loops: dict[str, str] = field(default_factory=dict)
    windows: frozenset[str] = frozenset()
    arrays: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    equations: int = 0
    name: str = "kernel"
    cores: int = 1
    padded: bool = False


class Refused(Unsupported):
    """The kernel cannot be converted: `place` is "kernel.py:49", `what` the reason; str() is both."""

    def __init__(self, where: Place | str, what: str, stack: Sequence[tuple[str, int, str]] = ()):
        super().__init__(f"{where}: {what}")
        self.place = str(where)
        self.what = what
        self.stack = where.stack if isinstance(where, Place) else tuple(stack)


class UnknownValues(Refused):
    """It is converted, and may be proved; what it computes is not known, so it cannot be run."""
