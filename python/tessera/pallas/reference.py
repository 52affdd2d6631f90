"""JAX's own interpretation of a kernel, in a process of its own that is ended when it takes too long."""

from __future__ import annotations

import atexit
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax._src import core

from tessera.pallas import jaxpr_pickle, jaxpr_tools
from tessera.pallas.reference_worker import read_message, write_message
from tessera.pallas.written_views import written_out


NAMES = {"grid": "interpret=True", "machine": "InterpretParams()", "races": "InterpretParams(detect_races=True)"}


class NoReference(Exception):
    """JAX's interpreter gave no numbers; str() says why."""


class Worker:
    """One process, begun at the first request and kept for the next until `end`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._devices = 0

    def ask(self, message: bytes, devices: int, limit: float) -> bytes:
        process = self._started(devices)
        assert process.stdin is not None and process.stdout is not None
        try:
            write_message(process.stdin, message)
        except BrokenPipeError:
            self.end()
            raise NoReference("the process of JAX's interpreter ended") from None
        ready, _, _ = select.select([process.stdout], [], [], limit)
        answer = read_message(process.stdout) if ready else None
        if answer is None:
            self.end()
            raise NoReference("the process of JAX's interpreter ended" if ready else
                              f"JAX's interpreter did not end within {limit:g} s")
        return answer

    def _started(self, devices: int) -> subprocess.Popen[bytes]:
        if self._process is not None and (self._process.poll() is not None or self._devices < devices):
            self.end()
        if self._process is None:
            self._devices = max(8, devices)
            # As many threads as devices that block each other: with fewer XLA would hang where no kernel does.
            environment = {**os.environ, "JAX_PLATFORMS": "cpu", "NPROC": str(2 * self._devices),
                           "XLA_FLAGS": f"--xla_force_host_platform_device_count={self._devices}",
                           "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            self._process = subprocess.Popen([sys.executable, "-m", "tessera.pallas.reference_worker"],
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                             env=environment)
        return self._process

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


_worker = Worker()
atexit.register(_worker.end)


def mode_of(eqn: core.JaxprEqn) -> str:
    """How JAX interprets a kernel: as a loop over its grid, or on a simulated machine where it has copies."""
    return "machine" if jaxpr_tools.moves_copies(eqn.params["jaxpr"]) else "grid"


def reference(eqn: core.JaxprEqn, shape: dict[str, int], sets: Sequence[Sequence[Sequence[Any]]], *, mode: str = "",
              limit: float = 60, times: int = 1, worker: Worker | None = None) -> dict[str, Any]:
    """The answer of `reference_worker.interpret`, the `mode` that gave it, and whether `views` were written out for it;
    raises `NoReference`.

    Without a mode a kernel that JAX's machine cannot interpret is tried as a loop over its grid, if it stays on its device.
    `worker` is a process of the caller's in place of the shared one.
    """
    inputs = [[[np.asarray(value) for value in row] for row in lanes] for lanes in sets]
    modes = [mode] if mode else [mode_of(eqn)]
    if modes == ["machine"] and not jaxpr_tools.reaches_others(eqn.params["jaxpr"]):
        modes.append("grid")
    errors = []
    params = {**eqn.params, "jaxpr": written_out(eqn.params["jaxpr"])}
    for one in modes:
        try:
            message = jaxpr_pickle.dumps((params, shape, inputs, one, times))
        except Exception as error:
            raise NoReference(f"the kernel does not go to another process: {error}") from None
        answer = jaxpr_pickle.loads((worker or _worker).ask(message, len(inputs[0]), limit))
        if "error" not in answer:
            return {**answer, "mode": one, "views": params["jaxpr"] is not eqn.params["jaxpr"]}
        errors.append(f"{NAMES[one]} ends with {answer['error']}")
        (worker or _worker).end()       # what a callback of JAX's machine raised would be raised again by the next kernel
    raise NoReference("; ".join(errors))


def end_worker() -> None:
    """Ends the process; the next request begins another."""
    _worker.end()
