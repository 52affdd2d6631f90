"""A grouped matmul in Triton: persistent programs, groups found on the device, tensor descriptors for all loads."""

import functools

import torch
import triton
import triton.language as tl
from arm import Arm, fastest
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def band_of(tile, rows, columns, BAND: tl.constexpr):
    """Row and column of a tile when bands of BAND rows are walked column by column."""
    first = tile // (BAND * columns) * BAND
    height = tl.minimum(rows - first, BAND)
    within = tile - first * columns
    return first + within % height, within // height


@triton.jit
def group_of(ends, row_tile, groups, STEPS: tl.constexpr):
    """The first group whose tiles end after row_tile."""
    low = 0
    high = groups - 1
    for _ in tl.static_range(STEPS):
        middle = (low + high) // 2
        is_after = tl.load(ends + middle) > row_tile
        high = tl.where(is_after, middle, high)
        low = tl.where(is_after, low, middle + 1)
    return high


@triton.jit
def gmm_kernel(
    a,
    b,
    c,
    out,
    ends,
    tile_ends,
    groups,
    n,
    k,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    BAND: tl.constexpr,
    STEPS: tl.constexpr,
    PROGRAMS: tl.constexpr,
    NT: tl.constexpr,
):
    columns = tl.cdiv(n, BN)
    row_tiles = tl.load(tile_ends + groups - 1)
    for tile in tl.range(tl.program_id(0), row_tiles * columns, PROGRAMS):
        row_tile, column = band_of(tile, row_tiles, columns, BAND)
        group = group_of(tile_ends, row_tile, groups, STEPS)
        first_tile = tl.load(tile_ends + group - 1, mask=group > 0, other=0)
        begin = tl.load(ends + group - 1, mask=group > 0, other=0)
        end = tl.load(ends + group)
        row = begin + (row_tile - first_tile) * BM
        sums = tl.zeros((BM, BN), tl.float32)
        for at in tl.range(0, k, BK):  # rows past the group's are multiplied and not stored
            left = a.load([row, at])
            if NT:  # noqa: SIM108 (a choice of the compiler)
                right = b.load([group, column * BN, at]).reshape(BN, BK).T
            else:
                right = b.load([group, at, column * BN]).reshape(BK, BN)
            sums = tl.dot(left, right, sums)
        result = sums.to(tl.bfloat16)
        if row + BM <= end:
            c.store([row, column * BN], result)
        else:
            rows = row + tl.arange(0, BM)
            at_n = column * BN + tl.arange(0, BN)
            places = out + rows[:, None].to(tl.int64) * n + at_n[None, :]
            tl.store(places, result, mask=(rows[:, None] < end) & (at_n[None, :] < n))


@triton.jit
def tgmm_kernel(a, b, out, ends, groups, k, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    down = tl.cdiv(k, BM)
    across = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), groups * down * across, PROGRAMS):
        group = tile // (down * across)
        i = tile % down
        j = tile // down % across
        begin = tl.load(ends + group - 1, mask=group > 0, other=0)
        end = tl.load(ends + group)
        whole = begin + (end - begin) // BK * BK
        sums = tl.zeros((BM, BN), tl.float32)
        for row in tl.range(begin, whole, BK):
            sums = tl.dot(a.load([row, i * BM]).T, b.load([row, j * BN]), sums)
        if whole < end:  # both operands: a neighbour's infinity times zero is none
            is_own = (whole + tl.arange(0, BK) < end)[:, None]
            left = tl.where(is_own, a.load([whole, i * BM]), 0.0).to(tl.bfloat16)
            right = tl.where(is_own, b.load([whole, j * BN]), 0.0).to(tl.bfloat16)
            sums = tl.dot(left.T, right, sums)
        rows = i * BM + tl.arange(0, BM)
        columns = j * BN + tl.arange(0, BN)
        places = out + (group.to(tl.int64) * k + rows[:, None]) * n + columns[None, :]
        tl.store(places, sums.to(tl.bfloat16), mask=(rows[:, None] < k) & (columns[None, :] < n))


def gmm_arm(kind, a, b, sizes, ends, bm, bn, stages):
    groups, n, bk = len(sizes), b.shape[1 if kind == "nt" else 2], 64
    out = torch.zeros(a.shape[0], n, dtype=a.dtype, device=a.device)
    programs = torch.cuda.get_device_properties(a.device).multi_processor_count
    left, result = TensorDescriptor.from_tensor(a, [bm, bk]), TensorDescriptor.from_tensor(out, [bm, bn])
    right = TensorDescriptor.from_tensor(b, [1, bn, bk] if kind == "nt" else [1, bk, bn])
    counts = torch.tensor(sizes, dtype=torch.int32, device=a.device)

    def run():
        tile_ends = torch.cumsum((counts + (bm - 1)) // bm, 0, dtype=torch.int32)  # a launch's own work
        gmm_kernel[(programs,)](
            left,
            right,
            result,
            out,
            ends,
            tile_ends,
            groups,
            n,
            a.shape[1],
            BM=bm,
            BN=bn,
            BK=bk,
            BAND=8,
            STEPS=groups.bit_length(),
            PROGRAMS=programs,
            NT=kind == "nt",
            num_warps=8,
            num_stages=stages,
        )
        return out

    return Arm(run, note=f"{bm}x{bn}x{bk}, {stages} stages, with the table of tiles")


def tgmm_arm(a, b, sizes, ends, bm, bn, stages):
    groups, (_, k), n, bk = len(sizes), a.shape, b.shape[1], 64
    out = torch.empty(groups, k, n, dtype=a.dtype, device=a.device)
    programs = torch.cuda.get_device_properties(a.device).multi_processor_count
    left, right = TensorDescriptor.from_tensor(a, [bk, bm]), TensorDescriptor.from_tensor(b, [bk, bn])

    def run():
        tgmm_kernel[(programs,)](left, right, out, ends, groups, k, n, BM=bm, BN=bn, BK=bk, PROGRAMS=programs, num_warps=8, num_stages=stages)
        return out

    return Arm(run, note=f"{bm}x{bn}x{bk}, {stages} stages")


def arms(kind, a, b, sizes, ends):
    make = functools.partial(tgmm_arm, a, b) if kind == "tgmm" else functools.partial(gmm_arm, kind, a, b)
    tiles = [(128, 256, 3), (128, 128, 4), (64, 256, 4), (64, 128, 5)]
    return {"triton": fastest(torch, {str(t): functools.partial(make, sizes, ends, *t) for t in tiles})}
