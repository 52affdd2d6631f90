"""Coverage: the kernels of a traced function that an analysis reached. Each kernel that it did not reach is reported.

A kernel is named by its path: the labels of the equations around it and its own label. Labels depend only on the Python, so several
cases of one function have the same paths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from jax._src import core

from tessera.pallas import jaxpr_tools

Path = tuple[str, ...]


@dataclass(frozen=True)
class Unreached:
    """A kernel that was not reached with the inputs given. `path` names it among several cases."""

    place: str
    name: str
    why: str
    path: Path = ()

    def __str__(self) -> str:
        return f"{self.place} {self.name}: {self.why}"


@dataclass
class Reached:
    """Paths of the kernels, and of the equations around them, that an analysis reached."""

    paths: set[Path] = field(default_factory=set)

    def unreached(self, jaxpr: core.Jaxpr) -> Iterator[tuple[core.JaxprEqn, Unreached]]:
        """The kernels of a jaxpr that are not among the paths."""
        seen = set(self.paths)
        for path, eqns in _kernels(jaxpr, (), ()):
            if path not in seen:
                seen.add(path)
                kernel = eqns[-1]
                yield kernel, Unreached(jaxpr_tools.place(kernel), jaxpr_tools.kernel_name(kernel), self._why(path, eqns), path)

    def _why(self, path: Path, eqns: tuple[core.JaxprEqn, ...]) -> str:
        """Returns the reason, with the innermost reached equation around the kernel."""
        for depth in range(len(eqns) - 1, 0, -1):
            if path[: 2 * depth - 1] in self.paths:
                around, place = eqns[depth - 1].primitive.name, jaxpr_tools.place(eqns[depth - 1])
                if path[: 2 * depth] in self.paths:
                    break
                if around == "cond":
                    return f"not reached: the `cond` at {place} takes another branch with these inputs"
                if around in ("while", "scan"):
                    return f"not reached: the `{around}` at {place} has no iteration with these inputs"
                break
        return "not reached: the analysis of the function ended before it"


def labelled(jaxpr: core.Jaxpr) -> Iterator[tuple[str, core.JaxprEqn]]:
    """The equations with a kernel, each with a label: its place, and its number among the equations of that place."""
    times: Counter[str] = Counter()
    for eqn in jaxpr.eqns:
        if jaxpr_tools.has_kernel(eqn):
            label = f"{eqn.primitive.name} {jaxpr_tools.place(eqn)}"
            times[label] += 1
            yield f"{label} {times[label]}", eqn


def part_label(eqn: core.JaxprEqn, jaxpr: core.Jaxpr) -> str:
    """Returns the name of the param of an equation that contains a jaxpr; the first, if there are several."""
    return next(name for name, one in jaxpr_tools.named_jaxprs(eqn.params) if one is jaxpr)


def _kernels(jaxpr: core.Jaxpr, path: Path, around: tuple[core.JaxprEqn, ...]) -> Iterator[tuple[Path, tuple[core.JaxprEqn, ...]]]:
    """Returns each kernel's path and the equations of the path, with the kernel last. Between the labels of two equations, a path has
    the name of the outer equation's param that contains the inner equation."""
    for label, eqn in labelled(jaxpr):
        if jaxpr_tools.is_kernel(eqn):
            yield (*path, label), (*around, eqn)
            continue
        platforms = eqn.params.get("branches_platforms")
        parts = [part for _, part in jaxpr_tools.named_jaxprs(eqn.params)]
        for part in parts if platforms is None else parts[jaxpr_tools.tpu_branch(platforms) :][:1]:
            yield from _kernels(part, (*path, label, part_label(eqn, part)), (*around, eqn))
