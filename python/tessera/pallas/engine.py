"""Runs and verifies a converted kernel on simulated devices. Findings have their places in the Python."""

from __future__ import annotations

import functools
import hashlib
import linecache
import os
import pathlib
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from tessera import _engine, errors
from tessera.pallas import options, words
from tessera.pallas.convert import Kernel, Place

Lanes = Sequence[Sequence[Any]]  # inputs of each device, in the order of the call


def operands(kernel: Kernel, lanes: Lanes) -> dict[str, list[np.ndarray]]:
    """Returns the operands by name, with the declared types and shapes, one per device."""
    return {one.name: [np.asarray(row[one.index]).astype(one.dtype).reshape(one.shape) for row in lanes] for one in kernel.operands}


def results(kernel: Kernel, report: _engine.Report) -> list[list[np.ndarray]]:
    """Returns the results of each device, with the types and shapes of the call's results."""
    columns = [[array.astype(one.result_dtype).reshape(one.result_shape) for array in report.results[one.name]] for one in kernel.results]
    return [list(row) for row in zip(*columns)]


def _on_cores(kernel: Kernel, options: Sequence[str]) -> list[str]:
    return [*options, "--cores", str(kernel.cores)] if kernel.cores > 1 else list(options)


def run(kernel: Kernel, lanes: Lanes, options: Sequence[str]) -> _engine.Report:
    return _engine.run(
        kernel.text,
        operands(kernel, lanes),
        {one.name: one.dtype for one in kernel.results},
        devices=len(lanes),
        options=_on_cores(kernel, options),
        name=f"{kernel.name}.tsr",
    )


def verify(kernel: Kernel, lanes: Lanes, options: Sequence[str]) -> _engine.Report:
    return _engine.verify(kernel.text, operands(kernel, lanes), devices=len(lanes), options=_on_cores(kernel, options), name=f"{kernel.name}.tsr")


def pack(kernel: Kernel, lanes: Lanes, options: Sequence[str], to: str) -> _engine.Report:
    given = operands(kernel, lanes)
    if not given:
        raise errors.BadInput("pack: expected a kernel with operands")
    return _engine.pack(kernel.text, given, to, options=_on_cores(kernel, options), name=f"{kernel.name}.tsr")


def accept(given: Mapping[str, Any]) -> None:
    """Raises TypeError for an unknown option of `verify`, and BadInput for an invalid value. Verifies an empty kernel to check them."""
    options.command_line(given, "verify")
    _accept(
        tuple(
            options.command_line(
                {name: value for name, value in given.items() if name not in options.OF_THE_KERNEL and not str(value).startswith("steps:")}, "verify"
            )
        )
    )


@functools.lru_cache
def _accept(line: tuple[str, ...]) -> None:
    report = _engine.verify("kernel nothing()\n{\n}\n", {}, options=line)
    said = report.object.get("error") or report.text.strip()
    is_unused = any(one.get("kind") == "unused_option" for one in report.object.get("errors", ()))
    if report.object.get("status") == "bad_input" and not is_unused:
        raise errors.BadInput(re.sub(r"--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), said))


def compared(kernel: Kernel, lanes: Lanes, expected: Lanes, computed_in: str, options: Sequence[str]) -> _engine.Report:
    """Runs the kernel and compares its results with expected results. Floats must agree within their running error bound, or as the
    options specify if `computed_in` is empty."""
    with tempfile.TemporaryDirectory() as folder:
        floats = computed_in and any(jax.numpy.issubdtype(one.dtype, np.floating) for one in kernel.results)
        line = ["--no-verify", *(["--expected-in", computed_in] if floats else []), *options]
        for place, one in enumerate(kernel.results):
            for device, row in enumerate(expected):
                path = os.path.join(folder, f"{one.name}.{device}.npy")
                array = np.asarray(row[place]).astype(one.dtype).reshape(one.shape)
                np.save(path, array.view(f"V{array.dtype.itemsize}") if array.dtype.kind == "V" else array)
                line += ["--expect", f"{one.name}@{device}={path}"]
        return _engine.run(
            kernel.text,
            operands(kernel, lanes),
            {one.name: one.dtype for one in kernel.results},
            devices=len(lanes),
            options=_on_cores(kernel, line),
            name=f"{kernel.name}.tsr",
        )


@functools.cache
def _sources() -> str:
    """Returns a hash of this package's sources, on which verdicts depend as well as on the engine."""
    folder = pathlib.Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def version_key() -> str:
    """Returns a text that differs between builds of the engine and between versions of this package."""
    module = getattr(_engine, "_tessera", None)
    program = module.__file__ if module is not None else shutil.which(os.environ.get("TESSERA_GMM_RUN", "gmm-run"))
    if program is None:
        return "none"
    state = os.stat(program)
    return f"{state.st_size}-{state.st_mtime_ns}-{_sources()}"


Call = tuple[str, int, str]  # file, line, function


@dataclass(frozen=True)
class Note:
    """An explanation of a finding, with its place in the Python like a `Finding`, or without one.

    role: for notes on undefined data, `undefined_since` (the memory `buffer` is undefined since this place) or `moved_by` (this
    place copied the data); else empty.
    """

    message: str
    place: str = ""
    at: str = ""
    source: str = ""
    function: str = ""
    stack: tuple[Call, ...] = ()
    role: str = ""
    buffer: str = ""

    def __str__(self) -> str:
        return f"{self.place and self.place + ': '}note: {self.message}{self.at and ', at ' + self.at}"


@dataclass(frozen=True)
class Finding:
    """A defect with its place in the Python.

    place: `kernel.py:49`. at: iterations of loops and grid point, `program_id(0)=1 step=0`.
    stack: calls that led to the place, innermost first, each with file, line and function.
    notes: further explanations; each may have its own place.
    consequence: True if another finding causes this one.
    count: number of similar findings, on `devices` devices.
    file: path of the Python file.
    For undefined data, into: ref of the result to which it is copied; buffer: accessed memory; access: accessed part of it.
    """

    kind: str
    message: str
    place: str
    stack: tuple[Call, ...]
    source: str
    notes: tuple[Note, ...]
    count: int
    consequence: bool
    at: str = ""
    function: str = ""
    devices: int = 1
    into: str = ""
    buffer: str = ""
    access: str = ""
    file: str = ""

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterable[str]:
        times = f" ({alike})" if (alike := _alike(self.count, self.devices)) else ""
        yield f"{self.place}: {self.kind}: {self.message}{times}{self.at and ', at ' + self.at}"
        yield from _where(self.source, self.function, self.stack)
        for note in self.notes:
            yield f"  {note}"
            if (note.place, note.function, note.stack) != (self.place, self.function, self.stack):
                shared = _shared(note.stack, self.stack)
                yield from (f"  {line}" for line in _where(note.source, note.function, note.stack[: len(note.stack) - shared]))


@dataclass(frozen=True)
class Uncovered:
    """A part of a kernel that the sizes of a call do not exercise: its verdict does not cover mistakes there.

    kind: `slot`, `credit`, `branch`, `wrap`, `loop`, `neighbours`, `wait`, `empty` or `remainder`, as in the page on coverage.
    place: `kernel.py:49`, or empty for the whole kernel. source: the source line.
    """

    kind: str
    message: str
    place: str = ""
    source: str = ""

    def __str__(self) -> str:
        return f"not covered: {self.place and self.place + ': '}{self.message}"


def _alike(count: int, devices: int) -> str:
    if count > 1 and devices == count:
        return f"on {devices} devices"
    return "" if count <= 1 else f"{count} alike" if devices <= 1 else f"{count} alike, on {devices} devices"


def _where(source: str, function: str, stack: Sequence[Call]) -> Iterable[str]:
    """Returns the source line and the calls that led to it, each with its function."""
    if source:
        yield f"    {source}"
    for file, line, caller in stack:
        yield f"    {function and f'in {function}, '}called at {os.path.basename(file)}:{line}"
        function = caller


def _shared(stack: Sequence[Call], other: Sequence[Call]) -> int:
    """Returns the number of outermost calls that two stacks share."""
    alike = 0
    while alike < min(len(stack), len(other)) and stack[-1 - alike] == other[-1 - alike]:
        alike += 1
    return alike


def findings(kernel: Kernel, report: _engine.Report) -> tuple[Finding, ...]:
    """Returns the findings of a report, causes before consequences."""
    found = [_finding(kernel, one) for one in report.findings if one.get("folded_into") is None]
    return tuple(sorted(found, key=lambda finding: finding.consequence))


def uncovered(kernel: Kernel, report: _engine.Report) -> tuple[Uncovered, ...]:
    """Returns the parts that the sizes of this call do not exercise, in the order of their kinds."""
    found = []
    for one in report.object.get("coverage", []):
        place = _place(kernel, one) if one["line"] else Place("", 0)
        message = re.sub(r"(?<=^the loop over )\w+", lambda name: kernel.loops.get(name[0], name[0]), words.renamed(kernel, one["message"]))
        found.append(Uncovered(one["kind"], message, str(place) if place.line else "", _source(place)))
    branches = [Uncovered("branch", "this branch is never taken", str(place), _source(place)) for place in kernel.left_out]
    # In the order of their kinds, like the report.
    before = [one for one in found if one.kind in ("slot", "credit", "branch")]
    return tuple(dict.fromkeys([*before, *branches, *found]))


def unused(kernel: Kernel, report: _engine.Report) -> tuple[str, ...]:
    """Returns notes on the kernel's stores that nothing read, with their source lines.

    Copies of blocks are excluded: their place is the `pallas_call`.
    """
    call = str(kernel.places[min(kernel.places)]) if kernel.places else ""  # place of the first declaration
    found = []
    for one in report.object.get("notes", []):
        note = _note(kernel, one)
        if one.get("kind") == "dead_store" and note.place and note.source and note.place != call:
            found += [str(note), f"    {note.source}"]
    return tuple(found)


def restored(kept: dict[str, Any]) -> Finding:
    """Rebuilds a finding from the JSON of its `dataclasses.asdict`."""

    def calls(stack: Sequence[Sequence[Any]]) -> tuple[Call, ...]:
        return tuple((file, line, name) for file, line, name in stack)

    notes = tuple(Note(**{**note, "stack": calls(note["stack"])}) for note in kept["notes"])
    return Finding(**{**kept, "stack": calls(kept["stack"]), "notes": notes})


def _finding(kernel: Kernel, one: dict[str, Any]) -> Finding:
    place = _place(kernel, one)
    notes = _counted([_note(kernel, note) for note in one.get("notes", []) if not note.get("detail")])
    witness = one.get("witness") or {}
    if witness.get("shown") and witness.get("outcome"):
        notes.append(Note("both orders were run: " + words.renamed(kernel, witness["outcome"])))
    message = words.said(kernel, one)
    notes += [Note(text) for text in words.explained(kernel, [message, *(note.message for note in notes)])]
    access = one.get("access") or {}
    return Finding(
        one["kind"],
        message,
        str(place),
        place.stack,
        _source(place),
        tuple(notes),
        one.get("count") or 1,
        one.get("follows_from") is not None,
        _turns(kernel, one),
        place.function,
        len(one.get("devices") or ()),
        words.undefined_result(kernel, one),
        words.renamed(kernel, access.get("buffer", "")),
        words.renamed(kernel, access.get("slice", "")),
        place.file,
    )


def _note(kernel: Kernel, one: dict[str, Any]) -> Note:
    place = _place(kernel, one)
    return Note(
        words.renamed(kernel, one["message"]),
        str(place),
        _turns(kernel, one),
        _source(place),
        place.function,
        place.stack,
        one.get("role", ""),
        words.renamed(kernel, one.get("buffer") or ""),
    )


def _counted(notes: Sequence[Note]) -> list[Note]:
    """Merges equal notes and adds their number. A Python loop that JAX has unrolled has equal notes."""
    times = Counter(notes)
    return [note if times[note] == 1 else replace(note, message=f"{note.message} ({times[note]} times)") for note in dict.fromkeys(notes)]


def _place(kernel: Kernel, one: dict[str, Any]) -> Place:
    file, line = one.get("file") or "", one.get("line") or 0
    if not file.endswith(".tsr"):  # from a line directive
        return Place(file, line, tuple((at["file"], at["line"], "") for at in one.get("from") or ()))
    return kernel.places.get(line) or Place(os.path.basename(file), line)


def _turns(kernel: Kernel, one: dict[str, Any]) -> str:
    """Returns the iterations of the Python's loops and the grid point: `program_id(0)=1 step=0`."""
    return " ".join(f"{kernel.loops[loop['name']]}={loop['value']}" for loop in one.get("loops") or () if loop["name"] in kernel.loops)


def _source(place: Place) -> str:
    return linecache.getline(place.file, place.line).strip() if place.line else ""
