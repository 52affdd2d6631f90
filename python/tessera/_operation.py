"""Base of the operations: a decorated function returns its operands and options, and the operation runs its command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper
from inspect import signature
from typing import Any, Generic, ParamSpec, Protocol, cast

from . import _arrays
from ._call import asked
from ._reports import Proof, Report, Timing
from ._words import Words, options_of, refuse_unknown
from .debug import Session
from .errors import BadInput

P = ParamSpec("P")
Operands = Mapping[str, Any]


class Function(Protocol[P]):
    """Type of an operation: a function with additional methods."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any: ...
    def run(self, *args: P.args, **kwargs: P.kwargs) -> Report: ...
    def verify(self, *args: P.args, **kwargs: P.kwargs) -> Proof: ...
    def timing(self, *args: P.args, **kwargs: P.kwargs) -> Timing: ...
    def graph(self, *args: P.args, **kwargs: P.kwargs) -> Report: ...
    def tune(self, **sizes: Any) -> Report: ...
    def debug(self, *args: P.args, **kwargs: P.kwargs) -> Session: ...
    def options(self) -> dict[str, str]: ...


class Operation(Generic[P]):
    """Implementation of an operation and its methods, by the command with its name."""

    def __init__(self, command: str, function: Callable[P, Operands], ranks: Mapping[str, int]) -> None:
        self._command = command
        self._function = function
        self._ranks = ranks
        self._name = function.__name__

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        like, arguments = _taken(kwargs)
        if arguments.get("no_math"):
            raise BadInput(f"no_math computes no result: {self._command.replace('-', '_')}.run(...) has the report")
        report = self._run({"check": "none", **arguments}, args, like).check()
        found = report.results["out"]
        return found if self._ranks else found[0]

    def run(self, *args: P.args, **kwargs: P.kwargs) -> Report:
        """Runs the operation, compares the result with a reference (`check`), and returns the report with the results."""
        like, arguments = _taken(kwargs)
        return self._run(arguments, args, like)

    def verify(self, *args: P.args, **kwargs: P.kwargs) -> Proof:
        """Returns the verdict on all schedules: proved if none can race, deadlock or leave counts on semaphores."""
        return asked(self._words(["verify", self._command], args, kwargs)[0], Proof)

    def timing(self, *args: P.args, **kwargs: P.kwargs) -> Timing:
        """Returns the modelled time of the run on the profile's machine. Raises FindingError if the run has a finding."""
        arguments = {"interpret": True, "timing": True, "check": "none", **kwargs}
        return asked(self._words([self._command], args, arguments)[0], Timing).check()

    def graph(self, *args: P.args, **kwargs: P.kwargs) -> Report:
        """Returns the task graph of the proved operation: nodes, dependences and the critical path, in `object`."""
        return asked(self._words(["graph", self._command], args, kwargs)[0], Report).check()

    def tune(self, **sizes: Any) -> Report:
        """Times candidate tilings for sizes (`group_sizes=[100, 24], k=64, n=64`) and returns the report; the fastest is `object["config"]`.

        For gmm and tgmm it is stored for later runs.
        """
        words = Words(["tune", self._command])
        rows = options_of(*words.words)
        for name, value in sizes.items():
            refuse_unknown(name, [*rows], f"tune of {self._name}")
            words.option(rows[name], value)
        return asked(words, Report).check()

    def debug(self, *args: P.args, **kwargs: P.kwargs) -> Session:
        """Returns a session at the start of a run, to step through it forward and backward."""
        return Session(self._words(["debug", self._command], args, kwargs)[0])

    def options(self) -> dict[str, str]:
        """Returns the keyword arguments of the operation, with one line about each."""
        return {name: row.meaning for name, row in options_of(self._command).items()}

    def _run(self, arguments: Mapping[str, Any], args: tuple[Any, ...], like: str | None) -> Report:
        wanted = _arrays.family_called(like)
        words, family = self._words([self._command], args, arguments)
        if not arguments.get("no_math"):
            words.words.append("--out=<out@{d}>" if self._ranks else "--out=<out>")
        return asked(words, Report, wanted or family)

    def _words(self, command: list[str], args: tuple[Any, ...], arguments: Mapping[str, Any]) -> tuple[Words, str]:
        given = dict(self._function(*args, **arguments))
        devices = self._devices(given)
        if devices is not None:
            given["devices"] = devices
        rows = options_of(*command)
        words = Words(command)
        for name, value in given.items():
            refuse_unknown(name, [*rows], self._name)
            words.option(rows[name], value)
        return words, _arrays.family_of(list(given.values()))

    def _devices(self, given: Mapping[str, Any]) -> int | None:
        """Returns the number of arrays of a per-device operand. None if unknown, or if `devices` or `rings` is given."""
        if given.get("devices") is not None or given.get("rings") is not None:
            return None
        for name, rank in self._ranks.items():
            value: Any = given.get(name)
            if _arrays.is_list_of_arrays(value):
                return len(value)
            if _arrays.is_array(value) and len(value.shape) == rank + 1:
                return int(value.shape[0])
        return None


def _taken(kwargs: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    arguments = dict(kwargs)
    return arguments.pop("like", None), arguments


_RAISES = """\
    `run`, `verify`, `timing`, `graph` and `debug` have the same arguments; `options()` lists the keyword arguments.
    Raises FindingError if the run has a finding, BadInput for operands and options that do not fit, Unsupported for what is not implemented.
"""


def operation(command: str, **ranks: int) -> Callable[[Callable[P, Operands]], Function[P]]:
    """Decorator that makes a function an operation.

    command: name of the command. ranks: rank on one device of each per-device operand; empty for an operation on one device.
    """

    def made(function: Callable[P, Operands]) -> Function[P]:
        known = Operation(command, function, ranks)

        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            return known.call(*args, **kwargs)

        update_wrapper(call, function)
        call.__doc__ = f"{call.__doc__}\n{_RAISES}"
        attributes: dict[str, Any] = {name: getattr(known, name) for name in ("run", "verify", "timing", "graph", "tune", "debug", "options")}
        attributes["__signature__"] = signature(function).replace(return_annotation=Any)
        for name, value in attributes.items():
            setattr(call, name, value)
        return cast("Function[P]", call)

    return made


def sizes(given: Any) -> dict[str, Any]:
    """Returns group sizes as an option: `sizes` for an array, `group_sizes` for numbers or the name of a distribution."""
    return {"sizes" if _arrays.is_array(given) or _arrays.is_list_of_arrays(given) else "group_sizes": given}
