"""Runs every `pallas_call` of an unmodified program on Tessera, also inside jit, custom_vjp and shard_map."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np
from jax._src import core
from jax._src.interpreters import mlir
from jax._src.pallas import pallas_call

from tessera.pallas import engine, jaxpr_tools, kinds, tensorcores, versions
from tessera.pallas.convert import Refused, UnknownValues
from tessera.pallas.coverage import Path, Unreached
from tessera.pallas.decide import decide, site_of
from tessera.pallas.program import FindingError, simulated
from tessera.pallas.reference import NoReference, reference
from tessera.pallas.verdict import Accepted, SiteVerdict, Verdict, all_accepted, together
from tessera.pallas.world import World

# Number of threads of JAX's CPU client, read when it is created. Devices of one kernel wait for each other in these threads.
os.environ.setdefault("NPROC", "16")


class _Meeting:
    """Rendezvous of the devices of one `pallas_call`. The last device to arrive runs the kernel for all.

    A device waits at most `limit` seconds until all have arrived. Time while `is_busy()` is true does not count, because a device
    may run another kernel first.
    """

    def __init__(self, size: int, limit: float, is_busy: Callable[[], bool]):
        self._size, self._limit, self._is_busy = size, limit, is_busy
        self._changed = threading.Condition()
        self._inputs: dict[int, Any] = {}
        self._round = 0  # number of completed rendezvous; a kernel in a loop has several
        self._outcomes: dict[int, Any] = {}  # by round: a device may enter the next round before another has read its results

    def take(self, device: int, inputs: Sequence[Any], work: Any) -> Any:
        with self._changed:
            here = self._round
            self._inputs[device] = inputs
            is_last = len(self._inputs) == self._size
            if not is_last:
                self._wait(device, here)
        if is_last:
            try:
                outcome = work([self._inputs[i] for i in range(self._size)])
            except Exception as error:
                outcome = error
            with self._changed:
                self._outcomes = {here: outcome, here - 1: self._outcomes.get(here - 1)}
                self._inputs, self._round = {}, here + 1
                self._changed.notify_all()
        outcome = self._outcomes[here]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome[device]

    def _wait(self, device: int, here: int) -> None:
        left = self._limit
        while self._round == here:
            begun, was_busy = time.monotonic(), self._is_busy()
            self._changed.wait(min(max(left, 0.05), 0.5))
            left -= 0 if was_busy or self._is_busy() else time.monotonic() - begun
            if left <= 0 and self._round == here and len(self._inputs) < self._size:
                del self._inputs[device]
                raise RuntimeError(
                    f"the {self._size} devices of a pallas_call did not come together: JAX was used before tessera.pallas was "
                    "imported, and has fewer threads; set NPROC=16 in the environment"
                )


@dataclass
class Session:
    """The kernels under `interpret`. `verdict` has one site for each `pallas_call`, shape and set of control inputs, and lists each
    kernel that was compiled and did not run."""

    given: Mapping[str, Any]
    prove: bool
    numbers: bool
    parallel: bool
    limit: float
    accepted: Sequence[Accepted]
    all: bool = False
    found: list[SiteVerdict] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _compiled: dict[Path, Unreached] = field(default_factory=dict)
    _equations: list[core.JaxprEqn] = field(default_factory=list)  # kept alive, so that ids are not reused
    _paths: dict[int, Path] = field(default_factory=dict)  # by equation id
    _reached: set[Path] = field(default_factory=set)  # paths of kernels that have a site
    _meetings: dict[Any, _Meeting] = field(default_factory=dict)
    _running: int = 0  # number of kernels that are running
    _has_invented: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def verdict(self) -> Verdict:
        covered = Verdict((), tuple(self.accepted), (), tuple(self._compiled.values()), frozenset(self._reached))
        return together([*(Verdict((site,)) for site in self.found), covered]).telling(self.all)

    def compiled(self, eqn: core.JaxprEqn) -> None:
        """Called when JAX compiles a kernel, whether or not it runs later."""
        self._equations.append(eqn)
        if self.prove:
            name = jaxpr_tools.kernel_name(eqn)
            unreached = Unreached(jaxpr_tools.place(eqn), name, "not reached: it was compiled, and did not run or failed", _path(eqn))
            self._compiled[unreached.path] = unreached
            self._paths[id(eqn)] = unreached.path

    def refused(self, eqn: core.JaxprEqn, what: str) -> Refused:
        """Called when JAX compiles a kernel that is not converted. Adds it to the verdict, whether or not it runs."""
        error = Refused(jaxpr_tools.place(eqn), what, jaxpr_tools.frames(eqn)[1:])
        self.found.append(site_of(eqn, World(), str(error)))
        return error

    def call(self, eqn: core.JaxprEqn, world: World, device: int, inputs: Sequence[Any]) -> Any:
        """Returns the results of one device, after all devices have arrived."""
        with self._lock:
            meeting = self._meetings.setdefault(id(eqn), _Meeting(world.size, self.limit, lambda: self._running > 0))
        return meeting.take(device, inputs, lambda lanes: self._work(eqn, world, lanes))

    def _work(self, eqn: core.JaxprEqn, world: World, lanes: Sequence[Sequence[Any]]) -> Any:
        with self._lock:
            self._running += 1
        try:
            return self._results(eqn, world, lanes)
        finally:
            with self._lock:
                self._running -= 1

    def _results(self, eqn: core.JaxprEqn, world: World, lanes: Sequence[Sequence[Any]]) -> Any:
        """Returns the results of all devices. If the run has none, they come from JAX's interpreter, or are NaN.

        Errors are added to `errors`, not raised: JAX's runtime would raise them again at every later use.
        """
        try:
            if self.prove:
                site = decide(eqn, world, lanes, self.given, limit=self.limit, check_numbers=self.numbers, parallel=self.parallel)
                if self._has_invented:
                    site = replace(site, complete=False, notes=(*site.notes, "it was analysed with inputs that another kernel did not compute"))
                self.found.append(site)
                self._reached.add(self._paths[id(eqn)])
            return simulated(eqn, world, lanes, self.given)
        except (FindingError, Refused) as error:
            if isinstance(error, FindingError) and not self.accepted:
                self.errors.append(str(error))
                return self._invented(eqn, lanes)
            try:
                found = reference(eqn, world.shape, [lanes], limit=self.limit)["results"][0]
            except NoReference:
                found = None
            if found is None or not isinstance(error, UnknownValues):
                self.errors.append(str(error))
            if found is not None:
                return found
        return self._invented(eqn, lanes)

    def _invented(self, eqn: core.JaxprEqn, lanes: Sequence[Sequence[Any]]) -> Any:
        """Returns NaN or zeros for unknown results. Kernels that run later then do not have their real inputs."""
        self._has_invented = True
        return [[_nothing(var.aval) for var in eqn.outvars] for _ in lanes]


def _path(eqn: core.JaxprEqn) -> Path:
    """Names a kernel by its Python lines and its operations: JAX may compile a kernel several times and run only one of them."""
    operations = jaxpr_tools.printed(eqn.params["jaxpr"]) or " ".join(one.primitive.name for one in jaxpr_tools.primitives(eqn.params["jaxpr"]))
    return (*map(str, jaxpr_tools.frames(eqn)), jaxpr_tools.kernel_name(eqn), operations)


def _nothing(aval: Any) -> np.ndarray:
    floats = jax.numpy.issubdtype(aval.dtype, jax.numpy.floating)
    return np.full(aval.shape, np.nan if floats else 0, aval.dtype)


@contextlib.contextmanager
def interpret(**how: Any) -> Iterator[Session]:
    """Context manager that runs and verifies every `pallas_call` on Tessera's simulated devices.

    with tessera.pallas.interpret() as session:
        y = f(x)
    assert session.verdict.proved, session.verdict

    Accepts `prove=False` (only run), and these arguments of `verify`: `numbers`, `parallel`, `limit`, `accept`, `all`, and guarantees
    of the machine by name (`dma_order="fifo"`).
    If a run has a finding, the program continues with NaN, or with JAX's own results if `accept` is given. If a kernel is refused,
    the program continues with JAX's own results, or with NaN if JAX has none. In both cases the end of the block raises
    `FindingError`, unless all findings are accepted; `session.verdict` is available nevertheless. Values that a conversion leaves
    unknown come from JAX and raise nothing.
    JAX's caches of compiled functions are cleared at the beginning and the end.
    """
    with recorded(**how) as session:
        yield session
    verdict = session.verdict
    if session.errors and not (verdict.sites and verdict.ok):
        raise FindingError(str(verdict) if verdict.sites else "\n".join(session.errors))


@contextlib.contextmanager
def recorded(
    *,
    prove: bool = True,
    numbers: bool = True,
    parallel: bool = False,
    limit: float = 60,
    accept: Sequence[Accepted] = (),
    all: bool = False,
    **given: Any,
) -> Iterator[Session]:
    """Like `interpret`, but the end of the block does not raise."""
    engine.accept(given)
    if not all_accepted(accept):
        raise TypeError("accept: expected a list of tessera.pallas.Accepted")
    session = Session(given, prove, numbers, parallel, limit, accept, all)
    jax.clear_caches()
    # Not cacheable: equal calls in different places would share one lowering.
    mlir.register_lowering(pallas_call.pallas_call_p, _lowering(session), cacheable=False)
    mpmd = versions.mpmd()
    before = None if mpmd is None else mlir._lowerings[mpmd.mpmd_map_p]
    if mpmd is not None:
        mlir.register_lowering(mpmd.mpmd_map_p, _lowering_of_jax(session, mpmd), cacheable=False)
    try:
        with versions.without_pipeline_primitive():
            yield session
            jax.effects_barrier()
    finally:
        mlir.register_lowering(pallas_call.pallas_call_p, pallas_call._pallas_call_lowering)
        if mpmd is not None and before is not None:
            mlir._lowerings[mpmd.mpmd_map_p] = before
        jax.clear_caches()


def _equation(ctx: mlir.LoweringRuleContext, primitive: Any, params: dict[str, Any]) -> core.JaxprEqn:
    eqn = core.new_jaxpr_eqn(
        [core.Var(aval) for aval in ctx.avals_in], [core.Var(aval) for aval in ctx.avals_out], primitive, params, core.no_effects
    )
    return eqn if ctx.traceback is None else eqn.replace(source_info=eqn.source_info.replace(traceback=ctx.traceback))


def _lowering_of_jax(session: Session, mpmd: Any) -> Any:
    """Returns the lowering of `pl.kernel`: a kernel on TensorCores is a `pallas_call`, others are refused and run in JAX's interpreter."""
    of_call = _lowering(session)

    def rule(ctx: mlir.LoweringRuleContext, *nodes: Any, **params: Any) -> Any:
        try:
            return of_call(ctx, *nodes, **tensorcores.call_params(params, ctx.avals_in, ctx.avals_out))
        except tensorcores.NoCall:
            pass
        eqn = _equation(ctx, mpmd.mpmd_map_p, params)
        session.refused(eqn, kinds.why_not_converted(eqn))
        params["interpret"] = params["interpret"] or True
        return mpmd._mpmd_map_fallback_lowering(ctx, *nodes, **params)

    return rule


def _refuse_other_types(session: Session, eqn: core.JaxprEqn) -> None:
    """Raises `Refused` for operands and results that are not arrays on a host: semaphores, keys, pinned buffers. JAX runs none of these."""
    for aval in (v.aval for v in (*eqn.invars, *eqn.outvars)):
        if type(aval) is not core.ShapedArray or jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended):
            raise session.refused(eqn, f"an operand or a result of the type {aval}")


def _lowering(session: Session) -> Any:
    def rule(ctx: mlir.LoweringRuleContext, *nodes: Any, **params: Any) -> Any:
        eqn = _equation(ctx, pallas_call.pallas_call_p, params)
        _refuse_other_types(session, eqn)
        session.compiled(eqn)

        def with_callback(*values: Any) -> Any:
            world = World(dict(core.get_axis_env().axis_sizes))
            device: Any = np.int32(0)
            for name, size in world.shape.items():
                device = device * size + jax.lax.axis_index(name)
            shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in ctx.avals_out]

            def on_host(number: Any, *inputs: Any) -> Any:
                return session.call(eqn, world, int(number), [np.asarray(value) for value in inputs])

            return jax.pure_callback(on_host, shapes, device, *values)

        try:
            return mlir.lower_fun(with_callback, multiple_results=True)(ctx, *nodes)
        except NotImplementedError as error:  # under a mesh whose arrays JAX partitions automatically
            raise session.refused(eqn, str(error)) from None
        except ValueError as error:
            if "lowering platform" not in str(error):
                raise
            return pallas_call._pallas_call_lowering(ctx, *nodes, **params)  # exported for another platform

    return rule
