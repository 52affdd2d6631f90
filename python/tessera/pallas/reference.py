"""JAX's own interpretation of a kernel, in a separate process that is ended if it takes too long."""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax._src import core

from tessera.pallas import jaxpr_tools
from tessera.pallas.worker import NoReference, Worker
from tessera.pallas.written_views import without_pauses, written_out

__all__ = ["NAMES", "NoReference", "Worker", "end_worker", "mode_of", "reference"]
NAMES = {"grid": "interpret=True", "machine": "InterpretParams()", "races": "InterpretParams(detect_races=True)"}

_worker = Worker()
atexit.register(_worker.kill)
os.register_at_fork(after_in_child=_worker.forget)


def mode_of(eqn: core.JaxprEqn) -> str:
    """Returns JAX's mode for a kernel: "machine", a simulated machine, if it has its own copies or semaphores; else "grid", a loop over
    its grid."""
    return "machine" if jaxpr_tools.moves_copies(eqn.params["jaxpr"]) else "grid"


def reference(
    eqn: core.JaxprEqn,
    shape: dict[str, int],
    sets: Sequence[Sequence[Sequence[Any]]],
    *,
    mode: str = "",
    limit: float = 60,
    times: int = 1,
    worker: Worker | None = None,
    machine: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Returns the answer of `reference_worker.interpret`, its `mode`, and `views`: True if views were written out. Raises `NoReference`.

    mode: a key of NAMES. By default a kernel that stays on its device is tried in both modes, because neither has all primitives.
    limit: maximum seconds. times: number of runs of the first set, for timing. worker: a process instead of the shared one.
    machine: fields of `InterpretParams` for JAX's machine.
    """
    if eqn.primitive.name != "pallas_call":
        raise NoReference(f"JAX's interpreter is used for `pallas_call` only, not for `{eqn.primitive.name}`")
    inputs = [[[np.asarray(value) for value in row] for row in lanes] for lanes in sets]
    modes = [mode] if mode else ["machine" if machine else mode_of(eqn)]
    if not mode and not machine and not jaxpr_tools.reaches_others(eqn.params["jaxpr"]):
        modes.append("machine" if modes == ["grid"] else "grid")
    errors = []
    jaxpr = without_pauses(eqn.params["jaxpr"])
    params = {**eqn.params, "jaxpr": written_out(jaxpr)}
    for one in modes:
        answer = (worker or _worker).ask((params, shape, inputs, one, times, machine or {}), len(inputs[0]), limit)
        if "error" not in answer:
            return {**answer, "mode": one, "views": params["jaxpr"] is not jaxpr}
        errors.append(f"{NAMES[one]} ends with {answer['error']}")
    raise NoReference("; ".join(errors), is_final="RESOURCE_EXHAUSTED" not in str(errors) and "MemoryError" not in str(errors))


def end_worker() -> None:
    """Ends the shared process. The next request starts a new one."""
    _worker.end()
