"""Values of a jaxpr's equations in the text: an integer, a tile of numbers, or memory.

An expression is stored as text with the precedence level of its outermost operator (docs/language.md, section 4). Level 1 binds most
tightly.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from typing import Any

ATOM, UNARY, PRODUCT, TIMES, PLUS, COMPARE, NOT, AND, OR, CHOICE = 1, 2, 3, 4, 5, 7, 8, 9, 10, 11

#: The language's type for each JAX type. A bool is an integer that is 0 or 1.
TYPES = {
    "float32": "f32",
    "bfloat16": "bf16",
    "float16": "f16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "e8m0",
    "int8": "i8",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "bool": "i32",
    "int16": "i16",
    "uint16": "u16",
    "uint8": "u8",
}
INTEGERS = {
    "int8": (8, True),
    "int16": (16, True),
    "int32": (32, True),
    "int64": (64, True),
    "uint8": (8, False),
    "uint16": (16, False),
    "uint32": (32, False),
    "bool": (1, False),
}
FLOATS = {"float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"}


@functools.cache
def dtype_name(dtype: Any) -> str:
    """Returns NumPy's name of a type. Cached because NumPy is slow."""
    return str(dtype)


def is_float(dtype: str) -> bool:
    return dtype in FLOATS


def stored_type(dtype: str, space: str) -> str:
    """Returns the type in which memory stores numbers of `dtype`: floats in smem always have 32 bits."""
    return "float32" if space == "smem" and dtype in FLOATS else dtype


def limits(dtype: str) -> tuple[int, int]:
    """Returns the smallest and the largest integer of a type."""
    bits, signed = INTEGERS[dtype]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


@dataclass(frozen=True)
class Scalar:
    """An integer: its text, the range of the text's value, and the memory that the text reads.

    The text is evaluated with 64 bits. Its value and JAX's have the same low bits. If the range [low, high] exceeds `dtype`, use
    `wrapping.wrapped` to get JAX's value.
    """

    text: str
    level: int = ATOM
    low: int = -(1 << 31)
    high: int = (1 << 31) - 1
    dtype: str = "int32"
    reads: frozenset[str] = frozenset()
    base: tuple[Scalar, int] | None = None  # the text is this scalar plus this number

    shape = ()

    @property
    def known(self) -> int | None:
        return self.low if self.low == self.high else None

    @property
    def simple(self) -> bool:
        return self.level == ATOM and not self.reads and "(" not in self.text

    def at(self, level: int) -> str:
        """Returns the text as an operand of an operator that accepts operands up to this level, in parentheses if necessary."""
        return self.text if self.level <= level else f"({self.text})"


def number(value: int, dtype: str = "int32") -> Scalar:
    value = int(value)
    return Scalar(str(value), ATOM if value >= 0 else UNARY, value, value, dtype)


@dataclass(frozen=True)
class Dim:
    """The slice of a ref in one dimension of its memory: one element if `size` is None, else `size` elements from `start` on."""

    start: Scalar
    size: int | Scalar | None
    whole: bool = False
    stride: int = 1


@dataclass(frozen=True)
class Ref:
    """Memory, a slice of it, or semaphores. name: name in the text. root: name of the underlying memory, shared by its aliases."""

    name: str
    root: str
    space: str
    dtype: str
    dims: tuple[Dim, ...]
    extents: tuple[int, ...]  # shape of the whole memory
    held: bool = False  # bool, stored as integers

    @property
    def shape(self) -> tuple[int | Scalar, ...]:
        return tuple(d.size for d in self.dims if d.size is not None)

    @property
    def reads(self) -> frozenset[str]:
        found = {self.root}
        for dim in self.dims:
            found |= dim.start.reads
            if isinstance(dim.size, Scalar):
                found |= dim.size.reads
        return frozenset(found)

    @property
    def text(self) -> str:
        if all(d.whole for d in self.dims):
            return self.name
        return f"{self.name}[{', '.join(_item(d) for d in self.dims)}]"


def _item(dim: Dim) -> str:
    if dim.whole:
        return ":"
    if dim.size is None:
        return dim.start.text
    if dim.stride != 1 and isinstance(dim.size, int):
        length = (dim.size - 1) * dim.stride + 1
        end = str(dim.start.low + length) if dim.start.known is not None else f"{dim.start.at(PLUS)} + {length}"
        return f"{dim.start.at(CHOICE - 1)} .. {end} step {dim.stride}"
    size = dim.size.at(PLUS) if isinstance(dim.size, Scalar) else str(dim.size)
    return f"{dim.start.at(CHOICE - 1)} +: {size}"


def whole(name: str, root: str, space: str, dtype: str, shape: tuple[int, ...]) -> Ref:
    dims = tuple(Dim(number(0), n, whole=True) for n in shape)
    return Ref(name, root, space, dtype, dims, tuple(shape))


def held(name: str, root: str, space: str, dtype: str, shape: tuple[int, ...]) -> Ref:
    """Returns memory with this shape. Without dimensions, it is the single element of an array."""
    return whole(name, root, space, dtype, shape) if shape else Ref(name, root, space, dtype, (Dim(number(0), None),), (1,))


@dataclass(frozen=True)
class Tile:
    """An expression for numbers of a shape.

    written: shape of the text. It is right-aligned with `shape` followed by `trail` dimensions of size 1. Each of its sizes is the same
    or 1 (repeated); additional leading sizes are 1.
    """

    text: str
    level: int
    shape: tuple[int, ...]
    written: tuple[int, ...]
    dtype: str
    type: str  # type of the text's value in the language; "number": a number that fits any type
    trail: int = 0
    reads: frozenset[str] = frozenset()
    ref: Ref | None = None  # the text is this memory itself
    bounds: tuple[int, int] | None = None  # range of integers; None: the limits of the type
    product: bool = False  # the text is `a . b`
    sum: tuple[Tile, Tile] | None = None
    opaque: bool = False
    known: float | None = None  # the text is this real number
    shaped: bool = False  # the result of the text can only be stored in its own shape

    @property
    def simple(self) -> bool:
        return not self.reads and ((self.type == "number" and len(self.text) < 16) or self.text.isidentifier())

    @property
    def range(self) -> tuple[int, int]:
        return self.bounds or limits(self.dtype)

    @property
    def full(self) -> bool:
        return not self.trail and self.written == self.shape

    def at(self, level: int) -> str:
        return self.text if self.level <= level else f"({self.text})"

    def with_(self, **changes) -> Tile:
        """Returns a changed copy. A new text resets the fields that describe the old text."""
        if "text" in changes:
            changes = {"ref": None, "product": False, "sum": None, "known": None, "shaped": False, **changes}
        return replace(self, **changes)


def named(tile: Tile, name: str, dtype: str) -> Tile:
    """Returns the tile with `name` as its text. The name must be assigned its value."""
    return tile.with_(text=name, level=ATOM, type=dtype, reads=frozenset())


@dataclass
class Unused:
    """An unused value."""

    shape: tuple[int, ...] = field(default=())
