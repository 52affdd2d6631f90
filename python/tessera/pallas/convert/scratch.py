"""Scratch memory and semaphores of a kernel."""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert.blocks import space_of
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.parameters import clean
from tessera.pallas.convert.values import Ref, dtype_name, held, whole


def scratch(c: Conversion, aval: Any, wanted: str | None, scoped: bool = False) -> Ref:
    """Declares scratch memory or semaphores of the kernel. Scoped memory exists between `alloc` and `free`."""
    space = space_of(c, aval)
    wanted = clean(wanted)
    if space == "sem":
        kind = dtype_name(aval.inner_aval.dtype)
        name = c.names.new(wanted, "sem")
        extents = f"[{', '.join(map(str, aval.shape))}]" if aval.shape else ""
        if "barrier" in kind:
            raise c.refuse("a barrier semaphore as scratch")
        c.writer.declare(f"sem {name}{extents}: {'bytes' if 'dma' in kind else 'count'}", c.place)
        return whole(name, name, "sem", "int32", tuple(aval.shape))
    dtype = dtype_name(aval.dtype)
    shape = tuple(aval.shape)
    ref = c.declare(f"scoped {space}" if scoped else space, wanted, dtype, shape or (1,))
    return held(ref.name, ref.root, space, dtype, shape)
