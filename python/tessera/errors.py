"""What is raised: the text of each exception is the report as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._reports import Report

__all__ = ["BadInput", "EnvironmentFailure", "Error", "FindingError", "Unsupported"]


class Error(Exception):
    """Of every exception of this package. `report` is the whole answer, where a command was asked."""

    report: Report | None

    def __init__(self, text: str, report: Report | None = None) -> None:
        super().__init__(text)
        self.report = report


class FindingError(Error):
    """The program did something wrong (`report.findings`), or its results are not what they should be."""


class BadInput(Error, ValueError):
    """Arguments, shapes, element types or a program's text that do not fit."""


class Unsupported(Error, NotImplementedError):
    """Sound, and not built; the text has the reason."""


class EnvironmentFailure(Error, RuntimeError):
    """A file, a device or memory that is not there, or a limit that ended the work."""
