"""Runs JAX's own tests of Pallas with every kernel under Tessera, and prints what becomes of them as a table.

    python python/tests/pallas/jax_suite.py JAX/tests/pallas [tpu_ops_test.py ...] [--sample 6] [--keep rows.jsonl]

JAX/tests/pallas is that folder of JAX's repository at the tag of the installed version; `pip install absl-py hypothesis`. A test counts by
the worst of its kernels. `judged.txt` has the refutations that are right, and the refusals that JAX shares. `--keep` names a file that
keeps the rows: tests in it are not run again.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: From the best to the worst.
KINDS = (
    "proved with JAX's numbers",
    "proved, JAX has no numbers",
    "explored",
    "rightly refuted",
    "refused, as by JAX",
    "refused",
    "refuted",
    "other numbers than JAX",
    "crash",
)
GOOD = ("proved with JAX's numbers", "rightly refuted", "refused, as by JAX")
DECIDED = ("proved with JAX's numbers", "proved, JAX has no numbers", "rightly refuted")
#: Tests of other compilers and of parts without kernels.
FOREIGN = ("gpu_*", "mgpu_*", "mosaic_gpu_test.py", "triton_*", "*sparsecore*", "export_back_compat*", "pallas_cost*")
NO_KERNEL = "no kernel"


def judged() -> list[tuple[str, str, str]]:
    """Kind, test and place of each line, with `*` for any text."""
    lines = (line.split("#")[0].strip() for line in (HERE / "jax_suite_judged.txt").read_text(encoding="utf-8").splitlines())
    return [tuple(line.split(maxsplit=2)) for line in lines if line]  # type: ignore[misc]


def kind_of(row: Mapping[str, Any], known: Sequence[tuple[str, str, str]]) -> str:
    """The kind of a test: the worst of its kernels."""
    kinds = [_kind(row["test"], kernel, known) for kernel in row["kernels"]]
    names = ("Cannot interpret", "IndexError", "AttributeError: ''", "Only interpret mode is supported", "CpuCallback error")
    if row.get("inside") or any(name in row["error"] for name in names):
        kinds.append("crash")
    return max(kinds, key=KINDS.index, default=NO_KERNEL)


def _kind(test: str, kernel: Mapping[str, Any], known: Sequence[tuple[str, str, str]]) -> str:
    status = kernel["status"]
    if status == "proved":
        return "proved with JAX's numbers" if kernel["numbers"] == "same" else "proved, JAX has no numbers"
    if status == "mismatch":
        return "other numbers than JAX"
    if status == "explored":
        return status
    text = kernel["reason"] if status == "refused" else " ".join(f"{place} {kind}" for place, kind, _ in kernel["findings"])
    right = any(kind == status and fnmatch.fnmatch(test, f"*{name}") and fnmatch.fnmatch(text, pattern) for kind, name, pattern in known)
    if not right:
        return status
    return "rightly refuted" if status == "refuted" else "refused, as by JAX"


def run(folder: Path, files: Sequence[str], sample: int, rows: Path, limit: float, cores: int, which: str) -> None:
    done = {json.loads(line)["test"].split("::")[0] for line in rows.read_text().splitlines()} if rows.exists() else set()
    for name in files:
        if name in done:
            continue
        path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
        environment = {
            **os.environ,
            "JAX_SUITE_OUT": str(rows.resolve()),
            "JAX_SUITE_SAMPLE": str(sample),
            "JAX_SUITE_LIMIT": str(limit),
            "JAX_SUITE_CORES": str(cores),
            "PYTHONPATH": path,
        }
        found = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "jax_suite_plugin", "-p", "no:cacheprovider", "--tb=no", "-k", which, name],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        print(f"{name}: {found.stdout.strip().splitlines()[-1] if found.stdout.strip() else found.stderr[-300:]}", file=sys.stderr, flush=True)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    known = judged()
    kinds = {row["test"]: kind_of(row, known) for row in rows if row["outcome"] != "skipped"}
    counts = Counter(kinds.values())
    lines = ["| a test's worst kernel | tests |", "|---|---:|", *(f"| {kind} | {counts[kind]} |" for kind in (*KINDS, NO_KERNEL) if counts[kind])]
    good, reached = sum(counts[kind] for kind in GOOD), len(kinds) - counts[NO_KERNEL]
    skipped = sum(row["outcome"] == "skipped" for row in rows)
    lines += ["", f"{len(rows)} tests, {skipped} skip themselves; of {reached} that reach a kernel {good} are decided as they should be."]
    on_mesh = [kinds[row["test"]] for row in rows if row.get("on_mesh") and kinds.get(row["test"], NO_KERNEL) != NO_KERNEL]
    lines += [
        "",
        f"{len(on_mesh)} tests have a kernel on a mesh of cores (`pl.kernel`, `core_map`): {sum(kind in DECIDED for kind in on_mesh)} are decided.",
    ]
    reasons = Counter(
        _reason(kernel) for row in rows for kernel in row["kernels"] if kinds.get(row["test"]) == "refused" and kernel["status"] == "refused"
    )
    lines += ["", "| refused | kernels |", "|---|---:|", *(f"| {reason} | {count} |" for reason, count in reasons.most_common(30))]
    return "\n".join(lines)


def _reason(kernel: Mapping[str, Any]) -> str:
    """The reason without the place, and without what differs between kernels of one kind."""
    return kernel["reason"].split(": ", 1)[-1].split(" of shapes ")[0][:90]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="JAX's tests/pallas")
    options.add_argument("files", nargs="*", help="some of its files; without any all that can reach a kernel of a TensorCore")
    options.add_argument("--sample", type=int, default=6, help="most cases of a parametrised test; 0: all")
    options.add_argument("--limit", type=float, default=15, help="seconds that JAX may take for a comparison")
    options.add_argument("--cores", type=int, default=1, help="cores of a device, which share parallel dimensions: 2 for kernels for a megacore")
    options.add_argument("-k", default="", dest="which", help="which tests, as pytest selects them: `not matmul`")
    options.add_argument("--keep", type=Path, help="file that keeps the rows")
    given = options.parse_args()
    files = given.files or [path.name for path in sorted(given.folder.glob("*_test.py")) if not any(path.match(one) for one in FOREIGN)]
    with tempfile.TemporaryDirectory() as temporary:
        rows = given.keep or Path(temporary) / "rows.jsonl"
        run(given.folder, files, given.sample, rows, given.limit, given.cores, given.which)
        found = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    import jax

    import tessera

    print(f"jax {jax.__version__}, Python {platform.python_version()}, tessera {tessera.__version__}, at most {given.sample} cases of a test\n")
    print(table(found))


if __name__ == "__main__":
    main()
