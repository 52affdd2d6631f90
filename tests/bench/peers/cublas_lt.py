"""cuBLASLt in a loop over the groups, each product by the algorithm that its heuristic puts first; by ctypes."""

import ctypes
import functools

import torch
from arm import Arm

BF16, F32, COMPUTE_F32 = 14, 0, 68  # CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F
TRANSA, TRANSB, WORKSPACE = 3, 4, 1  # CUBLASLT_MATMUL_DESC_*, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
WORKSPACE_BYTES = 32 << 20


class Heuristic(ctypes.Structure):  # cublasLtMatmulHeuristicResult_t
    _fields_ = [
        ("algorithm", ctypes.c_uint64 * 8),
        ("workspace", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    ]


@functools.cache
def library():
    for name in ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"):
        try:
            return ctypes.CDLL(name)
        except OSError as missing:
            problem = missing
    raise ImportError(str(problem))


def call(name, *arguments):
    if status := getattr(library(), name)(*arguments):
        raise RuntimeError(f"{name} returned {status}")


@functools.cache
def handle():
    made = ctypes.c_void_p()
    call("cublasLtCreate", ctypes.byref(made))
    return made


def layout(rows, columns, leading):
    made = ctypes.c_void_p()
    call("cublasLtMatrixLayoutCreate", ctypes.byref(made), BF16, ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(leading))
    return made


def operation(op_a, op_b):
    made = ctypes.c_void_p()
    call("cublasLtMatmulDescCreate", ctypes.byref(made), COMPUTE_F32, F32)
    for attribute, value in ((TRANSA, op_a), (TRANSB, op_b)):
        call("cublasLtMatmulDescSetAttribute", made, attribute, ctypes.byref(ctypes.c_int32(value)), ctypes.c_size_t(4))
    return made


class Product:
    """One shape of a product in cuBLAS's column-major terms; its algorithm is asked for once."""

    def __init__(self, op_a, op_b, m, n, k, lda, ldb, ldc):
        self.operation = operation(op_a, op_b)
        self.a = layout(k if op_a else m, m if op_a else k, lda)
        self.b = layout(n if op_b else k, k if op_b else n, ldb)
        self.c = layout(m, n, ldc)
        preference, found, chosen = ctypes.c_void_p(), ctypes.c_int(), Heuristic()
        call("cublasLtMatmulPreferenceCreate", ctypes.byref(preference))
        call("cublasLtMatmulPreferenceSetAttribute", preference, WORKSPACE, ctypes.byref(ctypes.c_uint64(WORKSPACE_BYTES)), ctypes.c_size_t(8))
        call(
            "cublasLtMatmulAlgoGetHeuristic",
            handle(),
            self.operation,
            self.a,
            self.b,
            self.c,
            self.c,
            preference,
            1,
            ctypes.byref(chosen),
            ctypes.byref(found),
        )
        call("cublasLtMatmulPreferenceDestroy", preference)
        if found.value == 0 or chosen.state:
            raise RuntimeError(f"cuBLASLt has no algorithm for m {m}, n {n}, k {k}")
        self.algorithm = chosen

    def enqueue(self, a, b, c, workspace, stream):
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        pointer = ctypes.c_void_p
        call(
            "cublasLtMatmul",
            handle(),
            self.operation,
            ctypes.byref(one),
            pointer(a),
            self.a,
            pointer(b),
            self.b,
            ctypes.byref(zero),
            pointer(c),
            self.c,
            pointer(c),
            self.c,
            ctypes.byref(self.algorithm),
            pointer(workspace),
            ctypes.c_size_t(WORKSPACE_BYTES),
            pointer(stream),
        )


def arms(kind, a, b, sizes, _):
    """A row-major product is its transpose to cuBLAS: the right operand comes first."""
    k, n = a.shape[1], b.shape[1] if kind != "nn" else b.shape[2]
    shape = (len(sizes), k, n) if kind == "tgmm" else (a.shape[0], n)
    out = torch.zeros(*shape, dtype=a.dtype, device=a.device)
    workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device=a.device)
    product = functools.cache(Product)
    products, row = [], 0
    for group, size in enumerate(sizes):
        left = a.data_ptr() + 2 * row * k
        if size and kind == "tgmm":
            products.append((product(0, 1, n, k, size, n, k, n), b.data_ptr() + 2 * row * n, left, out.data_ptr() + 2 * group * k * n))
        elif size:
            transposed = kind == "nt"
            products.append(
                (
                    product(int(transposed), 0, n, size, k, k if transposed else n, k, n),
                    b.data_ptr() + 2 * group * k * n,
                    left,
                    out.data_ptr() + 2 * row * n,
                )
            )
        row += size

    def run():
        stream = torch.cuda.current_stream().cuda_stream
        for made, right, left, result in products:
            made.enqueue(right, left, result, workspace.data_ptr(), stream)
        return out

    run.operands = (a, b, workspace)  # addresses keep nothing alive
    return {"cublaslt_loop": Arm(run, note="the heuristic's first algorithm for each size")}
