"""Converts a traced `pallas_call` to the text of a kernel.

    kernel = convert(equation, mesh=mesh)       # the equation of a `pallas_call`, or its params
    kernel.text, kernel.operands, kernel.results

`convert` raises `Refused`, whose text is `kernel.py:49: what`, where the kernel cannot be told.

- An operand goes in as `np.asarray(x).astype(operand.dtype).reshape(operand.shape)`, one for each device.
- A result comes back as `array.astype(result.result_dtype).reshape(result.result_shape)`.
- An output that shares its memory with an input (`aliased`) is one memory in the text: a result, which begins with a
  copy of the operand.
- `mesh` is that of the enclosing `shard_map` (anything with `.shape`, an ordered mapping of axis names to sizes):
  device numbers are row-major in it. Without a mesh a kernel that asks for its place is refused.
- `parallel=True` tells the leading dimensions whose semantics are "parallel" as such: `verify` then also decides whether
  their points may come in any order and on several cores. Without it the points come in turn, as on one core.
- `cores=2` shares the first parallel dimension among two cores of each device, the first half on core 0, as on a megacore.
  A mesh of TensorCores has its own number of cores.
- `lines=True` writes a `# line` directive before each statement; without it `kernel.places` alone has the lines.
"""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert.kernel import Kernel, Opaque, Operand, Place, Refused, Result, UnknownValues
from tessera.pallas.convert.program import convert_call

__all__ = ["Kernel", "Opaque", "Operand", "Place", "Refused", "Result", "UnknownValues", "convert"]


def convert(eqn_or_params: Any, *, mesh: Any = None, lines: bool = False, parallel: bool = False, cores: int = 1) -> Kernel:
    """The kernel of one `pallas_call` equation (or of its params); raises `Refused`."""
    return convert_call(eqn_or_params, mesh=mesh, lines=lines, parallel=parallel, cores=cores)
