"""The operations as functions.

Each function accepts its operands (arrays of NumPy with ml_dtypes, JAX or PyTorch) and the options of its command as keyword
arguments with the same names: `profile="v5e"`, `schedule="random:1"`, `tiling=(128, 128, 128)`, ...; `tessera.gmm.options()`
lists them. Operands that are None are generated (`seed`, `fill`). Results are new arrays of the operands' library; `like="numpy"`
selects another one.

A call runs with all checks of the interpreter. It compares the result with a reference only with `check="full"` or "sample".

`tessera.gmm.run(...)` compares by default and returns the whole report; `.verify(...)` verifies all schedules; `.timing(...)`
models the time; `.debug(...)` opens a session.

Raises FindingError if the run has a finding, BadInput if operands or options are invalid, Unsupported if something is not
implemented. The text of each exception is the report.
"""

from __future__ import annotations

from typing import Any

from ._arrays import is_array
from ._operation import Operands, operation, sizes

__all__ = [
    "ag_matmul",
    "all_gather",
    "all_reduce",
    "ep_gmm",
    "gmm",
    "grouped_gemm",
    "matmul_rs",
    "ragged_all_to_all",
    "ragged_dot",
    "reduce_scatter",
    "right_permute",
    "ring_of_experts",
    "sharded_gmm",
    "tgmm",
]


@operation("gmm")
def gmm(lhs: Any, rhs: Any, group_sizes: Any, *, existing: Any = None, **options: Any) -> Operands:
    """Grouped matmul: out[rows of group g] = lhs[rows of group g] . rhs[g].

    lhs [m, k], rhs [groups, k, n] (`transpose_rhs=True`: [groups, n, k]), group_sizes [groups] of i32 or i64, or numbers.
    existing [m, n]: added to the result, or overwritten with `existing_out="overwrite"`. Returns out [m, n] of `out_dtype`,
    by default f32. `group_offset`, `local_groups` and `rows` select a subset of the groups.
    """
    return {"lhs": lhs, "rhs": rhs, **sizes(group_sizes), "existing": existing, **options}


@operation("tgmm")
def tgmm(lhs: Any, rhs: Any, group_sizes: Any, *, existing: Any = None, **options: Any) -> Operands:
    """Transposed grouped matmul: out[g] = lhs[:, rows of group g] . rhs[rows of group g], the gradient of the weights.

    lhs [k, m], rhs [m, n], group_sizes [groups], existing [groups, k, n]. Returns out [groups, k, n] of `out_dtype`.
    """
    return {"lhs": lhs, "rhs": rhs, **sizes(group_sizes), "existing": existing, **options}


@operation("ragged-dot")
def ragged_dot(lhs: Any, rhs: Any, group_sizes: Any, **options: Any) -> Operands:
    """Ragged dot product along any axes: the row, contracting or batch axis of lhs is split into groups.

    By default lhs [m, k], rhs [groups, k, n] and out [m, n]. `mode="contracting"` or "batch", or `contracting`,
    `batch_axes`, `ragged` and `group_axis`, select other axes. group_sizes [groups], or with the axes before the ragged one.
    """
    axes = {} if {"mode", "contracting"} & options.keys() else {"contracting": "1/1", "ragged": 0, "group_axis": 0}
    return {"lhs": lhs, "rhs": rhs, **sizes(group_sizes), **(axes if is_array(lhs) else {}), **options}


@operation("grouped-gemm")
def grouped_gemm(lhs: Any, rhs: Any, group_sizes: Any = None, *, existing: Any = None, bias: Any = None, **options: Any) -> Operands:
    """Grouped GEMM: out[g] = alpha . lhs[g] . transpose(rhs[g]) + beta . existing[g] + bias[g], with optional scaling.

    lhs [m, k], rhs [groups, n, k] (`contracting="1/1"`: [groups, k, n]), group_sizes [groups], bias [groups, n].
    `lhs_first_dims`, `rhs_last_dims`, ... set the shape of each group. `scaling="mxfp8"` quantises the operands;
    `lhs_scale_inv=` is for operands that are already quantised. Returns out [m, n].
    """
    if is_array(lhs) and not {"contracting", "kind", "transpose_rhs"} & options.keys():
        options["contracting"] = "1/2"
    return {"lhs": lhs, "rhs": rhs, **sizes(group_sizes), "existing": existing, "bias": bias, **options}


@operation("sharded-gmm", rhs=3)
def sharded_gmm(lhs: Any, rhs: Any, group_sizes: Any, **options: Any) -> Operands:
    """Grouped matmul with the groups distributed over the devices of a ring, which all have the rows; the results are added.

    Per ring: lhs [m, k] and sizes [groups]. Per device: rhs [its groups, k, n]. Each is a list, or an array with a leading
    axis of rings or devices. Returns a list with the result of each device: [m, n], or with `scatter=True` its block of rows.
    """
    return {"lhs": lhs, "rhs": rhs, **sizes(group_sizes), **options}


@operation("ep-gmm", lhs=2, rhs=3)
def ep_gmm(lhs: Any, rhs: Any, group_sizes: Any = None, **options: Any) -> Operands:
    """Expert-parallel grouped matmul: rows are sent to the devices of their groups, and the products are sent back.

    Per device: lhs [m, k], sorted by group; rhs [its groups, k, n]; sizes [groups]. Each is a list, or an array with a
    leading axis of devices. Returns a list with the product [m, n] of each device's rows.
    """
    return {"lhs": lhs, "rhs": rhs, **sizes(group_sizes), **options}


@operation("ring-of-experts", lhs=2, rhs=3)
def ring_of_experts(lhs: Any, rhs: Any, experts: Any, weights: Any, **options: Any) -> Operands:
    """Mixture of experts on rings: gathers the tokens, applies and weights each device's experts, and scatters the sums.

    Per device: lhs [m, k], its tokens; rhs [its groups, k, n]; experts [m, top-k] of i32, the groups of each token; weights
    [m, top-k] of f32. Returns a list with the sums [m, n] of each device's tokens, of f32.
    """
    return {"lhs": lhs, "rhs": rhs, "experts": experts, "weights": weights, **options}


@operation("ag-matmul", lhs=2, rhs=2)
def ag_matmul(lhs: Any, rhs: Any, **options: Any) -> Operands:
    """All-gather matmul: gathers lhs over a ring and multiplies it by each device's columns of rhs.

    Per device: lhs [m, its share of k] (`gather="m"`: [its share of m, k]) and rhs [k, n]. Returns a list of [m, n].
    """
    return {"lhs": lhs, "rhs": rhs, **options}


@operation("matmul-rs", lhs=2, rhs=2)
def matmul_rs(lhs: Any, rhs: Any, **options: Any) -> Operands:
    """Matmul + reduce-scatter: the sum of lhs . transpose(rhs) over a ring, in blocks.

    Per device: lhs [m, its share of k] and rhs [n, its share of k]. Returns a list with the block of rows of each device.
    """
    return {"lhs": lhs, "rhs": rhs, **options}


@operation("all-gather", lhs=2)
def all_gather(lhs: Any, **options: Any) -> Operands:
    """Gathers the rows of a ring on each of its devices. lhs: [m, n] per device. Returns a list of [devices * m, n]."""
    return {"lhs": lhs, **options}


@operation("all-reduce", lhs=2)
def all_reduce(lhs: Any, **options: Any) -> Operands:
    """Computes the sum over a ring on each of its devices. lhs: [m, n] per device. Returns a list of [m, n]."""
    return {"lhs": lhs, **options}


@operation("reduce-scatter", lhs=2)
def reduce_scatter(lhs: Any, **options: Any) -> Operands:
    """Computes the sum over a ring; each device gets its block. lhs: [m, n] per device. Returns a list of blocks."""
    return {"lhs": lhs, **options}


@operation("right-permute", lhs=2)
def right_permute(lhs: Any, **options: Any) -> Operands:
    """Moves each device's rows to the next device of its ring. lhs: [m, n] per device. Returns a list of [m, n]."""
    return {"lhs": lhs, **options}


@operation("ragged-all-to-all", lhs=2)
def ragged_all_to_all(lhs: Any, group_sizes: Any = None, *, existing: Any = None, **options: Any) -> Operands:
    """Every device sends rows to every device; its sizes are the numbers of rows.

    Per device: lhs [m, n]; sizes [devices * slices]; existing [room, n], the contents of the result where no row arrives, by
    default 0. Returns a list of [room, n].
    """
    return {"lhs": lhs, **sizes(group_sizes), "existing": existing, **options}
