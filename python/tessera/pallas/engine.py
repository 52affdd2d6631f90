"""A converted kernel on simulated devices: operands bound by name, findings with their places in the Python."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tessera import _engine
from tessera.pallas.convert import Kernel

Lanes = Sequence[Sequence[Any]]  # for each device its inputs, in the order of the call


def operands(kernel: Kernel, lanes: Lanes) -> dict[str, list[np.ndarray]]:
    """The operands as the text declares them, one for each device."""
    return {one.name: [np.asarray(row[one.index]).astype(one.dtype).reshape(one.shape) for row in lanes]
            for one in kernel.operands}


def results(kernel: Kernel, report: _engine.Report) -> list[list[np.ndarray]]:
    """For each device its results, as the call has them."""
    columns = [[array.astype(one.result_dtype).reshape(one.result_shape) for array in report.results[one.name]]
               for one in kernel.results]
    return [list(row) for row in zip(*columns)]


def run(kernel: Kernel, lanes: Lanes, options: Sequence[str]) -> _engine.Report:
    return _engine.run(kernel.text, operands(kernel, lanes), {one.name: one.dtype for one in kernel.results},
                       devices=len(lanes), options=options, name=f"{kernel.name}.tsr")


def verify(kernel: Kernel, lanes: Lanes, options: Sequence[str]) -> _engine.Report:
    return _engine.verify(kernel.text, operands(kernel, lanes), devices=len(lanes), options=options,
                          name=f"{kernel.name}.tsr")


def compared(kernel: Kernel, lanes: Lanes, expected: Lanes, computed_in: str, options: Sequence[str]) -> _engine.Report:
    """Runs the kernel and compares its results with those expected, floats within their running error bound."""
    with tempfile.TemporaryDirectory() as folder:
        line = ["--no-verify", "--expected-in", computed_in, *options]
        for place, one in enumerate(kernel.results):
            for device, row in enumerate(expected):
                path = os.path.join(folder, f"{one.name}.{device}.npy")
                array = np.asarray(row[place]).astype(one.dtype).reshape(one.shape)
                np.save(path, array.view(f"V{array.dtype.itemsize}") if array.dtype.kind == "V" else array)
                line += ["--expect", f"{one.name}@{device}={path}"]
        return _engine.run(kernel.text, operands(kernel, lanes), {}, devices=len(lanes), options=line,
                           name=f"{kernel.name}.tsr")


def stamp() -> str:
    """Tells one build of the engine from another."""
    module = getattr(_engine, "_tessera", None)
    program = module.__file__ if module is not None else shutil.which(os.environ.get("TESSERA_GMM_RUN", "gmm-run"))
    if program is None:
        return "none"
    state = os.stat(program)
    return f"{state.st_size}-{state.st_mtime_ns}"


@dataclass(frozen=True)
class Finding:
    """What is wrong, with its place in the Python: `place` is `kernel.py:49`; notes have places of their own.

    `stack` has the calls that led there, innermost first. `consequence` says that another finding causes it.
    """
    kind: str
    message: str
    place: str
    stack: tuple[tuple[str, int], ...]
    source: str
    notes: tuple[tuple[str, str], ...]
    count: int
    consequence: bool

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterable[str]:
        times = f" (on {self.count} devices)" if self.count > 1 else ""
        yield f"{self.place}: {self.kind}: {self.message}{times}"
        if self.source:
            yield f"    {self.source}"
        yield from (f"    called at {os.path.basename(file)}:{line}" for file, line in self.stack)
        yield from (f"  {place + ': ' if place else ''}note: {text}" for place, text in self.notes)


def findings(kernel: Kernel, report: _engine.Report) -> tuple[Finding, ...]:
    """The findings of a report, causes before consequences."""
    found = [_finding(kernel, one) for one in report.findings if one.get("folded_into") is None]
    return tuple(sorted(found, key=lambda finding: finding.consequence))


def _finding(kernel: Kernel, one: dict[str, Any]) -> Finding:
    file, line, stack = _place(kernel, one)
    notes = tuple((_word(_place(kernel, note)), note["message"]) for note in one.get("notes", []) if not note.get("detail"))
    return Finding(one["kind"], one["message"], _word((file, line, ())), stack, _source(file, line), notes,
                   one.get("count") or 1, one.get("follows_from") is not None)


def _place(kernel: Kernel, one: dict[str, Any]) -> tuple[str, int, tuple[tuple[str, int], ...]]:
    file, line = one.get("file") or "", one.get("line") or 0
    if not file.endswith(".tsr"):  # a line directive told it
        return file, line, tuple((at["file"], at["line"]) for at in one.get("from") or ())
    place = kernel.places.get(line)
    return (place.file, place.line, place.stack) if place else (file, line, ())


def _word(place: tuple[str, int, Any]) -> str:
    return f"{os.path.basename(place[0])}:{place[1]}" if place[0] and place[1] else os.path.basename(place[0])


def _source(file: str, line: int) -> str:
    try:
        with open(file, encoding="utf-8") as text:
            return next((row.strip() for number, row in enumerate(text, 1) if number == line), "")
    except OSError:
        return ""
