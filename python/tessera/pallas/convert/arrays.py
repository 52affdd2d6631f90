"""Whole arrays of operands and results in a kernel: shared with a result, copied because they are written, or padded."""

from __future__ import annotations

from tessera.pallas.convert import padding
from tessera.pallas.convert.arguments import Arguments
from tessera.pallas.convert.blocks import block_aval, space_of
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.stores import stores_to
from tessera.pallas.convert.values import Ref, whole


class Arrays:
    """Arrays of the blocks. before, after: copies before and after the grid."""

    def __init__(self, c: Conversion, arguments: Arguments, sources: list[Ref]):
        self.c, self.arguments, self.sources = c, arguments, sources
        self.mapping, self.aliases = arguments.mapping, arguments.aliases
        self.before: list[str] = []
        self.after: list[str] = []
        self.joined: dict[int, Ref] = {}
        self._join()
        self._keep_written()
        self._pad()

    def of(self, at: int) -> Ref:
        """Returns the array of a block. For an input that shares its memory with an output, this is the output, initialised with a copy."""
        return self.joined.get(at, self.sources[at])

    def _join(self) -> None:
        count = self.mapping.num_index_operands
        for output, given in self.aliases.items():
            if given < count:
                raise self.c.refuse("a scalar operand that shares its memory with a result")
            source, result = self.sources[given - count], self.sources[self.mapping.num_inputs + output]
            self.before.append(f"copy {source.name} -> {result.name}")
            self.joined[given - count] = result

    def _keep_written(self) -> None:
        """Copies inputs in hbm that the kernel writes, because operands are read-only. Some kernels use an input as scratch memory."""
        c = self.c
        for at, (block, source) in enumerate(zip(self.mapping.block_mappings[: self.mapping.num_inputs], self.sources)):
            var = self.arguments.jaxpr.invars[self.mapping.num_index_operands + at]
            if (
                at in self.joined
                or var not in self.arguments.changed
                or space_of(c, block_aval(block)) != "hbm"
                or not stores_to(self.arguments.jaxpr, var, copies=True)
            ):
                continue
            kept = c.declare("hbm", f"{source.name}_kept", source.dtype, source.extents)
            self.before.append(f"copy {source.name} -> {kept.name}")
            self.joined[at] = whole(kept.name, kept.root, "hbm", source.dtype, source.extents)

    def _pad(self) -> None:
        """Copies padded arrays to larger memory before the grid, and padded results back after it."""
        c, made = self.c, dict[str, Ref]()
        for at, block in enumerate(self.mapping.block_mappings):
            array, room, for_pipeline = self.of(at), padding.of_block(block), False
            if padding.is_padded(room) and self.aliases:
                raise c.refuse("a padded block where results share the memory of inputs")
            if array.name in c.padded and space_of(c, block_aval(block)) == "hbm":
                room = padding.to_tiles(array)
                for_pipeline = True
            if not padding.is_padded(room):
                continue
            if array.name not in made:
                made[array.name], part = padding.with_room(c, array, room)
                if for_pipeline:
                    c.unpadded[made[array.name].root] = array.extents
                c.arrays[made[array.name].name] = c.arrays.get(array.name, array.name)
                output = next((at for at, one in enumerate(self.sources) if at >= self.mapping.num_inputs and one.name == array.name), None)
                if output is None or output - self.mapping.num_inputs in self.aliases:
                    self.before.append(f"copy {array.name} -> {part.text}")
                if output is not None and self.arguments.shared.count > 1:
                    raise c.refuse("a padded result of several cores")
                if output is not None:
                    self.after.append(f"copy {part.text} -> {array.name}")
            self.joined[at] = made[array.name]
