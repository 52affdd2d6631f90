"""Fills in `twins/index.json` what Tessera and JAX's `detect_races` say of each twin: `python label_twins.py [--limit SECONDS] [NAME ...]`.

The labels, the arguments and the options of a pair are written by hand; the lines come from the marks `# MISTAKE`. The pairs of `.tsr`
programs are those of tests/suite, tests/findings and tests/deadlock.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
INDEX = HERE / "twins" / "index.json"
sys.path.insert(0, str(HERE))

import numpy as np  # noqa: E402

import tessera.pallas  # noqa: E402


def built(pair: dict[str, Any], bad: bool) -> tuple[Any, tuple[np.ndarray, ...]]:
    """The function of a twin and its arguments: the values that the index gives, else normal ones."""
    fn = importlib.import_module(pair["module"]).build(bad=bad)
    normal = np.random.default_rng(0)
    return fn, tuple(
        np.array(one["values"], one["dtype"]).reshape(one["shape"]) if "values" in one else normal.standard_normal(one["shape"]).astype(one["dtype"])
        for one in pair["arguments"]
    )


def by_tessera(pair: dict[str, Any], bad: bool, numbers: bool = False) -> dict[str, Any]:
    """The verdict and its findings, each with its line in the twin's file; of calls that stand in another, its own."""
    fn, args = built(pair, bad)
    verdict = tessera.pallas.verify(fn, *args, numbers=numbers, **pair["options"])
    said: dict[str, Any] = {"verdict": verdict.status}
    if verdict.findings:
        said["findings"] = [{"kind": one.kind, "line": int(one.place.rsplit(":", 1)[1])} for one in verdict.findings if not one.consequence]
    return said


def marked(pair: dict[str, Any]) -> int:
    """The line of the mistake."""
    lines = (HERE / pair["file"]).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if "# MISTAKE: " in line]
    assert len(found) == 1, f"{pair['file']} has {len(found)} lines with # MISTAKE"
    return found[0]


def tsr_pairs() -> Iterator[dict[str, Any]]:
    """The pairs of programs; findings are those that the bad one's comments announce, on their lines or as the exact output."""
    for bad in sorted((ROOT / "tests").glob("**/bad_*.tsr")):
        folder = bad.parent.relative_to(ROOT / "tests")
        good = bad.with_name("good_" + bad.name.removeprefix("bad_"))
        if folder.parts[0] not in ("suite", "findings", "deadlock"):
            continue
        lines = bad.read_text(encoding="utf-8").splitlines()
        commands = [line.removeprefix("// RUN: ") for line in lines if line.startswith("// RUN: ")]
        announced = [
            {"kind": kind, "line": number}
            for number, line in enumerate(lines, 1)
            if not line.startswith("//")
            for kind in re.findall(r"// ([a-z_]+): ", line)
        ]
        if not announced:
            places = dict.fromkeys(re.findall(rf"^// {re.escape(bad.name)}:(\d+):\d+: (?!note)([a-z_]+): ", "\n".join(lines), re.M))
            announced = [{"kind": kind, "line": int(number)} for number, kind in places]
        yield {
            "name": f"{folder.as_posix()}/{bad.stem.removeprefix('bad_')}",
            "label": folder.parts[-1],
            "commands": commands,
            "bad": bad.relative_to(ROOT).as_posix(),
            "good": good.relative_to(ROOT).as_posix(),
            "findings": announced,
        }


def dumped(index: dict[str, Any]) -> str:
    """JSON with a line for each pair."""

    def value(one: Any) -> str:
        return "[\n" + ",\n".join("  " + json.dumps(row) for row in one) + "\n ]" if isinstance(one, list) else json.dumps(one)

    return "{\n" + ",\n".join(f" {json.dumps(key)}: {value(one)}" for key, one in index.items()) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=float, default=60)
    given = parser.parse_args()
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    tessera.pallas.host_devices(8)
    from calls import first_call
    from mistakes_table import by_jax
    from tessera.pallas.reference import end_worker, reference

    index = json.loads(INDEX.read_text(encoding="utf-8"))
    for pair in index["pallas"]:
        pair["line"] = marked(pair)
        if given.names and pair["name"] not in given.names:
            continue
        eqn, world, lanes = first_call(*built(pair, bad=False))
        right = reference(eqn, world.shape, [lanes], limit=10 * given.limit)["results"][0]
        end_worker()
        for word in ("bad", "good"):
            jax_says = by_jax(first_call(*built(pair, bad=word == "bad")), right, given.limit)
            pair[word] = {"tessera": by_tessera(pair, word == "bad", numbers=word == "good"), "detect_races": jax_says}
            print(pair["name"], word, pair[word], flush=True)
    index["tsr"] = list(tsr_pairs())
    index["made_with"] = {"jax": importlib.import_module("jax").__version__}
    INDEX.write_text(dumped(index), encoding="utf-8")


if __name__ == "__main__":
    main()
