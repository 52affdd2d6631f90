"""Functions of the package for functions that contain kernels: `verify`, `run`, `kernels`, `text`."""

from __future__ import annotations

import collections
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import jax
import numpy as np
from jax._src import core

from tessera import errors
from tessera.pallas import engine, jaxpr_tools, kinds, options
from tessera.pallas.convert import Kernel, Refused, UnknownValues
from tessera.pallas.coverage import Reached
from tessera.pallas.decide import converted, decide, site_of
from tessera.pallas.grow import Growth, grown
from tessera.pallas.reference import NoReference, reference
from tessera.pallas.trace import Traced, trace
from tessera.pallas.verdict import Accepted, SiteVerdict, Verdict, all_accepted, together
from tessera.pallas.walk import Later, NotWalked, walk
from tessera.pallas.world import World

# The latest verdicts, for the report of a failed test.
asked: collections.deque[Verdict] = collections.deque(maxlen=16)


class FindingError(errors.FindingError):
    """A run of a kernel has a finding; str() is the report."""


@overload
def verify(fn: Callable[..., Any], *args: Any, grow: None = None, **options: Any) -> Verdict: ...
@overload
def verify(fn: Callable[..., Any], *, grow: Mapping[str, int | Sequence[int]], **options: Any) -> Growth: ...
def verify(
    fn: Callable[..., Any],
    *args: Any,
    grow: Mapping[str, int | Sequence[int]] | None = None,
    grow_seconds: float = 60,
    cases: Sequence[Sequence[Any]] | None = None,
    seeds: Sequence[int] = (0,),
    accept: Sequence[Accepted] = (),
    numbers: bool = True,
    parallel: bool = False,
    all: bool = False,
    limit: float = 60,
    chip: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
    **promises: Any,
) -> Verdict | Growth:
    """Verifies every kernel that `fn(*args)` reaches, for all schedules, and lists every kernel that it does not reach.

    args      arrays, or `jax.ShapeDtypeStruct`s; for a struct, floats are random, one draw for each of `seeds`, and integers are 0
    grow      names of sizes with their first values, `{"steps": 2}`, or with all values, `{"steps": (2, 3, 5)}`. `fn(**sizes)` then
              returns a function and its arguments; it is verified at growing sizes, up to the first that is refuted
    grow_seconds  time after which no further size is verified
    cases     several tuples of args instead of `args`, with one verdict for all
    accept    known findings, and kernels that these arguments do not reach, each with a reason
    numbers   compare the results of the conversions with JAX's own interpretation
    parallel  also decide whether the points of the grid's parallel dimensions may run in any order and concurrently, as on chips
              with several cores
    all       also show findings that are consequences of others
    limit     maximum seconds for JAX's interpretation of one call
    chip      table of `get_tpu_info` that kernels see: v4, v5e, v5p, v6e, v7x. Default: v5e's, without its limit on routes
    kwargs    keyword arguments of `fn`
    cores     2: the cores of a device share the first parallel dimension of each grid in order, as on a megacore
    promises  guarantees of the machine and other options of `gmm-run verify`, by name: `dma_order="fifo"`
    """
    if grow is not None:
        if args or cases is not None:
            raise TypeError("verify with grow takes its arguments from the function, not as arguments or cases")
        given: dict[str, Any] = {"seeds": seeds, "accept": accept, "numbers": numbers, "parallel": parallel, "all": all, "limit": limit}
        given |= {"chip": chip, "kwargs": kwargs, **promises}
        return grown(lambda sizes: _of_sizes(fn, sizes, given), grow, grow_seconds)
    engine.accept(promises)
    options.cores(promises)
    if (of_run := next((name for name in promises if name in options.OF_RUN), None)) is not None:
        raise errors.BadInput(f"{of_run} is for run and interpret: a proof asks for no values")
    _check(args, cases, seeds, accept)
    promises = options.of_chip(promises, chip)
    found, notes = [], []
    for case in [args] if cases is None else cases:
        for seed in seeds:
            traced = trace(fn, case, kwargs or {}, seed=seed, chip=chip or "v5e", cores=options.cores(promises))
            notes += [f"{one} was given as a shape only: zeros were taken" for one in traced.assumed]
            found.append(_decided(traced, promises, seed, limit, numbers, parallel))
    asked.append(together([*found, Verdict((), tuple(accept), tuple(dict.fromkeys(notes)))]).telling(all))
    return asked[-1]


def _of_sizes(make: Callable[..., Any], sizes: Mapping[str, int], given: Mapping[str, Any]) -> Verdict:
    made = make(**sizes)
    if not (isinstance(made, tuple) and len(made) == 2 and callable(made[0]) and isinstance(made[1], (tuple, list))):
        raise errors.BadInput(
            f"grow: expected a function and a tuple of its arguments from {getattr(make, '__name__', 'make')}, found {type(made).__name__}"
        )
    return verify(made[0], *made[1], **given)


def _check(args: Sequence[Any], cases: Any, seeds: Any, accept: Any) -> None:
    if cases is not None and args:
        raise TypeError("verify takes arguments or cases, not both")
    if cases is not None and not (cases and all(isinstance(case, (tuple, list)) for case in cases)):
        raise TypeError("cases: expected tuples of arguments, at least one")
    if isinstance(seeds, int) or not seeds:
        raise TypeError(f"seeds: expected some numbers, as (0, 1), found {seeds!r}")
    if not all_accepted(accept):
        raise TypeError("accept: expected a list of tessera.pallas.Accepted")


def _decided(traced: Traced, promises: Mapping[str, Any], seed: int, limit: float, numbers: bool, parallel: bool) -> Verdict:
    sites: list[SiteVerdict] = []

    def on_call(eqn: core.JaxprEqn, inputs: Sequence[Later], world: World) -> list[Later]:
        lanes = None
        try:
            kinds.refuse_unconverted(eqn)
            lanes = _rows(inputs, world)
            site = decide(eqn, world, lanes, promises, seed=seed + 1, limit=limit, check_numbers=numbers, parallel=parallel)
        except Refused as refused:
            site = site_of(eqn, world, str(refused))
        except NotWalked as error:
            site = site_of(eqn, world, f"its inputs are not known: {error}")
        sites.append(site)
        everything = Later(lambda: _values(eqn, world, lanes, site, limit))
        return [_column(everything, i) for i in range(len(eqn.outvars))]

    notes, reached = [], Reached()
    try:
        walk(traced.jaxpr.jaxpr, traced.jaxpr.consts, [Later.of([value]) for value in traced.values], on_call, reached)
    except NotWalked as error:
        notes.append(str(error))
    unreached = []
    for eqn, one in reached.unreached(traced.jaxpr.jaxpr):
        try:
            kinds.refuse_unconverted(eqn)
            unreached.append(one)
        except Refused as refused:  # refused for any inputs
            sites.append(site_of(eqn, World(), str(refused)))
    if notes and all(site.status != "refused" for site in sites):
        sites.append(SiteVerdict(notes[0].split(": ", 1)[0], "kernel", "refused", what=notes[0]))
    return Verdict(tuple(sites), (), tuple(notes), tuple(unreached), frozenset(reached.paths))


def _rows(inputs: Sequence[Later], world: World) -> list[list[np.ndarray]]:
    columns = [[np.asarray(lane) for lane in value.get()] for value in inputs]
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in range(world.size)]


def _column(rows: Later, at: int) -> Later:
    return Later(lambda: [row[at] for row in rows.get()])


def _values(eqn: core.JaxprEqn, world: World, lanes: Any, site: SiteVerdict, limit: float) -> list[list[np.ndarray]]:
    """Returns the results of a call for later calls: from the conversion if it is proved or explored, else from JAX."""
    if lanes is None:
        raise NotWalked(f"{site.place}: no values: {site.what.removeprefix(f'{site.place}: ')}")
    kernel = site.kernel
    if kernel is not None and site.status in ("proved", "explored") and not kernel.opaque:
        report = engine.run(kernel, lanes, options.command_line({}, "run"))
        if report.exit_code == 0:
            return engine.results(kernel, report)
    try:
        return reference(eqn, world.shape, [lanes], limit=limit)["results"][0]
    except NoReference as error:
        raise NotWalked(f"{site.place}: no values: {error}") from None


def run(
    fn: Callable[..., Any],
    *args: Any,
    seed: int = 0,
    chip: str = "v5e",
    kwargs: Mapping[str, Any] | None = None,
    timeline: str | os.PathLike[str] | None = None,
    **given: Any,
) -> Any:
    """Runs `fn(*args)` with every `pallas_call` on Tessera's simulated devices. The results are NumPy arrays.

    seed: for the floats of `jax.ShapeDtypeStruct` arguments. chip: as in `verify`. kwargs: keyword arguments of `fn`.
    timeline: file for a picture of the run in modelled time, with the findings; `fn` must reach one kernel, once.
    given: options of `gmm-run run`, by name.
    Raises `FindingError` if a run has a finding, `Refused` if a kernel cannot be converted.
    """
    options.command_line(given, "run")
    pictures = [os.fspath(timeline)] if timeline is not None else []
    traced = trace(fn, args, kwargs or {}, seed=seed, chip=chip, cores=options.cores(given))

    def on_call(eqn: core.JaxprEqn, inputs: Sequence[Later], world: World) -> list[Later]:
        if timeline is not None and not pictures:
            raise errors.BadInput("timeline: expected a function that reaches one kernel, once; found a second call of a kernel")
        rows = simulated(eqn, world, _rows(inputs, world), given, timeline=pictures.pop() if pictures else None)
        return [Later.of([row[i] for row in rows]) for i in range(len(eqn.outvars))]

    out = walk(traced.jaxpr.jaxpr, traced.jaxpr.consts, [Later.of([value]) for value in traced.values], on_call)
    return jax.tree_util.tree_unflatten(traced.results, [np.asarray(value.get()[0]) for value in out])


def pack(
    fn: Callable[..., Any],
    *args: Any,
    to: str | os.PathLike[str],
    seed: int = 0,
    chip: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
    **promises: Any,
) -> None:
    """Verifies the kernel that `fn(*args)` reaches and stores it with its inputs, its options and the finding in one file.

    to: file that ends with `.pack`; `gmm-run verify FILE`, `run`, `debug` and `tessera.open_pack` open it, without JAX and `fn`.
    `fn` must reach one kernel, once. Other arguments: as in `verify`.
    """
    engine.accept(promises)
    promises = options.of_chip(promises, chip)
    traced = trace(fn, args, kwargs or {}, seed=seed, chip=chip or "v5e", cores=options.cores(promises))
    packed: list[str] = []

    def on_call(eqn: core.JaxprEqn, inputs: Sequence[Later], world: World) -> list[Later]:
        if packed:
            raise errors.BadInput("pack: expected a function that reaches one kernel, once; found a second call of a kernel")
        lanes = _rows(inputs, world)
        kernel = converted(eqn, world, lines=True, cores=options.cores(promises))
        report = engine.pack(kernel, lanes, options.command_line(promises, "verify"), os.fspath(to))
        if report.exit_code != 0:
            raise errors.BadInput(report.object.get("error") or report.text)
        packed.append(kernel.name)
        everything = Later(lambda: simulated(eqn, world, lanes, {}))
        return [_column(everything, i) for i in range(len(eqn.outvars))]

    walk(traced.jaxpr.jaxpr, traced.jaxpr.consts, [Later.of([value]) for value in traced.values], on_call)
    if not packed:
        raise errors.BadInput("pack: expected a function that reaches one kernel, once; found none")


def simulated(
    eqn: core.JaxprEqn, world: World, lanes: Sequence[Sequence[Any]], given: Mapping[str, Any], timeline: str | None = None
) -> list[list[np.ndarray]]:
    """Returns the results of one call for each device. timeline: file for its picture."""
    kernel = converted(eqn, world, cores=options.cores(given))
    if kernel.opaque:
        one = kernel.opaque[0]
        raise UnknownValues(one.place, f"the value of {one.primitive} is unknown, so the kernel can be proved and not run")
    words = options.command_line(given, "run")
    if timeline is not None:
        with_lines = converted(eqn, world, lines=True, cores=options.cores(given))
        drawn = engine.run(with_lines, lanes, [*words, "--timeline", timeline])
        if drawn.exit_code > 1:
            raise errors.BadInput(drawn.object.get("error") or drawn.text)
    report = engine.run(kernel, lanes, words)
    if report.exit_code != 0:
        found = engine.findings(kernel, report)
        raise FindingError("\n".join(map(str, found)) or report.object.get("error") or report.text)
    return engine.results(kernel, report)


def kernels(
    fn: Callable[..., Any], *args: Any, chip: str = "v5e", kwargs: Mapping[str, Any] | None = None, lines: bool = False
) -> list[tuple[core.JaxprEqn, Kernel | Refused]]:
    """Returns the equation of each kernel in `fn(*args)`, with its conversion or the reason that there is none. Nothing is run.

    lines: add `# line` directives with the place of each statement in the Python.
    """
    traced = trace(fn, args, kwargs or {}, seed=0, chip=chip)
    found: list[tuple[core.JaxprEqn, Kernel | Refused]] = []

    def look(jaxpr: core.Jaxpr, world: World) -> None:
        for eqn in jaxpr.eqns:
            if jaxpr_tools.is_kernel(eqn):
                try:
                    found.append((eqn, converted(eqn, world, lines=lines)))
                except Refused as refused:
                    found.append((eqn, refused))
                continue
            inner = World(dict(eqn.params["mesh"].shape)) if eqn.primitive.name == "shard_map" else world
            for one in jaxpr_tools.inner_jaxprs(eqn.params):
                look(one, inner)

    look(traced.jaxpr.jaxpr, World())
    return found


def text(fn: Callable[..., Any], *args: Any, **how: Any) -> str:
    """Returns the `.tsr` text of every `pallas_call` of `fn(*args)`, in order; a comment for each that is refused.

    Accepts the arguments of `kernels`. With `lines=True` the text contains the places in the Python, so findings of
    `gmm-run verify FILE` are at `kernel.py:49`, with the calls that led there.
    """
    return "\n".join(f"// {one}\n" if isinstance(one, Refused) else one.text for _, one in kernels(fn, *args, **how))
