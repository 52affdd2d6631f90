"""The kernel's refs of blocks: windows of arrays, parts of arrays, or memory of the core that is filled or emptied by copies."""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert import scalars
from tessera.pallas.convert.arguments import Arguments
from tessera.pallas.convert.arrays import Arrays
from tessera.pallas.convert.blocks import array_aval, block_aval, covers, space_of
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.refs import scalar
from tessera.pallas.convert.stores import stores_to
from tessera.pallas.convert.values import Dim, Ref, Scalar, held, number
from tessera.pallas.convert.walk import walk


class Windows:
    """Refs of blocks. within: copies at the end of each grid point."""

    def __init__(self, c: Conversion, arguments: Arguments, arrays: Arrays):
        self.c, self.arguments, self.arrays = c, arguments, arrays
        self.mapping, self.jaxpr, self.changed = arguments.mapping, arguments.jaxpr, arguments.changed
        self.within: list[str] = []
        self.fetched: dict[int, Ref] = {}

    def fetch_whole(self) -> None:
        """Copies inputs that are a single block, and that the kernel may write, to vmem for all grid points."""
        for at, block in enumerate(self.mapping.block_mappings[: self.mapping.num_inputs]):
            place = self.mapping.num_index_operands + at
            array = self.arrays.of(at)
            if (
                self.jaxpr.invars[place] in self.changed
                and space_of(self.c, block_aval(block)) == "vmem"
                and all(covers(kind, n) for kind, n in zip(block.block_shape, array.extents))
            ):
                self.fetched[at] = self._resident(self.arguments.block_name(at), block, array, -1)

    def ref(self, at: int, block: Any, indices: list[Any], opened: bool) -> Ref:
        """Returns the kernel's ref: the memory itself, a part of it, a window, or memory of the core that is copied."""
        c, output = self.c, at - self.mapping.num_inputs
        space = space_of(c, block_aval(block))
        var = self.jaxpr.invars[self.mapping.num_index_operands + at]
        base = self.arguments.block_name(at)
        array = self.arrays.of(at)
        if space == "hbm" and not self.mapping.vmapped_dims:
            return array
        if at in self.fetched:
            return self.fetched[at]
        dims = self._dims(block, indices)
        trivial = all((d.size == n and d.start.known == 0) or (d.size is None and n == 1) for d, n in zip(dims, array.extents))
        if space in ("smem", "hbm"):
            if not array_aval(block).shape:
                return held(array.name, array.root, space, array.dtype, ())
            cut = [Dim(d.start, d.size, whole=d.size == n) for d, n in zip(dims, array.extents)]
            return Ref(array.name, array.root, space, array.dtype, tuple(cut), array.extents)
        if trivial and not opened:
            return self._resident(base, block, array, output)
        if var in self.changed and output < 0:
            raise c.refuse(f"a block of the input {base} that the kernel writes to")
        shape = tuple(d.size for d in dims if d.size is not None and not isinstance(d.size, Scalar))
        if output >= 0 and var in self.changed and not stores_to(self.jaxpr, var):
            return self._copied_out(base, array, dims)
        name = c.names.new(base)
        c.windows.add(name)
        taken = ", ".join(d.start.text if d.size is None else f"{d.start.at(9)} +: {d.size}" for d in dims)
        depth = getattr(block.pipeline_mode, "buffer_count", None)
        again = output >= 0 and "ANY" in str(getattr(block.pipeline_mode, "revisit", ""))
        words = [" update"] * again + [f" depth {depth}"] * bool(depth)
        c.say(f"window {name} = {array.name}[{taken}]{','.join(words)}")
        return held(name, array.name if output >= 0 else name, "vmem", array.dtype, shape if block_aval(block).shape else ())

    def _copied_out(self, base: str, source: Ref, dims: list[Dim]) -> Ref:
        """Declares memory of the core for a result block that only copies write. It is copied back after each grid point."""
        shape = tuple(d.size for d in dims if d.size is not None and not isinstance(d.size, Scalar))
        ref = self.c.declare("vmem", base, source.dtype, shape)
        part = Ref(source.name, source.root, source.space, source.dtype, tuple(dims), source.extents)
        self.within.append(f"copy {ref.text} -> {part.text}")
        return ref

    def _resident(self, base: str, block: Any, source: Ref, output: int) -> Ref:
        """Declares vmem for a whole array, which is copied in before the body or out after it."""
        c = self.c
        shape = tuple(block_aval(block).shape)
        ref = c.declare("vmem", base, source.dtype, shape or (1,))
        text = source.text
        if len(shape or (1,)) != len(source.extents):
            keep = ["0" if type(b).__name__ == "Squeezed" else ":" for b in block.block_shape]
            text = f"{source.name}[{', '.join(keep)}]"
        if output < 0:
            c.say(f"copy {text} -> {ref.text}")
        else:
            self.arrays.after.append(f"copy {ref.text} -> {text}")
        return held(ref.name, ref.root, "vmem", ref.dtype, shape)

    def _dims(self, block: Any, indices: list[Any]) -> list[Dim]:
        """Returns the slice of the array for a block, from its index map."""
        c, closed = self.c, block.index_map_jaxpr
        c.learn(closed.jaxpr)
        found = [scalar(c, place) for place in walk(c, closed.jaxpr, indices)]
        dims = []
        for place, kind in zip(found, block.block_shape):
            name = type(kind).__name__
            if name == "Squeezed":
                dims.append(Dim(place, None))
            elif name == "Blocked":
                dims.append(Dim(scalars.multiply(c, place, number(kind.block_size), "int32"), kind.block_size))
            elif name == "Element":
                dims.append(Dim(place, kind.block_size))
            else:
                raise c.refuse(f"a block dimension {kind}, which is for emit_pipeline: JAX compiles it in no grid of a pallas_call")
        return dims or [Dim(number(0), 1)]
