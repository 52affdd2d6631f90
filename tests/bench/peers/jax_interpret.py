#!/usr/bin/env python3
"""Times JAX's TPU interpret mode on the grouped matmul beside ours, on the same shapes, one after the other.

    tests/bench/peers/jax_interpret.py [--size 512] [--dtype f32] [--repeat 3] [--detect-races]

Needs jax (any version with jax.experimental.pallas.ops.tpu.megablox and pltpu.InterpretParams); without it the script
says so and ends with status 3. Prints one JSON object: seconds and seconds per grid step of both, and their ratio.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

SIZES = (0, 100, 37, 129, 1, 64, 117, 64)  # of 512 rows; scaled to m


def group_sizes(m):
    sizes = [s * m // 512 for s in SIZES]
    sizes[-1] += m - sum(sizes)
    return sizes


def grid_steps(m, k, n, tile, sizes):
    visits, start = 0, 0
    for size in sizes:
        if size:
            visits += (start + size + tile - 1) // tile - start // tile
        start += size
    return visits * ((k + tile - 1) // tile) * ((n + tile - 1) // tile)


def time_jax(m, k, n, tile, sizes, dtype, repeat, detect_races):
    try:
        import jax
        import jax.numpy as jnp
        import numpy as np
        from jax.experimental.pallas import tpu as pltpu
        from jax.experimental.pallas.ops.tpu.megablox import gmm as megablox
    except ImportError as reason:
        print(f"jax_interpret.py: {reason}", file=sys.stderr)
        sys.exit(3)
    gmm = getattr(megablox, "gmm", megablox)
    rng = np.random.default_rng(0)
    kind = {"f32": jnp.float32, "bf16": jnp.bfloat16}[dtype]
    lhs = jnp.asarray(rng.standard_normal((m, k)), kind)
    rhs = jnp.asarray(rng.standard_normal((len(sizes), k, n)), kind)
    counts = jnp.asarray(sizes, jnp.int32)

    def once():
        with pltpu.force_tpu_interpret_mode(pltpu.InterpretParams(detect_races=detect_races)):
            return jax.block_until_ready(gmm(lhs, rhs, counts, jnp.float32, (tile, tile, tile)))

    once()  # tracing and compilation are not timed
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        once()
        best = min(best, time.perf_counter() - start)
    return best, jax.__version__


def time_ours(m, k, n, tile, sizes, dtype, repeat):
    root = pathlib.Path(__file__).resolve().parents[3]
    best = float("inf")
    for _ in range(repeat):
        command = [
            str(root / "gmm-run"),
            "gmm",
            "--interpret",
            "--json",
            "--check",
            "none",
            "--m",
            str(m),
            "--k",
            str(k),
            "--n",
            str(n),
            "--group-sizes",
            ",".join(map(str, sizes)),
            "--dtype",
            dtype,
            "--tiling",
            f"{tile},{tile},{tile}",
        ]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        best = min(best, json.loads(done.stdout)["wall_seconds"])
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512, help="m = k = n")
    parser.add_argument("--tile", type=int, default=128)
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--detect-races", action="store_true")
    options = parser.parse_args()
    m = k = n = options.size
    sizes = group_sizes(m)
    steps = grid_steps(m, k, n, options.tile, sizes)
    theirs, version = time_jax(m, k, n, options.tile, sizes, options.dtype, options.repeat, options.detect_races)
    ours = time_ours(m, k, n, options.tile, sizes, options.dtype, options.repeat)
    print(
        json.dumps(
            {
                "jax": version,
                "size": options.size,
                "dtype": options.dtype,
                "grid_steps": steps,
                "jax_seconds": theirs,
                "jax_ms_per_step": 1e3 * theirs / steps,
                "our_seconds": ours,
                "our_ms_per_step": 1e3 * ours / steps,
                "times_as_fast": theirs / ours,
            }
        )
    )


if __name__ == "__main__":
    main()
