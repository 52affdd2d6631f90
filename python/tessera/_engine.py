"""Runs and verifies the text of one kernel.

An operand is one NumPy array for all devices, or a list with one array per device. Types that NumPy does not have come from ml_dtypes.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _tessera
from ._words import Words

Operand = np.ndarray | Sequence[np.ndarray]


@dataclass(frozen=True)
class Report:
    """Result of a command: its JSON object, its report as text, and the results of a run, one array per device."""

    object: dict[str, Any]
    text: str
    exit_code: int
    results: dict[str, list[np.ndarray]]

    @property
    def findings(self) -> list[dict[str, Any]]:
        return self.object.get("findings", [])


def run(
    text: str,
    operands: Mapping[str, Operand],
    results: Mapping[str, np.dtype],
    *,
    devices: int = 1,
    options: Sequence[str] = (),
    name: str = "kernel.tsr",
) -> Report:
    """Runs the kernel. `results`: NumPy type of each requested result, by name."""
    return _command("run", text, operands, results, devices, options, name)


def verify(text: str, operands: Mapping[str, Operand], *, devices: int = 1, options: Sequence[str] = (), name: str = "kernel.tsr") -> Report:
    """Verifies all schedules of the kernel for these operands."""
    return _command("verify", text, operands, {}, devices, options, name)


def pack(text: str, operands: Mapping[str, Sequence[np.ndarray]], to: str, *, options: Sequence[str] = (), name: str = "kernel.tsr") -> Report:
    """Verifies the kernel, and stores it with its operands, one array per device, and its report in the file `to`."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, name)
        with open(program, "w", encoding="utf-8") as file:
            file.write(text)
        words = ["pack", to, "verify", program, *options]
        for operand, parts in operands.items():
            for device, part in enumerate(parts):
                path = os.path.join(folder, f"{operand}_{device}.npy")
                np.save(path, part)
                words.append(f"--in={operand}@{device}={path}")
        code, found, out, err, _ = _tessera.command([*words, "--devices", str(max(map(len, operands.values()), default=1))], {}, {})
    return Report(json.loads(found), err + out, code, {})


def _command(
    command: str, text: str, operands: Mapping[str, Operand], results: Mapping[str, np.dtype], devices: int, options: Sequence[str], name: str
) -> Report:
    words = Words([command, name, "--devices", str(devices), *options], {name: text})
    for operand, given in operands.items():
        parts = list(given) if isinstance(given, list | tuple) else [np.asarray(given)]
        if len(parts) not in (1, devices):
            raise ValueError(f"{operand}: expected one array or {devices}, found {len(parts)}")
        words.operand(operand, parts if len(parts) > 1 else parts[0])
    for result in results:
        words.words += [f"--out={result}@{device}=<{result}@{device}>" for device in range(devices)]
    code, found, out, err, written = _tessera.command(words.words, words.texts, words.arrays)
    wanted = {result: [written[f"<{result}@{device}>"][0].view(dtype) for device in range(devices)] for result, dtype in results.items() if code == 0}
    return Report(json.loads(found), err + out, code, wanted)
