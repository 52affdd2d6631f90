"""Conversion of Python arguments to the words of a command line, with the same names and values."""

from __future__ import annotations

import numbers
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from . import _arrays, _tessera
from .errors import BadInput


@dataclass
class Words:
    """A command line under construction, with its in-memory texts and arrays."""

    words: list[str]
    texts: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, tuple[Any, str]] = field(default_factory=dict)

    def hold(self, name: str, given: Any, hole: str = "{d}") -> str:
        """Adds an array, or a list with one array per device or ring, and returns its name in the command line.

        hole: placeholder for the device ("{d}") or ring ("{r}") in the name of a list.
        """
        if not isinstance(given, list | tuple):
            self.arrays[f"<{name}>"] = _arrays.handed_over(name, given)
            return f"<{name}>"
        for device, part in enumerate(given):
            self.arrays[f"<{name}@{device}>"] = _arrays.handed_over(f"{name} of device {device}", part)
        return f"<{name}@{hole}>"

    def operand(self, name: str, given: Any) -> None:
        """Adds `--in` for an operand of a kernel: an array, a list of arrays, numbers, or the name of a file."""
        if _arrays.is_list_of_arrays(given):
            for device, part in enumerate(given):
                label = f"<{name}@{device}>"
                self.arrays[label] = _arrays.handed_over(f"{name} of device {device}", part)
                self.words.append(f"--in={name}@{device}={label}")
            return
        self.words.append(f"--in={name}={self._value(name, given)}")

    def _value(self, name: str, given: Any, hole: str = "{d}") -> str:
        if isinstance(given, str | os.PathLike):
            return os.fspath(given)
        if _arrays.is_array(given) or _arrays.is_list_of_arrays(given):
            return self.hold(name, given, hole)
        if isinstance(given, Sequence) and any(isinstance(part, Sequence | np.ndarray) for part in given):
            raise BadInput(f"{name}: lists in a list are no array: expected numpy.array(...) of one element type")
        if isinstance(given, bool) or not isinstance(given, numbers.Real | Sequence):
            raise BadInput(f"{name}: expected an array, numbers or the name of a file, found {type(given).__name__}")
        return text_of(given)

    def option(self, row: OptionRow, given: Any) -> None:
        """Adds an option of the command. None and False omit the option."""
        if given is None or given is False:
            return
        word = f"--{row.name}"
        if given is True:
            if row.value and not row.is_value_optional:
                raise BadInput(f"{python_name(row.name)}: expected {row.value}, found True")
            self.words.append(word)
        elif not row.value:
            raise BadInput(f"{python_name(row.name)}: expected True or False, found {given!r}")
        elif row.is_repeatable and isinstance(given, Mapping):
            for name, value in given.items():
                told = self._value(f"{row.name}.{name}", value) if row.reads else text_of(value)
                self.words.append(f"{word}={name}={told}")
        elif row.is_repeatable and not isinstance(given, str) and isinstance(given, Sequence):
            self.words += [f"{word}={text_of(each)}" for each in given]
        elif row.reads:
            hole = "{r}" if "{r}" in row.value else "{d}"
            at = "@" if "@FILE" in row.value and _arrays.is_array(given) else ""
            self.words.append(f"{word}={at}{self._value(python_name(row.name), given, hole)}")
        else:
            self.words.append(f"{word}={text_of(given)}")


@dataclass(frozen=True)
class OptionRow:
    name: str
    value: str
    meaning: str
    is_repeatable: bool
    reads: bool
    is_value_optional: bool


@lru_cache
def options_of(*words: str) -> dict[str, OptionRow]:
    """Returns the options of a command by their Python names."""
    return {python_name(row[0]): OptionRow(*row) for row in _tessera.options(list(words))}


def python_name(option: str) -> str:
    """Returns the Python name of an option: dma_order for dma-order. Keywords and builtins get a trailing underscore: in_, all_."""
    name = option.replace("-", "_")
    return name + "_" if name in ("in", "all") else name


def text_of(given: Any) -> str:
    """Returns a value in command-line syntax, for example 100,150,50 for a list. Raises BadInput for other types."""
    if isinstance(given, bool):
        raise BadInput(f"expected a value, found {given}")
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, Sequence):
        return ",".join(text_of(each) for each in given)
    if isinstance(given, numbers.Real) or hasattr(given, "__index__"):
        return repr(given.item() if hasattr(given, "item") else given)
    try:
        return _arrays.dtype_name(given)
    except BadInput:
        raise BadInput(f"expected a number, a text or an element type, found {given!r}") from None


def refuse_unknown(name: str, known: Sequence[str], of: str) -> None:
    if name not in known:
        raise BadInput(f"{of} has no argument {name}{_tessera.did_you_mean(name, list(known))}")
