"""Exceptions of the package. The text of each is the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._reports import Report

__all__ = ["BadInput", "EnvironmentFailure", "Error", "FindingError", "Unsupported"]


class Error(Exception):
    """Base of all exceptions of this package. `report`: the report of the command, or None if none was run."""

    report: Report | None

    def __init__(self, text: str, report: Report | None = None) -> None:
        super().__init__(text)
        self.report = report


class FindingError(Error):
    """The program has a finding (`report.findings`), or its results differ from the expected ones."""


class BadInput(Error, ValueError):
    """Invalid arguments, shapes, element types or program text."""


class Unsupported(Error, NotImplementedError):
    """Valid, but not implemented; the text has the reason."""


class EnvironmentFailure(Error, RuntimeError):
    """A missing file, device or memory, or a limit that ended the work."""
