"""Runs and proves the text of one kernel.

Operands are NumPy arrays (types NumPy lacks: those of ml_dtypes), one for all devices or a list with one for each.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Operand = np.ndarray | Sequence[np.ndarray]


@dataclass(frozen=True)
class Report:
    """What a command answered: its JSON object, its text for people, and of a run the results, one per device."""

    object: dict[str, Any]
    text: str
    exit_code: int
    results: dict[str, list[np.ndarray]]

    @property
    def findings(self) -> list[dict[str, Any]]:
        return self.object.get("findings", [])


def run(text: str, operands: Mapping[str, Operand], results: Mapping[str, np.dtype], *, devices: int = 1,
        options: Sequence[str] = (), name: str = "kernel.tsr") -> Report:
    """Runs the kernel; `results` names the results wanted and their types as NumPy sees them."""
    return _command("run", text, operands, results, devices, options, name)


def verify(text: str, operands: Mapping[str, Operand], *, devices: int = 1, options: Sequence[str] = (),
           name: str = "kernel.tsr") -> Report:
    """Decides all schedules of the kernel for these operands."""
    return _command("verify", text, operands, {}, devices, options, name)


def _stored(array: np.ndarray) -> np.ndarray:
    """With a type that NumPy itself knows: `.npy` files have bf16 and fp8 as raw bytes."""
    array = np.asarray(array)
    return array.view(f"V{array.dtype.itemsize}") if array.dtype.kind == "V" else array


def _command(command: str, text: str, operands: Mapping[str, Operand], results: Mapping[str, np.dtype], devices: int,
             options: Sequence[str], name: str) -> Report:
    program = os.environ.get("TESSERA_GMM_RUN", "gmm-run")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, os.path.basename(name))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        line = [program, command, source, "--devices", str(devices), *options]
        for operand, given in operands.items():
            parts = list(given) if isinstance(given, (list, tuple)) else [given]
            if len(parts) not in (1, devices):
                raise ValueError(f"{operand}: expected one array or {devices}, found {len(parts)}")
            for device, part in enumerate(parts):
                path = os.path.join(folder, f"{operand}.{device}.npy")
                np.save(path, _stored(part))
                where = operand if len(parts) == 1 else f"{operand}@{device}"
                line += ["--in", f"{where}={path}"]
        files = {result: [os.path.join(folder, f"{result}.out{d}.npy") for d in range(devices)] for result in results}
        for result, paths in files.items():
            for device, path in enumerate(paths):
                line += ["--out", f"{result}@{device}={path}"]
        answer = subprocess.run([*line, "--json"], capture_output=True, text=True, check=False)
        try:
            found = json.loads(answer.stdout)
        except json.JSONDecodeError as error:
            raise RuntimeError(f"{command} answered no JSON: {answer.stdout}{answer.stderr}") from error
        wanted = {result: [np.load(path).view(dtype) for path in files[result]]
                  for result, dtype in results.items() if answer.returncode == 0}
        return Report(found, answer.stderr, answer.returncode, wanted)
