"""Kernels for grouped and collective matrix multiplication, run and verified on simulated devices.

    kernel = tessera.load("kernel.tsr")        # or a program text, or the name of a kernel in the library
    out = kernel(a, b, tm=256)                 # runs it with all checks; sizes are derived from the arrays
    assert kernel.verify(a, b, devices=8)      # verifies all schedules
    y = tessera.gmm(lhs, rhs, group_sizes)     # the operations as functions

See docs/reference/python.md.
"""

from . import _distribution  # noqa: F401  fails if another project's package is mixed with this one
from ._arrays import dtype_name, numpy_dtype
from ._comparison import Comparison, diff, equal
from ._kernel import Kernel, load
from ._pack import Pack, open_pack
from ._reports import Finding, Place, Proof, Report, Timing
from .debug import Session
from .errors import BadInput, EnvironmentFailure, Error, FindingError, Unsupported
from .operations import (
    ag_matmul,
    all_gather,
    all_reduce,
    ep_gmm,
    gmm,
    grouped_gemm,
    matmul_rs,
    ragged_all_to_all,
    ragged_dot,
    reduce_scatter,
    right_permute,
    ring_of_experts,
    sharded_gmm,
    tgmm,
)

__version__ = "0.1.0"
__all__ = [
    "BadInput",
    "Comparison",
    "EnvironmentFailure",
    "Error",
    "Finding",
    "FindingError",
    "Kernel",
    "Pack",
    "Place",
    "Proof",
    "Report",
    "Session",
    "Timing",
    "Unsupported",
    "ag_matmul",
    "all_gather",
    "all_reduce",
    "diff",
    "dtype_name",
    "ep_gmm",
    "equal",
    "gmm",
    "grouped_gemm",
    "load",
    "matmul_rs",
    "numpy_dtype",
    "open_pack",
    "ragged_all_to_all",
    "ragged_dot",
    "reduce_scatter",
    "right_permute",
    "ring_of_experts",
    "sharded_gmm",
    "tgmm",
]
