"""Reports of commands as objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from .errors import BadInput, EnvironmentFailure, Error, FindingError, Unsupported

__all__ = ["Finding", "Place", "Proof", "Report", "Timing"]


@dataclass(frozen=True)
class Place:
    """A source line, with a message about it, and the device and agent concerned. Unknown fields are None."""

    message: str
    file: str | None
    line: int | None
    column: int | None
    device: int | None
    agent: str | None

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Place:
        values: list[Any] = [found.get(name) for name in ("message", "file", "line", "column", "device", "agent")]
        return cls(*values)


@dataclass(frozen=True)
class Finding(Place):
    """A defect of the program.

    kind: "race", "deadlock", ...; `gmm-run explain` describes each kind.
    notes: other places that are part of the finding.
    object: the finding in the JSON of the command.
    """

    kind: str = ""
    notes: tuple[Place, ...] = ()
    object: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Finding:
        place = Place.of(found)
        notes = tuple(Place.of(note) for note in found.get("notes", ()))
        return cls(**vars(place), kind=found["kind"], notes=notes, object=found)

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.file else ""
        return f"{where}{self.kind}: {self.message}"


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Result of a command.

    object: its JSON (docs/schema/gmm-run.json).
    text: the report as text.
    exit_code: exit code of gmm-run. 0: success; 1: a finding or mismatch; 2: bad input or unsupported; 3: environment.
    results: results of a run by name, each a list with one array per device.
    """

    object: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    exit_code: int
    results: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        found = f", {len(self.findings)} findings" if self.findings else ""
        return f"<{type(self).__name__} {self._said}{found}>"

    @property
    def _said(self) -> str:
        return self.status

    @property
    def status(self) -> str:
        """One of "ok", "finding", "mismatch", "bad_input", "unsupported", "environment", "budget" or "interrupted"."""
        return self.object.get("status", "ok" if self.exit_code == 0 else "bad_input")

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @cached_property
    def findings(self) -> list[Finding]:
        return [Finding.of(found) for found in self.object.get("findings", ())]

    @property
    def replay(self) -> str | None:
        """The command line that replays the finding, with its schedule. None if there is no finding."""
        return self.object.get("replay")

    @property
    def schedule(self) -> str | None:
        """The schedule that replays the finding, for `schedule=`. None if there is none."""
        words = self.object.get("replay_words") or []
        return words[words.index("--schedule") + 1] if "--schedule" in words else None

    @property
    def statistics(self) -> dict[str, Any]:
        """Statistics of the run: steps, ops, copies, bytes, peak memory, seconds."""
        names = (
            "steps",
            "ops",
            "dmas",
            "dma_bytes",
            "peak_vmem",
            "peak_smem",
            "events",
            "wall_seconds",
            "flops",
            "max_abs_error",
            "max_error_over_bound",
            "checked_rows",
        )
        return {name: self.object[name] for name in names if name in self.object}

    def check(self) -> Self:
        """Returns this report if the exit code is 0; else raises the exception for it."""
        if self.exit_code:
            raise error_of(self)
        return self


@dataclass(frozen=True, eq=False, repr=False)
class Proof(Report):
    """A verdict on all schedules of a program, for these sizes and control inputs."""

    @property
    def verdict(self) -> str:
        """One of "proved" and "refuted", or "explored" if neither could be shown."""
        return self.object.get("verdict", "explored")

    @property
    def proved(self) -> bool:
        """True if no schedule can race, deadlock or leave counts."""
        return self.verdict == "proved"

    def __bool__(self) -> bool:
        return self.proved

    @property
    def _said(self) -> str:
        return self.verdict

    @property
    def certificate(self) -> dict[str, Any]:
        """The certificate as numbers; `verify(..., save="FILE")` saves it with its evidence."""
        return self.object.get("certificate", {})

    @property
    def conditions(self) -> list[dict[str, Any]]:
        """Conditions of a proof that the program violates, so that the verdict is only "explored"."""
        return self.object.get("conditions", [])

    @property
    def coverage(self) -> list[dict[str, Any]]:
        """Parts that these sizes do not exercise, in the order of their kinds: `kind`, `file`, `line`, `message`, and the `change` of a size."""
        return self.object.get("coverage", [])

    @property
    def promises(self) -> dict[str, Any] | None:
        """For a refuted program: the stronger guarantees of a machine under which it would be correct."""
        return self.object.get("promises")


@dataclass(frozen=True, eq=False, repr=False)
class Timing(Report):
    """Modelled time of a run on the profile's machine."""

    @property
    def seconds(self) -> float:
        return self.timing["seconds"]

    @property
    def timing(self) -> dict[str, Any]:
        """All results of the time model: per device, relative to the roofline, on the critical path."""
        return self.object["simulated"]


def error_of(report: Report) -> Error | KeyboardInterrupt:
    """Returns the exception for a report whose exit code is not 0."""
    text = re.sub(r"\bgive --set (\w+=)", r"give \1", report.text.rstrip("\n"))  # the Python argument
    if report.status == "interrupted":
        return KeyboardInterrupt(text)
    if report.status in ("finding", "mismatch"):
        first = f"{report.findings[0]}\n" if report.findings else ""
        return FindingError(first + text, report)
    if report.status == "unsupported":
        return Unsupported(text, report)
    if report.exit_code == 3:
        return EnvironmentFailure(text, report)
    return BadInput(text, report)
