"""A run step by step, forward and backward (docs/debugging.md)."""

from __future__ import annotations

from . import _tessera
from ._words import Words
from .errors import BadInput

__all__ = ["Session"]


class Session:
    """What `gmm-run debug` has, one method a command; each returns what the debugger tells.

    Made by `kernel.debug(...)` or `tessera.gmm.debug(...)`. `event` is how many events have happened, `is_over` whether
    nothing can move any more.
    """

    def __init__(self, words: Words) -> None:
        try:
            self._debugger = _tessera.Debugger(words.words, words.texts, words.arrays)
        except ValueError as error:
            raise BadInput(str(error).rstrip("\n")) from None

    def command(self, line: str) -> str:
        """Any command of the debugger, as `help` lists them: "break 17", "info semaphores". BadInput says what is wrong."""
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
        """Goes on by statements of the core that is looked at."""
        return self.command(f"step {times}")

    def back(self, times: int = 1) -> str:
        """Goes back by statements."""
        return self.command(f"reverse-step {times}")

    def run(self) -> str:
        """Goes on to the next stop, a finding or the end."""
        return self.command("continue")

    def run_back(self) -> str:
        """Goes back to the stop before, or to the beginning."""
        return self.command("reverse-continue")

    def goto(self, event: int) -> str:
        """To before an event by its number, forward or backward."""
        return self.command(f"goto {event}")

    def stop_at(self, place: int | str) -> str:
        """A breakpoint at a line or where a condition holds, in the words of `break`."""
        return self.command(f"break {place}")

    def print(self, what: str) -> str:
        """A value, a slice of memory or a semaphore: "acc[0, 0 .. 4]"."""
        return self.command(f"print {what}")

    def why(self, of: str = "") -> str:
        """What a core waits for, or what memory was made from."""
        return self.command(f"why {of}".rstrip())

    def help(self) -> str:
        return self.command("help")
