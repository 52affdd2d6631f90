"""Verdicts on a function and on each of its kernels. Every kernel is listed, analysed or with the reason that it is not."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tessera.pallas.compare import Numbers
from tessera.pallas.convert import Kernel
from tessera.pallas.coverage import Path, Unreached
from tessera.pallas.engine import Finding, Uncovered

_NOT_NEEDED = Numbers("not needed", "")
_MOST_UNUSED = 3  # max unread stores in a report
_MOST_UNCOVERED = 3  # max notes on coverage in an ordinary report
_MOST_GIVEN = 4  # max calls of one kernel that a report lists with their inputs

# From best to worst. A summary has the worst status of its parts.
STATUSES = ("proved", "explored", "refused", "mismatch", "refuted")


@dataclass(frozen=True)
class Accepted:
    """A known finding that is accepted, with a reason: `Accepted("race", "all_gather.py:91", "needs copies in order")`. The kind
    "not_reached" accepts a kernel that the inputs do not reach. Raises ValueError if the reason is empty."""

    kind: str
    place: str
    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError(f"the accepted {self.kind} at {self.place} has no reason")

    def covers(self, one: Finding | Unreached) -> bool:
        return self.kind == ("not_reached" if isinstance(one, Unreached) else one.kind) and one.place == self.place


def all_accepted(given: Any) -> bool:
    return isinstance(given, Sequence) and all(isinstance(one, Accepted) for one in given)


@dataclass(frozen=True)
class SiteVerdict:
    """Verdict on one `pallas_call` with its shapes and control inputs.

    status: `proved`; `refuted`, with `findings`; `explored`: only some schedules were run; `mismatch`: the conversion's results are
        not JAX's, so nothing is claimed; `refused`, with the reason in `what`.
    complete: False if a finding ended the run before the kernel's end, or if there may be more findings than listed.
    given: types, shapes and control inputs of its calls, without repetitions.
    mesh: True if it is under `shard_map`. axes: names and sizes of the mesh's axes.
    tells_all: True if the report also lists findings that are consequences of others, and all notes on coverage.
    uncovered: parts that these sizes do not exercise, in the order of their kinds.
    """

    place: str
    name: str
    status: str
    devices: int = 1
    stack: tuple[tuple[str, int, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    numbers: Numbers = _NOT_NEEDED
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
    complete: bool = True
    notes: tuple[str, ...] = ()
    uncovered: tuple[Uncovered, ...] = ()

    @property
    def analysed(self) -> bool:
        """True if the kernel was analysed to its end for all schedules."""
        return self.complete and self.status in ("proved", "refuted")

    @property
    def why_not_compared(self) -> str:
        """The reason that the results of this conversion are not known to be JAX's; empty if they were compared and are the same."""
        if self.numbers.status == "same":
            return ""
        return self.numbers.text or {
            "refuted": "what is refuted is not compared",
            "refused": "what is refused is not compared",
        }.get(self.status, "it was not compared")

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, given: bool = False) -> list[str]:
        """Returns the report. given: True to list the inputs of the calls, for a verdict with several sites at this place."""
        on = f", {self.devices} device{'s' if self.devices > 1 else ''}" if self.mesh or self.devices > 1 else ""
        on += f" ({', '.join(f'{name}={size}' for name, size in self.axes)})" if len(self.axes) > 1 else ""
        causes = sum(not finding.consequence for finding in self.findings)
        times = f", {self.calls} calls" if self.calls > 1 else ""
        said = {
            "proved": "no race, no deadlock, nothing left on a semaphore in any schedule",
            "explored": "no finding in the schedules that were run; not all are decided",
            "mismatch": "the conversion's numbers are not JAX's, so nothing is claimed",
            "refuted": f"{causes} finding{'s' if causes != 1 else ''}",
            "refused": self.what,
        }[self.status]
        lines = [f"{self.place} {self.name}{on}{times}: {self.status}: {said}"]
        given = given or (len(self.given) > 1 and self.status != "proved")
        lines += [f"  given: {text}" for text in self.given[:_MOST_GIVEN] if given]
        lines += [f"  given: {len(self.given) - _MOST_GIVEN} others"] if given and len(self.given) > _MOST_GIVEN else []
        lines += [f"  condition: {text}" for text in self.conditions]
        if self.status == "refused" and self.mesh and self.devices == 1:
            lines.append("  the mesh has 1 device: for more, call tessera.pallas.host_devices(N) before JAX is used, or pytest with --host-devices N")
        if self.numbers.text:
            lines.append(f"  numbers: {self.numbers}")
        lines += [f"  {line}" for line in self.numbers.unused[: 2 * _MOST_UNUSED]]
        if len(self.numbers.unused) > 2 * _MOST_UNUSED:
            lines.append(f"  and {len(self.numbers.unused) // 2 - _MOST_UNUSED} more stores that nothing reads")
        shown = [finding for finding in self.findings if self.tells_all or not finding.consequence]
        lines += [f"  {line}" for finding in shown for line in finding.lines()]
        if len(shown) < len(self.findings):
            lines.append(f"  and {len(self.findings) - len(shown)} that follow from these; all=True shows them")
        if self.promises:
            lines.append(f"  promises: {self.promises}")
        if self.status == "refuted" and not self.complete:
            lines.append("  not analysed to its end: there may be other findings after these")
        if self.status == "proved":
            lines += self._uncovered_lines()
        return lines + [f"  note: {text}" for text in self.notes]

    def _uncovered_lines(self) -> list[str]:
        listed = self.uncovered if self.tells_all else self.uncovered[:_MOST_UNCOVERED]
        lines = [f"  {one}" for one in listed]
        if len(listed) < len(self.uncovered):
            lines.append(f"  and {len(self.uncovered) - len(listed)} more that these sizes do not cover; all=True shows them")
        return lines


@dataclass(frozen=True)
class Verdict:
    """Verdict on a function.

    sites: one entry for each kernel, shape and set of control inputs.
    unreached: kernels that these inputs do not reach. reached: paths of the kernels in `sites`.
    """

    sites: tuple[SiteVerdict, ...]
    accepted: tuple[Accepted, ...] = ()
    notes: tuple[str, ...] = ()
    unreached: tuple[Unreached, ...] = ()
    reached: frozenset[Path] = frozenset()

    @property
    def status(self) -> str:
        """The worst status of the sites; `refused` if there is none."""
        return max((site.status for site in self.sites), key=STATUSES.index, default="refused")

    @property
    def proved(self) -> bool:
        """True if every kernel that these inputs reach is proved, and every conversion that could be compared has JAX's results.
        `unreached` kernels do not count here, but they count in `ok`."""
        return self.status == "proved"

    @property
    def compared(self) -> bool:
        """True if the results of every conversion were compared with JAX's and are the same; else see `why_not_compared`."""
        return bool(self.sites) and not self.why_not_compared

    @property
    def why_not_compared(self) -> tuple[str, ...]:
        """Place and reason for each `pallas_call` whose results were not compared or differ."""
        return tuple(f"{site.place}: {site.why_not_compared}" for site in self.sites if site.why_not_compared)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for site in self.sites for finding in site.findings)

    @property
    def stale(self) -> tuple[Accepted, ...]:
        """Accepted findings that were not found, and kernels accepted as not reached that were reached."""
        found: tuple[Finding | Unreached, ...] = (*self.findings, *self.unreached)
        return tuple(one for one in self.accepted if not any(map(one.covers, found)))

    @property
    def ok(self) -> bool:
        """True if every reached kernel was analysed to its end, every finding and every unreached kernel is accepted, and nothing
        accepted is stale. Findings that are consequences of others need not be accepted."""

        def is_accepted(one: Finding | Unreached) -> bool:
            return any(known.covers(one) for known in self.accepted)

        return (
            bool(self.sites)
            and all(site.analysed for site in self.sites)
            and not self.stale
            and all(finding.consequence or is_accepted(finding) for finding in self.findings)
            and all(map(is_accepted, self.unreached))
        )

    @property
    def covers(self) -> str:
        """The number of kernels by status, and the numbers of kernels analysed to their end and compared with JAX."""
        counts = [(status, sum(site.status == status for site in self.sites)) for status in STATUSES] + [("not reached", len(self.unreached))]
        total, sites = len(self.sites) + len(self.unreached), self.sites
        return (
            f"{total} kernel{'s' if total != 1 else ''}: {', '.join(f'{count} {word}' for word, count in counts if count)}; "
            f"{sum(site.analysed for site in sites)} analysed to the end, {sum(site.numbers.status == 'same' for site in sites)} compared with JAX"
        )

    def telling(self, all: bool) -> Verdict:
        """Returns the same verdict with another report. all: list findings that are consequences of others, instead of counting them."""
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
        lines += [str(one) for one in self.unreached]
        lines.append(f"covers {self.covers}" if self.sites or self.unreached else "no pallas_call and no other kernel was found")
        if self.status == "refuted":
            lines.append("tessera.pallas.show(f, x) has the Python beside the program")
        for one in self.accepted:
            state = (
                ("stale: it is reached now" if one.kind == "not_reached" else "stale: it is not found any longer")
                if one in self.stale
                else one.reason
            )
            lines.append(f"accepted: {one.kind} at {one.place}: {state}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """Joins verdicts on one function. Sites with equal results are merged. A kernel is reached if one of the verdicts reached it."""
    sites: dict[tuple[Any, ...], SiteVerdict] = {}
    for site in (site for verdict in verdicts for site in verdict.sites):
        text = site.kernel.text if site.kernel else site.what
        same = (site.place, site.name, site.status, site.devices, text, str(site.findings), site.numbers.text, site.complete, site.notes)
        before = sites.get(same)
        sites[same] = (
            site
            if before is None
            else replace(
                before,
                calls=before.calls + site.calls,
                numbers=before.numbers + site.numbers,
                given=tuple(dict.fromkeys((*before.given, *site.given))),
            )
        )
    accepted = dict.fromkeys(one for verdict in verdicts for one in verdict.accepted)
    notes = dict.fromkeys(note for verdict in verdicts for note in verdict.notes)
    reached = frozenset(path for verdict in verdicts for path in verdict.reached)
    unreached = {one.path: one for verdict in verdicts for one in verdict.unreached if one.path not in reached}
    return Verdict(tuple(sites.values()), tuple(accepted), tuple(notes), tuple(unreached.values()), reached)


def callers(frames: Sequence[tuple[str, int, str]]) -> tuple[tuple[str, int, str], ...]:
    """Returns the call stack without the innermost line."""
    return tuple((os.path.abspath(file), line, function) for file, line, function in frames[1:])
