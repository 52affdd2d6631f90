"""Unique names of the text: the Python's names if the language allows them."""

from __future__ import annotations

import re
from typing import Any

_WORDS = frozenset(
    """
    kernel function in out hbm vmem smem tile sem scoped const for if else elif pipeline grid window start copy wait await
    signal require assert print breakpoint trace return alloc free fresh once device devices core cores inf order max min
    step parallel depth pad when update add mod and or not count bytes barrier monotone tiles clamp abs select popcount
    largest iota prefix_sum repeat concat search_right real load_real exp log tanh erf rsqrt cast scaled transpose row_sum
    row_max col_sum col_max tile_iota view bounds read first last gelu relu matmul_add matmul_transposed grouped_product
    group_visits zero_rows add_into convert_into ring_place neighbour_barrier all_barrier core_barrier ring_all_reduce
    ring_reduce_scatter ring_all_gather_halves sub mul div eq ne lt le limit load store tile_add tile_sub tile_mul tile_div
    tile_min tile_max tile_lt tile_le tile_eq tile_select matmul start_remote end may_be_unread core on from as while opaque
    to by f32 bf16 f16 e4m3 e5m2 e8m0 i8 i16 i32 i64 u8 u16 u32 fp8 accumulator tessera mesh write_back print_text bit_and
    bit_or bit_xor bit_not shift_left shift_right truncate sum reshape broadcast floor ceil round sqrt logistic exp2 log1p
    expm1 sin cos sign pow is_finite rem quotient neg argmax argmin sort stop_gradient any all prod product
""".split()
)


class Names:
    """Generator of unique names."""

    def __init__(self, reserved: frozenset[str] = frozenset()):
        self._given: dict[str, int] = {}
        self.renamed: dict[str, str] = {}  # the Python's names that are keywords, by their new names
        self._reserved = _WORDS | reserved

    def new(self, wanted: str | None, otherwise: str = "t") -> str:
        base = re.sub(r"\W+", "_", wanted or otherwise).strip("_") or otherwise
        if base[0].isdigit():
            base = f"{otherwise}_{base}"
        if base in self._reserved:
            self.renamed[f"{base}_"] = base
            base += "_"
        if base not in self._given:
            self._given[base] = 1
            return base
        while True:
            self._given[base] += 1
            name = f"{base}_{self._given[base]}"
            if name not in self._given and name not in self._reserved:
                self._given[name] = 1
                return name


def dimension_name(mapping: Any, at: int) -> str:
    """Returns the Python's name of a grid dimension; if it has none, the expression of its index: `program_id(0)` or `vmap(0)`."""
    names = getattr(mapping, "grid_names", None)
    if names:
        return str(names[at])
    mapped = sum(i in mapping.vmapped_dims for i in range(at))
    return f"vmap({mapped})" if at in mapping.vmapped_dims else f"program_id({at - mapped})"
