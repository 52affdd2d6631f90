"""Converts a traced `pallas_call` to a `.tsr` kernel.

    kernel = convert(equation, mesh=mesh)       # the equation of a `pallas_call`, or its params
    kernel.text, kernel.operands, kernel.results

`convert` raises `Refused`, with the text `kernel.py:49: reason`, if the kernel cannot be converted.

- An operand is passed as `np.asarray(x).astype(operand.dtype).reshape(operand.shape)`, one for each device.
- A result is returned as `array.astype(result.result_dtype).reshape(result.result_shape)`.
- An output that shares its memory with an input (`aliased`) is one memory in the text: a result that is initialised with a copy of
  the operand.
- `mesh` is the mesh of the enclosing `shard_map`: anything with `.shape`, an ordered mapping of axis names to sizes. Device numbers
  are row-major in it. Without a mesh, a kernel that reads its position is refused.
- `parallel=True` marks the leading dimensions with "parallel" semantics as parallel. `verify` then also decides whether their points
  may run in any order and on several cores. By default the points run in order, as on one core.
- `cores=2` splits the first parallel dimension between two cores of each device, as on a megacore; core 0 has the first half. A mesh
  of TensorCores has its own number of cores.
- `lines=True` writes a `# line` directive before each statement. By default only `kernel.places` has the lines.
"""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert.kernel import Kernel, Opaque, Operand, Place, Refused, Result, UnknownValues
from tessera.pallas.convert.program import convert_call

__all__ = ["Kernel", "Opaque", "Operand", "Place", "Refused", "Result", "UnknownValues", "convert"]


def convert(eqn_or_params: Any, *, mesh: Any = None, lines: bool = False, parallel: bool = False, cores: int = 1) -> Kernel:
    """Converts one `pallas_call` equation (or its params). Raises `Refused` if that is not possible."""
    return convert_call(eqn_or_params, mesh=mesh, lines=lines, parallel=parallel, cores=cores)
