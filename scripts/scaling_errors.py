#!/usr/bin/env python3
"""Errors of the grouped GEMM per scaling mode and kind of data, as a table.

  scripts/scaling_errors.py [path of gmm-run]

`of the bound`: largest error relative to the f64 reference of the quantised operands, as a share of the a-priori
bound. `against unquantised`: largest error relative to the f64 product of the operands before quantisation, divided
by the largest element of that product.
"""

import json
import os
import subprocess
import sys
import tempfile

RUN = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/gmm-run"
CALL = ["grouped-gemm", "--group-sizes", "96,0,160,64", "--k", "256", "--n", "96", "--dtype", "f32", "--no-verify", "--interpret"]
DATA = {"normal": ["--fill", "normal"], "outliers": ["--fill", "normal", "--outliers", "97"], "integers": ["--fill", "integers"]}
MODES = ["none", "current", "delayed", "mxfp8"]


def run(arguments, out):
    done = subprocess.run([RUN, *arguments, "--out", out, "--json"], capture_output=True, text=True)
    result = json.loads(done.stdout)
    if result["status"] != "ok":
        sys.exit(f"{' '.join(arguments)}: {result['status']}")
    return result


def values(path):
    """The f32 elements of an .npy file."""
    import array

    with open(path, "rb") as file:
        content = file.read()
    header = 10 + int.from_bytes(content[8:10], "little")
    result = array.array("f")
    result.frombytes(content[header:])
    return result


def main():
    print(f"{'scaling':10}{'elements':12}{'data':11}{'of the bound':>14}{'against unquantised':>21}")
    with tempfile.TemporaryDirectory() as folder:
        exact, found = os.path.join(folder, "exact.npy"), os.path.join(folder, "found.npy")
        for data, fill in DATA.items():
            reference = [word for word in CALL if word not in ("--no-verify", "--interpret")]
            run([*reference, *fill, "--device", "reference"], exact)
            right = values(exact)
            largest = max(abs(value) for value in right)
            for mode in MODES:
                for rhs in ["e4m3", "e5m2"] if mode != "none" else [""]:
                    scaled = ["--scaling", mode, "--rhs-quantised", rhs] if rhs else []
                    result = run([*CALL, *fill, *scaled], found)
                    error = max(abs(a - b) for a, b in zip(values(found), right))
                    elements = f"e4m3 . {rhs}" if rhs else "f32"
                    print(f"{mode:10}{elements:12}{data:11}{result['max_error_over_bound']:14.4f}{error / largest:21.2e}")


if __name__ == "__main__":
    main()
