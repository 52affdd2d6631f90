"""Which line used undefined memory first: what reaches a result was often undefined long before, in another buffer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tessera.pallas.engine import Finding, Note

_SINCE = re.compile(r"^(\w+) is undefined since here$")
_USED = re.compile(r" of (\w+)(\[[^\]]*\])? uses \S")


def told(findings: Sequence[Finding], strict: Callable[[], Sequence[Finding]]) -> tuple[Finding, ...]:
    """The findings; one of undefined data that came from another buffer has a note where that was first used.

    `strict` gives the findings of the same kernel when undefined data may not even be computed with.
    """
    found: Sequence[Finding] | None = None
    written = []
    for finding in findings:
        culprit = next((since[1] for note in finding.notes if (since := _SINCE.match(note.message))), None)
        if finding.kind == "uninitialised_read" and culprit is not None:
            found = strict() if found is None else found
            first = _first(found, culprit)
            told_by = {note.place for note in first}
            others = (note for note in finding.notes if note.message != "the undefined data was copied here" or note.place not in told_by)
            finding = replace(finding, notes=(*first, *others))
        written.append(finding)
    return tuple(written)


def _first(findings: Sequence[Finding], culprit: str) -> tuple[Note, ...]:
    for one in findings:
        used = _USED.search(one.message)
        if one.kind == "uninitialised_read" and used and used[1] == culprit:
            text = f"first used undefined here: {culprit}{used[2] or ''}"
            return (Note(text, one.place, one.at, one.source, one.function, one.stack),)
    return ()
