"""Arguments of Python as the words of a command line: the same names, the same values."""

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
    """One command line as it grows, with what it holds in memory."""

    words: list[str]
    texts: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, tuple[Any, str]] = field(default_factory=dict)

    def hold(self, name: str, given: Any, hole: str = "{d}") -> str:
        """The word that stands for an array, or for a list with one for each device, or each ring."""
        if not isinstance(given, list | tuple):
            self.arrays[f"<{name}>"] = _arrays.handed_over(name, given)
            return f"<{name}>"
        for device, part in enumerate(given):
            self.arrays[f"<{name}@{device}>"] = _arrays.handed_over(f"{name} of device {device}", part)
        return f"<{name}@{hole}>"

    def operand(self, name: str, given: Any) -> None:
        """`--in` of a kernel's operand: an array, a list of arrays, numbers, or the name of a file."""
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
        """An option by its row of the command's table; None and False leave it out."""
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
    """The options of a command, by their names in Python."""
    return {python_name(row[0]): OptionRow(*row) for row in _tessera.options(list(words))}


def python_name(option: str) -> str:
    """dma-order is dma_order, and what is a word of Python itself has an underscore behind it: in_."""
    name = option.replace("-", "_")
    return name + "_" if name in ("in", "all") else name


def text_of(given: Any) -> str:
    """A value as a command line has it: 100,150,50."""
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
