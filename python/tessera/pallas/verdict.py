"""What was decided of each `pallas_call` of a function, and of all together."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tessera.pallas.compare import Numbers
from tessera.pallas.convert import Kernel
from tessera.pallas.engine import Finding

_MOST_UNUSED = 3    # stores that nothing reads, which are told
_MOST_GIVEN = 4     # of the calls of one kernel, those whose inputs are told

# From the best to the worst; a summary is as good as its worst part.
STATUSES = ("proved", "explored", "refused", "mismatch", "refuted")


@dataclass(frozen=True)
class Accepted:
    """A finding that is known and stays, and why: `Accepted("race", "all_gather.py:91", "needs copies in order")`."""
    kind: str
    place: str
    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError(f"the accepted {self.kind} at {self.place} has no reason")

    def covers(self, finding: Finding) -> bool:
        return finding.kind == self.kind and finding.place == self.place


def all_accepted(given: Any) -> bool:
    return isinstance(given, Sequence) and all(isinstance(one, Accepted) for one in given)


@dataclass(frozen=True)
class SiteVerdict:
    """One `pallas_call` with the shapes and control inputs that it had.

    `mesh` says that it stands under `shard_map`, and `axes` has the mesh's; `tells_all` that its text has findings that follow from others too. `given` has
    the types, shapes and control inputs of each of its calls that differ.
    `status` is `proved`, `refuted` with `findings`, `explored` (some schedules only), `mismatch` (the conversion's
    numbers are not JAX's: nothing is claimed), or `refused` with the reason in `what`.
    """
    place: str
    name: str
    status: str
    devices: int = 1
    stack: tuple[tuple[str, int, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    numbers: Numbers = Numbers("not needed", "")
    what: str = ""
    conditions: tuple[str, ...] = ()
    promises: str = ""
    kernel: Kernel | None = None
    certificate: dict[str, Any] = field(default_factory=dict)
    calls: int = 1
    seconds: float = 0.0
    from_cache: bool = False
    mesh: bool = False
    tells_all: bool = False
    given: tuple[str, ...] = ()
    axes: tuple[tuple[str, int], ...] = ()

    @property
    def why_not_compared(self) -> str:
        """Why the numbers of this conversion are not known to be JAX's; empty where they were compared and are."""
        if self.numbers.status == "same":
            return ""
        return self.numbers.text or {"refuted": "what is refuted is not compared", "refused": "what is refused is not compared",
                                     }.get(self.status, "it was not compared")

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, given: bool = False) -> list[str]:
        """The report; `given` tells what the call was given, where a verdict has several of its place."""
        on = f", {self.devices} device{'s' if self.devices > 1 else ''}" if self.mesh or self.devices > 1 else ""
        on += f" ({', '.join(f'{name}={size}' for name, size in self.axes)})" if len(self.axes) > 1 else ""
        causes = sum(not finding.consequence for finding in self.findings)
        times = f", {self.calls} calls" if self.calls > 1 else ""
        said = {"proved": "no race, no deadlock, nothing left on a semaphore in any schedule",
                "explored": "no finding in the schedules that were run; not all are decided",
                "mismatch": "the conversion's numbers are not JAX's, so nothing is claimed",
                "refuted": f"{causes} finding{'s' if causes != 1 else ''}",
                "refused": self.what}[self.status]
        lines = [f"{self.place} {self.name}{on}{times}: {self.status}: {said}"]
        given = given or len(self.given) > 1 and self.status != "proved"
        lines += [f"  given: {text}" for text in self.given[:_MOST_GIVEN] if given]
        lines += [f"  given: {len(self.given) - _MOST_GIVEN} others"] if given and len(self.given) > _MOST_GIVEN else []
        lines += [f"  condition: {text}" for text in self.conditions]
        if self.status == "refused" and self.mesh and self.devices == 1:
            lines.append("  the mesh has 1 device: for more, call tessera.pallas.host_devices(N) before JAX is used, or "
                         "pytest with --host-devices N")
        if self.numbers.text:
            lines.append(f"  numbers: {self.numbers}")
        lines += [f"  {line}" for line in self.numbers.unused[:2 * _MOST_UNUSED]]
        if len(self.numbers.unused) > 2 * _MOST_UNUSED:
            lines.append(f"  and {len(self.numbers.unused) // 2 - _MOST_UNUSED} more stores that nothing reads")
        shown = [finding for finding in self.findings if self.tells_all or not finding.consequence]
        lines += [f"  {line}" for finding in shown for line in finding.lines()]
        if len(shown) < len(self.findings):
            lines.append(f"  and {len(self.findings) - len(shown)} that follow from these; all=True shows them")
        if self.promises:
            lines.append(f"  promises: {self.promises}")
        return lines


@dataclass(frozen=True)
class Verdict:
    """What was decided of a function: `sites` has one entry for each `pallas_call`, shape and set of control inputs."""
    sites: tuple[SiteVerdict, ...]
    accepted: tuple[Accepted, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """The worst of the sites; `refused` where there is none."""
        return max((site.status for site in self.sites), key=STATUSES.index, default="refused")

    @property
    def proved(self) -> bool:
        """Whether every `pallas_call` is proved, and those conversions that could be compared compute what JAX does."""
        return self.status == "proved"

    @property
    def compared(self) -> bool:
        """Whether the numbers of every conversion were compared with JAX's, and are the same; `why_not_compared` says what
        is not."""
        return bool(self.sites) and not self.why_not_compared

    @property
    def why_not_compared(self) -> tuple[str, ...]:
        """For each `pallas_call` whose numbers were not compared, or are others, its place and the reason."""
        return tuple(f"{site.place}: {site.why_not_compared}" for site in self.sites if site.why_not_compared)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for site in self.sites for finding in site.findings)

    @property
    def stale(self) -> tuple[Accepted, ...]:
        """Accepted findings that nobody finds any longer."""
        return tuple(one for one in self.accepted if not any(one.covers(finding) for finding in self.findings))

    @property
    def ok(self) -> bool:
        """Proved, or refuted only by findings that are accepted; and no accepted finding is stale."""
        def fine(site: SiteVerdict) -> bool:
            if site.status != "refuted":
                return site.status == "proved"
            return all(finding.consequence or any(one.covers(finding) for one in self.accepted) for finding in site.findings)
        return bool(self.sites) and all(fine(site) for site in self.sites) and not self.stale

    def telling(self, all: bool) -> Verdict:
        """The same, whose text has the findings that follow from others or only counts them."""
        return replace(self, sites=tuple(replace(site, tells_all=all) for site in self.sites))

    def __iter__(self) -> Iterator[SiteVerdict]:
        return iter(self.sites)

    def __len__(self) -> int:
        return len(self.sites)

    def __bool__(self) -> bool:
        raise TypeError("a verdict is neither true nor false: ask for .proved or .ok")

    def __str__(self) -> str:
        names = Counter((site.place, site.name) for site in self.sites)
        lines = [line for site in self.sites for line in site.lines(names[site.place, site.name] > 1)]
        if not self.sites:
            lines.append("no pallas_call was found")
        if len(self.sites) > 1:
            counts = [f"{sum(site.status == status for site in self.sites)} {status}" for status in STATUSES
                      if any(site.status == status for site in self.sites)]
            lines.append(f"{len(self.sites)} pallas_calls: {', '.join(counts)}")
        if self.status == "refuted":
            lines.append("tessera.pallas.show(f, x) has the Python beside the program")
        for one in self.accepted:
            state = "stale: nobody finds it any longer" if one in self.stale else one.reason
            lines.append(f"accepted: {one.kind} at {one.place}: {state}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict of several; the same site decided alike is told once."""
    sites: dict[tuple[Any, ...], SiteVerdict] = {}
    for site in (site for verdict in verdicts for site in verdict.sites):
        text = site.kernel.text if site.kernel else site.what
        same = (site.place, site.name, site.status, site.devices, text, str(site.findings), site.numbers.text)
        before = sites.get(same)
        sites[same] = site if before is None else replace(before, calls=before.calls + site.calls,
                                                          numbers=before.numbers + site.numbers,
                                                          given=tuple(dict.fromkeys((*before.given, *site.given))))
    accepted = dict.fromkeys(one for verdict in verdicts for one in verdict.accepted)
    notes = dict.fromkeys(note for verdict in verdicts for note in verdict.notes)
    return Verdict(tuple(sites.values()), tuple(accepted), tuple(notes))


def callers(frames: Sequence[tuple[str, int, str]]) -> tuple[tuple[str, int, str], ...]:
    """The call stack above the innermost line."""
    return tuple((os.path.abspath(file), line, function) for file, line, function in frames[1:])
