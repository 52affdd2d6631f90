#!/usr/bin/env python3
"""The moe suite in other frameworks: their grouped matmuls beside loops and a dense product, in turn.

    python3 tests/bench/peers/moe_frameworks.py --filter 'S(4|8|10)$' --rounds 20 --json peers.json
    python3 tests/bench/peers/moe_frameworks.py --list        # which peers are here, and why others are not

Every arm is checked against a product in f32 on some rows before it is timed. Times are those of CUDA events after
the L2 cache was overwritten, arms in turn and backwards every other round; rows are counted as they are, without
padding. `gmm-run bench --suite moe` measures Tessera and cuBLAS in the same way; both have the dense product, by whose
time ratios of different runs compare. A peer that is not importable, or refuses a shape, is skipped with its reason.
"""

import argparse
import importlib
import json
import os
import re
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
sys.dont_write_bytecode = True

from arm import Arm, Skipped  # noqa: E402 (no bytecode of it)

PEERS = {  # module, or None for this one: its arms
    "torch": (None, ["torch_grouped", "torch_loop", "torch_dense"]),
    "cublas_lt": ("cublas_lt", ["cublaslt_loop"]),
    "triton": ("triton_grouped", ["triton"]),
    "jax": ("jax_pallas", ["jax_mosaic_gpu", "jax_pallas_triton", "jax_xla"]),
}
DENSE = "torch_dense"
MASK = (1 << 64) - 1
SHAPES = {  # id: kind, groups, rows, k, n, distribution
    "S1": ("gmm", 8, 65536, 4096, 28672, "jitter"),
    "S2": ("gmm", 8, 65536, 14336, 4096, "jitter"),
    "S3": ("tgmm", 8, 65536, 4096, 28672, "jitter"),
    "S4": ("gmm", 256, 131072, 7168, 4096, "multinomial"),
    "S5": ("gmm", 256, 131072, 2048, 7168, "zipf:1.0"),
    "S6": ("gmm_t", 256, 131072, 4096, 7168, "multinomial"),
    "S7": ("tgmm", 256, 131072, 7168, 4096, "multinomial"),
    "S8": ("gmm", 8, 65536, 7168, 4096, "jitter"),
    "S9": ("tgmm", 8, 65536, 2048, 7168, "jitter"),
    "S10": ("gmm", 128, 262144, 2048, 1536, "multinomial"),
    "S11": ("gmm", 128, 262144, 768, 2048, "zipf:1.0"),
    "S12": ("tgmm", 128, 262144, 2048, 1536, "zipf:1.0"),
    "S13": ("gmm", 128, 65536, 4096, 3072, "zipf:1.2"),
    "S14": ("tgmm", 128, 65536, 1536, 4096, "empty:25"),
    "S15": ("gmm", 128, 65536, 2880, 5760, "multinomial"),
    "S16": ("gmm", 32, 16384, 2880, 2880, "zipf:1.0"),
    "S17": ("gmm", 384, 65536, 7168, 4096, "multinomial"),
    "S18": ("gmm", 48, 32768, 2048, 7168, "empty:50"),
    "S19": ("gmm", 16, 32768, 5120, 16384, "jitter"),
    "S20": ("gmm", 160, 131072, 5120, 3072, "multinomial"),
    "S21": ("gmm", 256, 262144, 6144, 4096, "uniform"),
    "S22": ("gmm", 512, 524288, 4096, 2048, "uniform"),
    "S23": ("gmm", 8, 4096, 4096, 4096, "onehot"),
    "S24": ("gmm", 256, 4096, 7168, 4096, "multinomial"),
    "S25": ("gmm", 128, 1024, 4096, 3072, "zipf:1.0"),
}


class Stream:  # splitmix64
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def unit(self):
        return (self.next() >> 11) * 2.0**-53

    def permute(self, values):
        for i in range(len(values) - 1, 0, -1):
            j = self.next() % (i + 1)
            values[i], values[j] = values[j], values[i]


def apportion(weights, total):
    whole = 0.0
    for w in weights:
        whole += w
    quotas = [w * total / whole for w in weights]
    sizes = [int(q) for q in quotas]
    order = sorted(range(len(weights)), key=lambda i: (-(quotas[i] - sizes[i]), i))
    for i in order[: total - sum(sizes)]:
        sizes[i] += 1
    return sizes


def group_sizes(shape_id):
    _, groups, rows, _, _, distribution = SHAPES[shape_id]
    stream = Stream(0xC0FFEE + int(shape_id[1:]))
    word, _, number = distribution.partition(":")
    if word == "uniform":
        return apportion([1.0] * groups, rows)
    if word == "jitter":
        return apportion([0.7 + 0.6 * stream.unit() for _ in range(groups)], rows)
    if word == "multinomial":
        sizes = [0] * groups
        for _ in range(rows):
            sizes[stream.next() % groups] += 1
        return sizes
    if word == "zipf":
        sizes = apportion([1.0 / (i + 1) ** float(number) for i in range(groups)], rows)
        stream.permute(sizes)
        return sizes
    if word == "onehot":
        return [rows if g == groups // 2 else 0 for g in range(groups)]
    empty = int(groups * float(number) / 100 + 0.5)
    weights = [0.0] * empty + [0.7 + 0.6 * stream.unit() for _ in range(groups - empty)]
    stream.permute(weights)
    return apportion(weights, rows)


def torch_arms(torch, kind, a, b, sizes, offsets):
    """Name to a function that returns the result."""
    bounds = [0]
    for size in sizes:
        bounds.append(bounds[-1] + size)
    groups = range(len(sizes))
    if kind == "tgmm":
        rows = a.shape[0] // len(sizes) // 8 * 8
        dense_a = a[: rows * len(sizes)].view(len(sizes), rows, -1)
        dense_b = b[: rows * len(sizes)].view(len(sizes), rows, -1)

        def loop(out=torch.zeros(len(sizes), a.shape[1], b.shape[1], dtype=a.dtype, device=a.device)):
            for g in groups:
                if sizes[g]:
                    torch.mm(a[bounds[g] : bounds[g + 1]].t(), b[bounds[g] : bounds[g + 1]], out=out[g])
            return out

        return {
            "torch_grouped": lambda: torch._grouped_mm(a.t(), b, offs=offsets),
            "torch_loop": loop,
            "torch_dense": lambda: torch.bmm(dense_a.transpose(1, 2), dense_b),
        }
    right = b.transpose(-2, -1) if kind == "nt" else b  # [G, K, N], by stride

    def loop(out=torch.zeros(a.shape[0], right.shape[2], dtype=a.dtype, device=a.device)):
        for g in groups:
            if sizes[g]:
                torch.mm(a[bounds[g] : bounds[g + 1]], right[g], out=out[bounds[g] : bounds[g + 1]])
        return out

    return {
        "torch_grouped": lambda: torch._grouped_mm(a, right, offs=offsets),
        "torch_loop": loop,
        "torch_dense": lambda: torch.mm(a, right[0]),
    }


def wrong(torch, kind, out, a, b, sizes):
    """The largest error of some groups' first and last rows over the sum of magnitudes, in units of 2^-8."""
    worst, first = 0.0, 0
    filled = [g for g, s in enumerate(sizes) if s]
    chosen = {filled[0], filled[len(filled) // 2], filled[-1]}
    for g, size in enumerate(sizes):
        if g in chosen:
            left, rows = a[first : first + size].float(), b[g].float() if kind != "tgmm" else b[first : first + size].float()
            if kind == "tgmm":
                left, result = left.t()[:16], out[g][:16].float()
            else:
                rows = rows.t() if kind == "nt" else rows
                pick = [0, size - 1]
                left, result = left[pick], out[first : first + size][pick].float()
            bound = (left.abs() @ rows.abs()) * 2.0**-8 + 1e-30
            worst = max(worst, float(((result - left @ rows).abs() / bound).max()))
        first += size
    return worst


def seconds_of(torch, arm, flush):
    flush.fill_(1)
    if arm.own_stream:  # else it would run while the cache is overwritten
        torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    arm.run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def measure(torch, arms, rounds, flush):
    seconds = {name: [] for name in arms}
    for arm in arms.values():
        for _ in range(3):
            arm.run()
    for r in range(rounds):
        for name in list(arms) if r % 2 == 0 else list(reversed(arms)):
            seconds[name].append(seconds_of(torch, arms[name], flush))
    return {name: summary(s, seconds[DENSE]) | {"note": arms[name].note} for name, s in seconds.items()}


def summary(seconds, dense):
    """over_dense: the median of the rounds' own ratios."""
    tenths = statistics.quantiles(seconds, n=10, method="inclusive") if len(seconds) > 1 else seconds * 9
    return {
        "min": min(seconds),
        "p10": tenths[0],
        "median": statistics.median(seconds),
        "p90": tenths[8],
        "max": max(seconds),
        "over_dense": statistics.median(s / d for s, d in zip(seconds, dense)),
    }


def here(module):
    """The peer's module, or why it is skipped."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        return Skipped(str(missing))


def all_arms(torch, peers, kind, a, b, sizes, offsets):
    """Name to an arm or to Skipped; dense first."""
    arms = {name: Arm(run) for name, run in torch_arms(torch, kind, a, b, sizes, offsets).items()}
    arms = {DENSE: arms.pop(DENSE)} | arms
    for peer, module in peers.items():
        names = PEERS[peer][1]
        if isinstance(module, Skipped):
            arms |= dict.fromkeys(names, module)
            continue
        try:
            arms |= module.arms(kind, a, b, sizes, offsets)
        except Exception as problem:  # of any framework, of any type
            arms |= dict.fromkeys(names, Skipped(reason_of(problem)))
    return arms


def reason_of(problem):
    return f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"


def checked(torch, kind, arms, a, b, sizes):
    """The error of every arm but the dense one; what fails becomes Skipped."""
    checks = {}
    for name, arm in arms.items():
        if name == DENSE or isinstance(arm, Skipped):
            continue
        try:
            checks[name] = wrong(torch, kind, arm.run(), a, b, sizes)
        except Exception as problem:
            arms[name] = Skipped(reason_of(problem))
            continue
        if not checks[name] <= 1:
            arms[name] = Skipped(f"wrong by {checks[name]:.3g} of its bound")
    return checks


def warm_up(torch, seconds=2):
    side = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(10):
            side @ side
        torch.cuda.synchronize()


def run_row(torch, peers, shape_id, layout, rounds, flush):
    _, groups, m, k, n, _ = SHAPES[shape_id]
    sizes = group_sizes(shape_id)
    offsets = torch.cumsum(torch.tensor(sizes), 0).to(torch.int32).cuda()
    torch.manual_seed(int(shape_id[1:]))
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    shape = (m, n) if layout == "tgmm" else (groups, n, k) if layout == "nt" else (groups, k, n)
    b = torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
    arms = all_arms(torch, peers, layout, a, b, sizes, offsets)
    checks = checked(torch, layout, arms, a, b, sizes)
    times = measure(torch, {name: arm for name, arm in arms.items() if isinstance(arm, Arm)}, rounds, flush)
    return {
        "name": f"{shape_id}_{'tn' if layout == 'tgmm' else layout}",
        "flops": 2 * m * k * n,
        "peers": times,
        "skipped": {name: arm.reason for name, arm in arms.items() if isinstance(arm, Skipped)},
        "check_over_bound": checks,
    }


def print_row(row):
    print(row["name"])
    for arm, t in sorted(row["peers"].items(), key=lambda item: item[1]["median"]):
        print(f"  {arm:<18} {t['median'] * 1e3:9.3f} ms {row['flops'] / t['median'] * 1e-12:6.0f} TF {t['over_dense']:6.3f} of dense  {t['note']}")
    for arm, reason in row["skipped"].items():
        print(f"  {arm:<18} skipped: {reason}")
    sys.stdout.flush()


def list_peers():
    for peer, (module, names) in PEERS.items():
        found = here(module or "torch")
        print(f"{peer}: {', '.join(names)}: {'skipped: ' + found.reason if isinstance(found, Skipped) else 'here'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="regular expression on the shapes' ids")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", default="", help="a file")
    parser.add_argument("--peers", default=",".join(PEERS), help="which of them; default all")
    parser.add_argument("--list", action="store_true", help="print the peers and stop: needs no GPU")
    parser.add_argument("--sizes", action="store_true", help="print the group sizes and stop: needs no GPU")
    options = parser.parse_args()
    ids = [i for i in SHAPES if re.search(options.filter, i)]
    asked = options.peers.split(",")
    if unknown := [peer for peer in asked if peer not in PEERS]:
        parser.error(f"there is no peer {unknown[0]}; there are {', '.join(PEERS)}")
    if options.list:
        list_peers()
        return 0
    if options.sizes:
        print(json.dumps({i: group_sizes(i) for i in ids}))
        return 0
    try:
        import torch
    except ImportError as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("error: torch finds no GPU", file=sys.stderr)
        return 3
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    peers = {peer: here(PEERS[peer][0]) for peer in asked if PEERS[peer][0]}
    warm_up(torch)
    rows = []
    for shape_id in ids:
        for layout in ["tgmm"] if SHAPES[shape_id][0] == "tgmm" else ["nn", "nt"]:
            try:
                rows.append(run_row(torch, peers, shape_id, layout, options.rounds, flush))
            except torch.cuda.OutOfMemoryError as problem:
                print(f"{shape_id}_{layout}: skipped: {reason_of(problem)}", flush=True)
                continue
            finally:
                torch.cuda.empty_cache()
            print_row(rows[-1])
    if options.json:
        machine = {
            "machine": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "peers": {p: m.reason if isinstance(m, Skipped) else "here" for p, m in peers.items()},
        }
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(machine | {"rows": rows}, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
