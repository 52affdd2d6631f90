"""Process that interprets kernels with JAX. Reads requests from standard input and writes answers to standard output.

A separate process is used because JAX's interpreter hangs if a kernel hangs, and because it needs as many host devices and
threads as the kernel has devices. A process that already runs JAX cannot add these.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
import time
import traceback
from typing import Any, BinaryIO

from tessera.pallas import jaxpr_pickle, versions

HEAD = struct.Struct("<qq")  # header of requests and answers: request number, number of bytes that follow


def read_request(stream: BinaryIO) -> tuple[int, bytes] | None:
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    number, size = HEAD.unpack(head)
    data = stream.read(size)
    return (number, data) if len(data) == size else None


def write_answer(stream: BinaryIO, number: int, data: bytes) -> None:
    stream.write(HEAD.pack(number, len(data)) + data)
    stream.flush()


def interpret(
    params: dict[str, Any], shape: dict[str, int], sets: list[list[list[Any]]], mode: str, times: int, settings: dict[str, Any]
) -> dict[str, Any]:
    """Interprets a kernel on several sets of inputs, each with the inputs of every device. The first set is run `times` times in all.

    Returns the results per set and device; True if races were found; the seconds of the first call, and the minimum of later calls.
    """
    import jax
    import numpy as np
    from jax._src.pallas import pallas_call
    from jax.experimental.pallas import tpu as pltpu

    machine = versions.machine()
    how = True if mode == "grid" else pltpu.InterpretParams(detect_races=mode == "races", **settings)
    given = {**params, "interpret": how}

    def body(*values: Any) -> Any:
        return pallas_call.pallas_call_p.bind(*values, **given)

    if shape:
        devices = np.array(jax.devices()[: len(sets[0])]).reshape(tuple(shape.values()))
        mesh = jax.sharding.Mesh(devices, tuple(shape))
        spec = jax.sharding.PartitionSpec(tuple(shape))
        call = jax.jit(
            jax.shard_map(lambda *xs: [out[None] for out in body(*[x[0] for x in xs])], mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
        )
    else:
        call = jax.jit(body)
    seconds, results, races = [], [], False
    for lanes in [*sets, *[sets[0]] * (times - 1)]:
        inputs = [np.stack(column) for column in zip(*lanes)] if shape else lanes[0]
        machine.reset_tpu_interpret_mode_state()
        begun = time.perf_counter()
        with versions.as_if_on("v5e") if settings else contextlib.nullcontext():  # for its tile sizes, to which arrays are padded
            outputs = [np.asarray(out) for out in call(*inputs)]
        seconds.append(time.perf_counter() - begun)
        races |= bool(mode == "races" and machine.races is not None and machine.races.races_found)
        results.append([[out[d] for out in outputs] if shape else outputs for d in range(len(lanes))])
    return {"results": results[: len(sets)], "races": races, "first": seconds[0], "warm": min(seconds[1:], default=None)}


def _in_a_line(error: Exception) -> str:
    """Returns one line of an error. If its text is a traceback of a callback, the last line; else the type and the first line."""
    lines = [line for line in (str(error) or traceback.format_exc()).splitlines() if line and not line.startswith(("-----", "For simp"))]
    last = lines[-1] if "Traceback" in str(error) else f"{type(error).__name__}: {lines[0]}"
    return last[:300]


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of the interpreter goes to standard error
    from jax.experimental import pallas  # noqa: F401  primitives are found by name in loaded modules
    from jax.experimental.pallas import tpu  # noqa: F401

    while (request := read_request(sys.stdin.buffer)) is not None:
        number, message = request
        try:
            answer = interpret(*jaxpr_pickle.loads(message))
        except Exception as error:
            answer = {"error": _in_a_line(error)}
        write_answer(answers, number, jaxpr_pickle.dumps(answer))


if __name__ == "__main__":
    main()
