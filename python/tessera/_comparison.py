"""Comparison of two programs: `equal` and `diff`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ._call import asked
from ._kernel import Kernel
from ._reports import Report
from ._words import Words, options_of, refuse_unknown, text_of
from .errors import BadInput

# A kernel, a kernel with values of its own parameters, or words of a command line: "gmm --tiling 8,8,8".
Side = Kernel | tuple[Kernel, Mapping[str, Any]] | str


class Comparison(Report):
    """Result of a comparison. verdict: "equal", "different" or "not shown" of equal(); "same" or "different" of diff()."""

    @property
    def verdict(self) -> str:
        return self.object.get("verdict", "not shown")

    def __bool__(self) -> bool:
        return self.verdict in ("equal", "same")

    @property
    def _said(self) -> str:
        return self.verdict


def equal(a: Side, b: Side | None = None, **arguments: Any) -> Comparison:
    """Checks whether two programs compute the same functions over the reals. True if they are equal.

    b: None compares the tiles of one program, or an operation with its definition (`definition=True`).
    Keyword arguments are options of `gmm-run equal`, for both programs; `set={"m": 64}` gives parameters.
    """
    return _compare("equal", [a] if b is None else [a, b], arguments)


def diff(a: Side, b: Side, **arguments: Any) -> Comparison:
    """Finds the first event and the first value in which two runs differ. True if they are the same. Arguments as for equal()."""
    return _compare("diff", [a, b], arguments)


def _compare(command: str, sides: list[Side], arguments: Mapping[str, Any]) -> Comparison:
    words = Words([command])
    words.words += [_word(side, words) for side in sides]
    rows = options_of(*words.words)
    for name, value in arguments.items():
        refuse_unknown(name, [*rows], command)
        words.option(rows[name], value)
    return asked(words, Comparison)


def _word(side: Side, words: Words) -> str:
    """Returns the word for one side, and holds the text of its kernel."""
    if isinstance(side, str):
        return side
    kernel, settings = side if isinstance(side, tuple) else (side, {})
    if not isinstance(kernel, Kernel):
        raise BadInput(f"expected a kernel, a kernel with its parameters or words of a command line, found {type(kernel).__name__}")
    return shlex.join([*kernel.words(words.texts), *(f"--set={name}={text_of(value)}" for name, value in settings.items())])
