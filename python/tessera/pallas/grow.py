"""Verdicts on a function at growing sizes: one size at a time, then in pairs, if one of the two exercised something new."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tessera.pallas.engine import Uncovered
from tessera.pallas.verdict import Verdict

COUNTS = (2, 3, 4, 5, 8, 9, 16, 17, 32)  # values of a size that is given as one number
_SMALL_IN_PAIRS = 5

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class GrownCase:
    """The verdict at some sizes. added: parts that no earlier case exercised. refusal: why these sizes are not possible; then there is no verdict."""

    sizes: Sizes
    verdict: Verdict | None = None
    added: tuple[Uncovered, ...] = ()
    refusal: str = ""

    @property
    def status(self) -> str:
        return self.verdict.status if self.verdict is not None else "not possible"

    def __str__(self) -> str:
        text = f"{', '.join(f'{name}={value}' for name, value in self.sizes.items())}: {self.status}"
        if self.refusal:
            text += f": {self.refusal}"
        if self.added:
            text += "; adds " + ", ".join(f"{one.kind}{one.place and ' at ' + one.place}" for one in self.added)
        return text


@dataclass(frozen=True)
class Growth:
    """Verdicts at growing sizes, up to the first that is refuted. They prove nothing about other sizes.

    cases: in the order in which they were verified; the first one has the smallest given sizes.
    ended: True if the time limit was reached before the last size.
    uncovered: parts that no case exercises, of those in the first case.
    """

    cases: tuple[GrownCase, ...]
    ended: bool = False
    uncovered: tuple[Uncovered, ...] = ()

    @property
    def first_refuted(self) -> GrownCase | None:
        """The case that ended the growth, or None."""
        return next((case for case in self.cases if case.status == "refuted"), None)

    @property
    def proved(self) -> bool:
        """True if every possible size was verified and is proved."""
        return not self.ended and all(case.status in ("proved", "not possible") for case in self.cases)

    def __bool__(self) -> bool:
        raise TypeError("a growth has no truth value: use .proved or .first_refuted")

    def __str__(self) -> str:
        lines = [str(case) for case in self.cases]
        refuted = self.first_refuted
        if refuted is not None:
            lines.append(str(refuted.verdict))
        elif self.ended:
            lines.append("ended: the time limit was reached before the last size")
        else:
            proved = sum(case.status == "proved" for case in self.cases)
            lines.append(f"proved at {proved} of {len(self.cases)} sizes; this proves nothing about other sizes")
        return "\n".join([*lines, *map(str, self.uncovered)])

    __repr__ = __str__


def grown(verify: Callable[[Sizes], Verdict], sizes: Mapping[str, int | Sequence[int]], seconds: float) -> Growth:
    """Verifies growing sizes. sizes: for each name its first value, or all its values, the first one first.

    A ValueError, TypeError or AssertionError of `verify` means that the sizes are not possible; at the first sizes it is raised.
    """
    values = {name: tuple(_numbers(name, given)) for name, given in sizes.items()}
    growing = _Growing(verify, {name: given[0] for name, given in values.items()}, time.monotonic() + seconds)
    growing.try_sizes({})
    gains = {name: {value: growing.try_sizes({name: value}) for value in given[1:]} for name, given in values.items()}
    total = {name: sum(gained.values()) for name, gained in gains.items()}
    pairs = sorted(itertools.combinations(values, 2), key=lambda pair: -total[pair[0]] - total[pair[1]])
    for a, b in [pair for pair in pairs if total[pair[0]] + total[pair[1]]] or pairs[:1]:
        of_a, of_b = ([value for value in gains[name] if value <= _SMALL_IN_PAIRS or gains[name][value]] for name in (a, b))
        for x, y in itertools.product(of_a, of_b):
            growing.try_sizes({a: x, b: y})
    return growing.result()


def _numbers(name: str, given: int | Sequence[int]) -> Iterator[int]:
    numbers: tuple[Any, ...] = (
        (given, *(n for n in COUNTS if n != given)) if isinstance(given, int) else tuple(given) if isinstance(given, Sequence) else (given,)
    )
    if not numbers or not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        raise TypeError(f"grow: expected a number or several numbers for {name}, found {given!r}")
    yield from dict.fromkeys(numbers)


class _Growing:
    def __init__(self, verify: Callable[[Sizes], Verdict], base: Sizes, end: float) -> None:
        self._verify, self._base, self._end = verify, base, end
        self._cases: list[GrownCase] = []
        self._open: dict[tuple[str, str], Uncovered] = {}  # not exercised so far, by kind and place
        self._ended = False

    def try_sizes(self, changed: Sizes) -> int:
        """Returns the number of things that these sizes exercise for the first time."""
        if self._ended or any(case.status == "refuted" for case in self._cases):
            return 0
        if self._cases and time.monotonic() > self._end:
            self._ended = True
            return 0
        sizes = {**self._base, **changed}
        try:
            verdict = self._verify(sizes)
        except (ValueError, TypeError, AssertionError) as error:
            if not self._cases:
                raise
            self._cases.append(GrownCase(sizes, refusal=(str(error).splitlines() or [type(error).__name__])[0]))
            return 0
        missing = {(one.kind, one.place): one for site in verdict for one in site.uncovered}
        reached = {site.place for site in verdict}
        added = tuple(one for key, one in self._open.items() if key not in missing) if reached else ()
        for one in added:
            del self._open[one.kind, one.place]
        if not self._cases:
            self._open = dict(missing)
        self._cases.append(GrownCase(sizes, verdict, added))
        return len(added)

    def result(self) -> Growth:
        return Growth(tuple(self._cases), self._ended, tuple(self._open.values()))
