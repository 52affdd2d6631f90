"""Packs: commands that `gmm-run pack` stored with their files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ._call import asked
from ._reports import Proof, Report
from ._words import Words, options_of, refuse_unknown
from .debug import Session
from .errors import BadInput


class Pack:
    """A stored command. Keyword arguments are options of the commands. They replace the same options of the pack.

    verify() runs the packed command; the others use the schedule of its finding, if it has one.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if not isinstance(self.path, str) or not self.path.endswith(".pack"):
            raise BadInput(f"expected a file that ends with .pack, found {self.path!r}")

    def run(self, **arguments: Any) -> Report:
        """Runs the program and returns the report, with its findings."""
        return asked(self._words("run", arguments), Report)

    def verify(self, **arguments: Any) -> Proof:
        """Returns the verdict on all schedules."""
        return asked(self._words("verify", arguments), Proof)

    def why(self, of: str, **arguments: Any) -> str:
        """Returns the origin of memory contents (`of="out[5, 130]"`), or the reason that a core is blocked."""
        return asked(self._words("why", {**arguments, "of": of}), Report).text

    def debug(self, **arguments: Any) -> Session:
        """Returns a session at the start of the run."""
        return Session(self._words("debug", arguments))

    def __repr__(self) -> str:
        return f"Pack({self.path!r})"

    def _words(self, command: str, arguments: Mapping[str, Any]) -> Words:
        words = Words([command, self.path])
        try:
            rows = options_of.__wrapped__(command, self.path) if arguments else {}  # not cached: the file may change
        except ValueError:
            return words  # the command reports the error
        for name, value in arguments.items():
            refuse_unknown(name, [*rows], f"{command} of a pack")
            words.option(rows[name], value)
        return words


def open_pack(path: str | os.PathLike[str]) -> Pack:
    """Opens a file of `gmm-run pack`. Its name must end with `.pack`; errors of its content are raised by the first method."""
    return Pack(path)
