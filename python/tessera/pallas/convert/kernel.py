"""Results of a conversion: the text of the kernel with its operands, results and places, or the reason that it is refused."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tessera.errors import Unsupported


@dataclass(frozen=True)
class Operand:
    """One input of the `pallas_call`, under its name in the text.

    dtype, shape: as declared in the text; arrays are passed as `array.astype(dtype).reshape(shape)`. They are the call's type and
        shape, except that a scalar has the shape (1,), bool is int32, and floats in smem are float32.
    index: index of the input in the call.
    """

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    index: int


@dataclass(frozen=True)
class Result:
    """One output of the `pallas_call`.

    dtype, shape: as declared in the text. result_dtype, result_shape: type and shape of the call's output.
    aliased: index of the input that shares its memory, or None.
    """

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    result_dtype: np.dtype
    result_shape: tuple[int, ...]
    aliased: int | None = None


@dataclass(frozen=True)
class Place:
    """A line of a Python file, in a `function`, with the calls that led there, innermost caller first.

    Each call is a file, a line and the function that contains it.
    """

    file: str
    line: int
    stack: tuple[tuple[str, int, str], ...] = ()
    function: str = ""

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Opaque:
    """A primitive with a value that is unknown in the text, and its place."""

    place: Place
    primitive: str


@dataclass(frozen=True)
class Kernel:
    """A converted `pallas_call`.

    text: the `.tsr` text.
    operands, results: in the order of the call's inputs and outputs.
    devices: number of devices for which it is written; None if it accesses no other device.
    control: indices of the inputs on which control flow depends.
    opaque: primitives with unknown values.
    places: place in the Python of each line of the text; the first line is 1.
    loops: the Python's names for loop and grid variables of the text: `step`, `program_id(0)`.
    windows: names of refs that are blocks of a pipeline.
    arrays: ref of each whole array whose name the Python does not have.
    renamed: the Python's names that are keywords of the language, by their names in the text (`sem_`).
    equations: number of converted equations.
    cores: cores per device.
    padded: True if arrays are padded to whole tiles, as on a TPU.
    left_out: places of branches that these sizes never take, and that the text therefore does not contain.
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
    left_out: tuple[Place, ...] = ()


class Refused(Unsupported):
    """The kernel cannot be converted. place: "kernel.py:49". what: the reason. str() contains both."""

    def __init__(self, where: Place | str, what: str, stack: Sequence[tuple[str, int, str]] = ()):
        super().__init__(f"{where}: {what}")
        self.place = str(where)
        self.what = what
        self.stack = where.stack if isinstance(where, Place) else tuple(stack)


class UnknownValues(Refused):
    """The kernel is converted and can be verified, but it cannot be run, because some of its values are unknown."""
