"""Debugging of a run, forward and backward (docs/debugging.md)."""

from __future__ import annotations

from . import _tessera
from ._words import Words
from .errors import BadInput

__all__ = ["Session"]


class Session:
    """A session of `gmm-run debug`. Each method is a command of the debugger and returns its output.

    Created by `kernel.debug(...)` or `tessera.gmm.debug(...)`.
    event: number of events so far. is_over: True if no agent can take another step.
    """

    def __init__(self, words: Words) -> None:
        try:
            self._debugger = _tessera.Debugger(words.words, words.texts, words.arrays)
        except ValueError as error:
            raise BadInput(str(error).rstrip("\n")) from None

    def command(self, line: str) -> str:
        """Executes any command of the debugger: "break 17", "info semaphores"; `help` lists them. Raises BadInput if it fails."""
        told, wrong = self._debugger.command(line)
        if wrong:
            raise BadInput(wrong.rstrip("\n"))
        return told

    @property
    def event(self) -> int:
        return self._debugger.event

    @property
    def is_over(self) -> bool:
        return self._debugger.is_over

    def step(self, times: int = 1) -> str:
        """Continues until the core in focus has executed `times` steps."""
        return self.command(f"step {times}")

    def back(self, times: int = 1) -> str:
        """Goes back by `times` steps of the core in focus."""
        return self.command(f"reverse-step {times}")

    def run(self) -> str:
        """Continues to the next stop, a finding or the end."""
        return self.command("continue")

    def run_back(self) -> str:
        """Goes back to the previous stop, or to the beginning."""
        return self.command("reverse-continue")

    def goto(self, event: int) -> str:
        """Goes to the state before event number `event`, forward or backward."""
        return self.command(f"goto {event}")

    def stop_at(self, place: int | str) -> str:
        """Sets a breakpoint at a line, optionally with a condition, in the syntax of `break`."""
        return self.command(f"break {place}")

    def print(self, what: str) -> str:
        """Prints a value, a slice of memory or a semaphore: "acc[0, 0 .. 4]"."""
        return self.command(f"print {what}")

    def why(self, of: str = "") -> str:
        """Prints the reason that a core is blocked, or the origin of memory contents."""
        return self.command(f"why {of}".rstrip())

    def help(self) -> str:
        return self.command("help")
