"""Analysis of one kernel: converts it, verifies it, and compares its results with JAX's."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax._src import core

from tessera.pallas import cache, engine, first_use, jaxpr_tools, kinds, opened_blocks, options, stored, versions
from tessera.pallas.compare import Numbers, compare
from tessera.pallas.convert import Kernel, Refused, convert
from tessera.pallas.verdict import SiteVerdict, callers
from tessera.pallas.world import World

IN_TURN = "the points of the grid's parallel dimensions come in turn, as on one core; parallel=True decides any order, cores=2 two cores"


def converted(eqn: core.JaxprEqn, world: World, parallel: bool = False, lines: bool = False, cores: int = 1) -> Kernel:
    """Returns the conversion of a kernel. Raises `Refused`."""
    kinds.refuse_unconverted(eqn)
    return convert(eqn, mesh=world if world.shape else None, parallel=parallel, lines=lines, cores=cores)


def decide(
    eqn: core.JaxprEqn,
    world: World,
    lanes: Sequence[Sequence[Any]],
    given: Mapping[str, Any],
    *,
    seed: int = 1,
    limit: float = 60,
    check_numbers: bool = True,
    parallel: bool = False,
) -> SiteVerdict:
    """Returns the verdict on one call of a kernel, from the cache if it is stored there.

    lanes: inputs of the call for each device.
    given: options of the proof.
    parallel: also decide whether the points of parallel dimensions may run in any order and concurrently.
    """
    begun = time.perf_counter()
    site = replace(site_of(eqn, world), given=(given_text(eqn, lanes),))
    try:
        kernel = converted(eqn, world, parallel, cores=options.cores(given))
    except Refused as refused:
        return replace(site, what=str(refused), stack=refused.stack, seconds=time.perf_counter() - begun)
    words = options.command_line(given, "verify")
    arrays = [np.asarray(value) for row in lanes for value in row]
    name = cache.key(
        [
            kernel.text,
            jaxpr_text(eqn),
            str(kernel.places),
            str(kernel.loops),
            kernel.cores,
            engine.version_key(),
            jax.__version__,
            words,
            world.shape,
            parallel,
            seed,
            limit,
            check_numbers,
            len(lanes),
            *arrays,
        ]
    )
    kept, note = cache.load(name, stored.SHAPE)
    if kept is not None:
        return replace(stored.restored(site, kept), kernel=kernel, seconds=time.perf_counter() - begun)
    found = _proved(site, kernel, lanes, words)
    found = replace(found, findings=opened_blocks.explained(kernel, eqn, found.findings))
    if found.status in ("proved", "explored") and not parallel and kernel.cores == 1 and _has_parallel_dimensions(eqn):
        found = replace(found, conditions=(*found.conditions, IN_TURN))
    if found.status in ("proved", "explored"):
        numbers = Numbers("not asked", "not compared with JAX, as numbers=False asks")
        if check_numbers:
            numbers = compare(kernel, eqn, world.shape, lanes, seed=seed, options=options.command_line(_of_runs(given), "run"), limit=limit)
        found = replace(found, numbers=numbers, status="mismatch" if numbers.status == "differ" else found.status)
    if found.numbers.is_final:
        cache.store(name, stored.as_json(found))
    return replace(found, notes=(note,) if note else (), seconds=time.perf_counter() - begun)


def site_of(eqn: core.JaxprEqn, world: World, what: str = "") -> SiteVerdict:
    """Returns the verdict `refused` for a kernel that is not analysed. `what`: the reason."""
    return SiteVerdict(
        jaxpr_tools.place(eqn),
        jaxpr_tools.kernel_name(eqn),
        "refused",
        world.size,
        callers(jaxpr_tools.frames(eqn)),
        what=what,
        mesh=bool(world.shape),
        axes=tuple(world.shape.items()),
    )


def _has_parallel_dimensions(eqn: core.JaxprEqn) -> bool:
    """True if the grid has a parallel dimension with more than one point."""
    wanted = getattr(versions.compiler_params(eqn.params), "dimension_semantics", None) or ()
    sizes = eqn.params["grid_mapping"].grid
    return any("parallel" in str(kind).lower() and size != 1 for kind, size in zip(wanted, sizes))


_MOST_SHOWN = 16  # max size of an integer input that is printed with its values


def given_text(eqn: core.JaxprEqn, lanes: Sequence[Sequence[Any]]) -> str:
    """Returns types and shapes of the inputs, with the values of small integer inputs: `int32[3] [10, 0, 20], float32[30, 16]`."""
    found = []
    for at, var in enumerate(eqn.invars):
        aval: Any = var.aval
        text = f"{aval.dtype}[{', '.join(map(str, aval.shape))}]"
        values = [np.asarray(row[at]) for row in lanes]
        if jax.numpy.issubdtype(aval.dtype, np.integer) and values[0].size <= _MOST_SHOWN:
            text += f" {values[0].tolist()}" + ("" if all(np.array_equal(values[0], one) for one in values) else " on the first device")
        found.append(text)
    return ", ".join(found)


def jaxpr_text(eqn: core.JaxprEqn) -> str:
    """Returns the text of a call for the cache key. If JAX cannot print the call, the text is unique."""
    params = eqn.params
    operations = jaxpr_tools.printed(params["jaxpr"]) or uuid.uuid4().hex
    maps = [str(block.index_map_jaxpr) for block in params["grid_mapping"].block_mappings]
    return "\n".join(
        [
            operations,
            str(params["grid_mapping"]),
            *maps,
            str(params["input_output_aliases"]),
            str(params["out_avals"]),
            str(params["compiler_params"]),
        ]
    )


def _of_runs(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options for the comparison of results, without `copy_granularity`: running error bounds require whole copies."""
    return {name: value for name, value in given.items() if name != "copy_granularity"}


def _proved(site: SiteVerdict, kernel: Kernel, lanes: Sequence[Sequence[Any]], words: Sequence[str]) -> SiteVerdict:
    report = engine.verify(kernel, lanes, words)
    said = report.object
    site = replace(site, kernel=kernel)
    if said.get("verdict") is None:
        error = (said.get("errors") or [{}])[0]
        where = kernel.places.get(error.get("line") or 0)
        reason = "; ".join(dict.fromkeys((said.get("error") or report.text.strip()).splitlines()))
        rejected = "the engine rejects the conversion of this line: " if where else ""
        return replace(site, what=f"{where or site.place}: {rejected}{reason}")
    promises = (said.get("promises") or {}).get("text", "")
    conditions = tuple(one if isinstance(one, str) else one.get("message", str(one)) for one in said.get("conditions", []))
    certificate = said.get("certificate") or {}
    if certificate.get("automatic_barrier"):
        conditions += ("it has no barrier: all devices were made to meet before it begins",)
    strictly = [*words, "--uninitialised", "strict"]
    found = first_use.told(engine.findings(kernel, report), lambda: engine.findings(kernel, engine.verify(kernel, lanes, strictly)))
    is_complete = bool(said.get("complete", True)) and not said.get("more_races") and said.get("has_all_races", True)
    # If a condition of the certificate does not hold, other schedules can have other findings.
    is_complete = is_complete and not (said["verdict"] == "refuted" and said.get("conditions"))
    return replace(
        site,
        status=said["verdict"],
        findings=found,
        conditions=conditions,
        promises=promises,
        certificate=certificate,
        complete=is_complete,
        uncovered=engine.uncovered(kernel, report),
    )
