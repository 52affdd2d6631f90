"""Kernels that are loaded from `.tsr` programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _arrays, _tessera
from ._call import asked
from ._reports import Proof, Report, Timing
from ._words import Words, options_of, refuse_unknown, text_of
from .debug import Session
from .errors import BadInput, EnvironmentFailure

__all__ = ["Kernel", "load"]


class Kernel:
    """A kernel that can be run, verified, timed and debugged.

    Every method accepts the following arguments:

    - operands, in the order of the text or by name;
    - parameters of the kernel, by name (`tm=256`, `T="bf16"`). Sizes and types that follow from the arrays can be omitted;
    - options of the command with the name of the method (`devices=8`, `schedule="random:1"`, `profile="v5e"`);
      `kernel.options("run")` lists them.

    If the kernel and the command both have an argument name, it is the kernel's. `set={...}` (parameters), `in_={...}`
    (operands) and `options={...}` are explicit.

    An operand is one array for all devices, a list with one array per device, or an array whose first axis is the device.
    Arrays are from NumPy (with ml_dtypes), JAX or PyTorch. Numbers are a small operand, and a string is a file name. An
    operand that is not given is generated (`fill`, `seed`).
    """

    def __init__(self, source: str, text: str, head: Mapping[str, Any]) -> None:
        self._source = source
        self._text = text
        self._head = head
        self.name: str = head["name"]
        operands = head["operands"]
        self.__doc__ = "\n".join([*([head["doc"], ""] if head["doc"] else []), *map(_declared, operands)])
        self._extents: dict[str, list[str]] = {o["name"]: o["extents"] for o in operands}
        # An operand may be declared twice, selected by a parameter: rhs, or rhs transposed.
        self.operands: tuple[str, ...] = tuple(dict.fromkeys(o["name"] for o in operands if not o["is_result"]))
        self.results: tuple[str, ...] = tuple(dict.fromkeys(o["name"] for o in operands if o["is_result"]))
        self.parameters: tuple[str, ...] = tuple(p["name"] for p in head["parameters"])

    def __repr__(self) -> str:
        return f"<kernel {self.name} of {self._source}: {', '.join(self.operands)} -> {', '.join(self.results)}>"

    def __call__(self, *operands: Any, like: str | None = None, **arguments: Any) -> Any:
        """Runs the kernel and returns its result, or a tuple of results in the order of the text.

        For several devices each result is a list with one array per device. Results are new arrays of the operands' library:
        JAX or PyTorch if one of them is, else NumPy. `like="numpy"`, "jax" or "torch" selects another one.
        Raises FindingError if the run has a finding, BadInput if the arguments are invalid.
        """
        if not _computes(arguments):
            raise BadInput("no_math computes no result: kernel.run(...) has the report")
        report = self.run(*operands, like=like, **arguments).check()
        if report.object.get("devices", 1) > 1:
            found = [report.results[name] for name in self.results]
        else:
            found = [report.results[name][0] for name in self.results]
        return found[0] if len(found) == 1 else tuple(found)

    def run(self, *operands: Any, like: str | None = None, **arguments: Any) -> Report:
        """Runs the kernel and returns the report, with its findings, and with the results if the run succeeded."""
        wanted = _arrays.family_called(like)
        words, family = self._words("run", operands, arguments)
        several = _devices(arguments) > 1
        for result in self.results if _computes(arguments) else ():
            words.words.append(f"--out={result}=<{result}@{{d}}>" if several else f"--out={result}=<{result}>")
        return asked(words, Report, wanted or family)

    def verify(self, *operands: Any, **arguments: Any) -> Proof:
        """Returns the verdict on all schedules: proved if none can race, deadlock or leave counts on semaphores."""
        return asked(self._words("verify", operands, arguments)[0], Proof)

    def timing(self, *operands: Any, **arguments: Any) -> Timing:
        """Returns the modelled time of the run on the profile's machine. Raises FindingError if the run has a finding."""
        arguments = {"interpret": True, "timing": True, **arguments}
        return asked(self._words("run", operands, arguments)[0], Timing).check()

    def check(self, **arguments: Any) -> Report:
        """Checks that the text is valid with these parameters, without running it. Raises BadInput if it is not."""
        return asked(self._words("check", (), arguments)[0], Report)

    def expand(self, **arguments: Any) -> str:
        """Returns the program that the interpreter runs: pipelines are expanded to loops, slots, copies and waits."""
        return asked(self._words("expand", (), arguments)[0], Report).object["text"]

    def emit(self, **arguments: Any) -> str:
        """Returns the CUDA source of the kernel."""
        return asked(self._words("emit", (), arguments)[0], Report).object["source"]

    def why(self, *operands: Any, of: str | Sequence[str], **arguments: Any) -> str:
        """Returns the origin of memory contents (`of="out[5, 130]"`), or the reason that a core is blocked."""
        words, _ = self._words("why", operands, {**arguments, "of": of})
        return asked(words, Report).text

    def expect(self, *operands: Any, expected: Mapping[str, Any], **arguments: Any) -> Report:
        """Runs the kernel and compares its results with arrays or files (`expected={"out": array}`). Raises FindingError if they differ."""
        return self.run(*operands, expect=expected, **arguments).check()

    def graph(self, *operands: Any, **arguments: Any) -> Report:
        """Returns the task graph of the proved kernel: nodes, dependences and the critical path, in `object`."""
        return asked(self._words("graph", operands, arguments)[0], Report).check()

    def tune(self, *operands: Any, **arguments: Any) -> Report:
        """Times candidate values of tuning parameters (`tune=["tm=64,128"]`); the fastest is `object["config"]`."""
        return asked(self._words("tune", operands, arguments)[0], Report).check()

    def debug(self, *operands: Any, **arguments: Any) -> Session:
        """Returns a session at the start of a run, to step through it forward and backward."""
        words, _ = self._words("debug", operands, arguments)
        return Session(words)

    @staticmethod
    def options(command: str) -> dict[str, str]:
        """Returns the options of a command, except operands and parameters, with one line about each."""
        return {name: row.meaning for name, row in options_of(command, "-").items() if name != "set"}

    def _words(self, command: str, operands: Sequence[Any], arguments: Mapping[str, Any]) -> tuple[Words, str]:
        words = Words([command, self._source], {self._source: self._text})
        if len(operands) > len(self.operands):
            raise BadInput(f"{self.name}: expected at most {len(self.operands)} operands ({', '.join(self.operands)}), found {len(operands)}")
        given = dict(zip(self.operands, operands, strict=False))
        settings: dict[str, Any] = {}
        rows = options_of(command, self._source)
        chosen = dict(arguments.get("options") or {})
        for name, value in arguments.items():
            self._sort(name, value, command, given, settings, chosen, rows)
        if self._is_one_of_several:
            words.words.append(f"--kernel={self.name}")
        for name, value in given.items():
            if value is not None:
                self._check_rank(name, value, _devices(arguments))
                words.operand(name, value)
        words.words += [f"--set={name}={text_of(value)}" for name, value in settings.items()]
        for name, value in chosen.items():
            refuse_unknown(name, [*rows], f"{command} of {self.name}")
            words.option(rows[name], value)
        return words, _arrays.family_of(list(given.values()))

    def _sort(
        self, name: str, value: Any, command: str, given: dict[str, Any], settings: dict[str, Any], chosen: dict[str, Any], rows: Mapping[str, Any]
    ) -> None:
        if name in ("options", "in_", "set"):
            if not isinstance(value or {}, Mapping):
                raise BadInput(f"{name}: expected names and values, found {value!r}")
            if name != "options":
                (given if name == "in_" else settings).update(value or {})
        elif name in self.operands:
            if name in given:
                raise BadInput(f"{self.name}: operand {name} is given twice")
            given[name] = value
        elif name in self.parameters:
            settings[name] = value
        else:
            refuse_unknown(name, [*self.operands, *self.parameters, *rows], f"{command} of {self.name}")
            chosen[name] = value

    def _check_rank(self, name: str, value: Any, devices: int) -> None:
        """Raises BadInput unless an array has the operand's number of dimensions, or for several devices one more in front."""
        extents = self._extents[name]
        for part in value if _arrays.is_list_of_arrays(value) else [value] if _arrays.is_array(value) else []:
            shape = tuple(getattr(part, "shape", extents))
            if len(shape) != len(extents) and (part is not value or devices == 1 or len(shape) != len(extents) + 1):
                raise BadInput(f"{name}: expected {len(extents)} dimensions, {_dimensions(extents)}, found the shape {shape}")

    def words(self, texts: dict[str, str]) -> list[str]:
        """Adds the program to `texts` and returns the words that name the kernel there. Raises BadInput for another text of this name."""
        if texts.setdefault(self._source, self._text) != self._text:
            raise BadInput(f"two programs are named {self._source}: give load() another `name`")
        return [self._source, *([f"--kernel={self.name}"] if self._is_one_of_several else [])]

    @property
    def _is_one_of_several(self) -> bool:
        return self._head["siblings"] > 1


def load(source: str | os.PathLike[str], *, kernel: str | None = None, name: str = "kernel.tsr") -> Kernel:
    """Loads a kernel from a `.tsr` program.

    source: name of a file, name of a kernel in the library ("gmm"), or the program text, which must have several lines.
    kernel: name of the kernel; required if the program has several.
    name: file name of a program text in reports.
    Raises BadInput, with the places of the errors, if the program is invalid, and EnvironmentFailure if the file does not exist.
    """
    given = os.fsdecode(source)
    text = given if "\n" in given else None
    place = given if text is None else name
    heads, place, text, wrong = _tessera.kernels(place, {} if text is None else {place: text})
    if wrong:
        is_missing = "\n" not in given and not os.path.exists(given)
        raise (EnvironmentFailure if is_missing else BadInput)(wrong.rstrip("\n"))
    known = [head["name"] for head in heads]
    if not heads:
        raise BadInput(f"{place} has no kernel")
    if kernel is None and len(heads) > 1:
        raise BadInput(f"{place} has several kernels: expected kernel= one of {', '.join(known)}")
    if kernel is not None:
        refuse = _tessera.did_you_mean(kernel, known)
        if kernel not in known:
            raise BadInput(f"{place} has no kernel {kernel}{refuse}")
    head = heads[known.index(kernel) if kernel is not None else 0]
    head["siblings"] = len(heads)
    return Kernel(place, text, head)


def _dimensions(extents: Sequence[str]) -> str:
    return f"[{', '.join(extents)}]"


def _declared(operand: Mapping[str, Any]) -> str:
    """Returns the declaration of an operand, `a: T[m, k]`."""
    return f"{'returns ' if operand['is_result'] else ''}{operand['name']}: {operand['dtype']}{_dimensions(operand['extents'])}"


def _computes(arguments: Mapping[str, Any]) -> bool:
    return not (arguments.get("options") or {}).get("no_math", arguments.get("no_math"))


def _devices(arguments: Mapping[str, Any]) -> int:
    given = (arguments.get("options") or {}).get("devices", arguments.get("devices", 1))
    try:
        return int(given)
    except (TypeError, ValueError):
        return 1  # the command reports the error
