"""The first use of undefined memory. Undefined data in a result often comes from another buffer, where it was used earlier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tessera.pallas.engine import Finding, Note


def told(findings: Sequence[Finding], strict: Callable[[], Sequence[Finding]]) -> tuple[Finding, ...]:
    """Returns the findings. If undefined data came from another buffer, a note with the first use of that buffer is added.

    strict: returns the findings of the same kernel with `--uninitialised strict`, which forbids computing with undefined data.
    """
    found: Sequence[Finding] | None = None
    written = []
    for finding in findings:
        culprit = next((note.buffer for note in finding.notes if note.role == "undefined_since" and note.buffer != finding.buffer), None)
        if finding.kind == "uninitialised_read" and culprit is not None:
            found = strict() if found is None else found
            first = _first(found, culprit)
            told_by = {note.place for note in first}
            others = (note for note in finding.notes if note.role != "moved_by" or note.place not in told_by)
            finding = replace(finding, notes=(*first, *others))
        written.append(finding)
    return tuple(written)


def _first(findings: Sequence[Finding], culprit: str) -> tuple[Note, ...]:
    for one in findings:
        if one.kind == "uninitialised_read" and one.buffer == culprit:
            return (Note(f"first used undefined here: {one.access}", one.place, one.at, one.source, one.function, one.stack),)
    return ()
