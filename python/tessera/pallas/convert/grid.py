"""The grid of a `pallas_call`: its operands and results, a window for each block that moves, and memory for the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jax.extend import core as jax_core

from tessera.pallas.convert import padding, scalars
from tessera.pallas.convert.blocks import array_aval, block_aval, covers, numpy_type, space_of
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.cores import Shared
from tessera.pallas.convert.kernel import Operand, Result
from tessera.pallas.convert.names import dimension_name
from tessera.pallas.convert.parameters import clean, parameter_names
from tessera.pallas.convert.refs import scalar
from tessera.pallas.convert.scratch import scratch
from tessera.pallas.convert.stores import stores_to
from tessera.pallas.convert.values import ATOM, TYPES, Dim, Ref, Scalar, dtype_name, held, number, stored_type, whole
from tessera.pallas.convert.walk import walk
from tessera.pallas.versions import effect_target


class Grid:
    """Opens the pipeline, hands the kernel its refs, and closes what it opened."""

    def __init__(self, c: Conversion, mapping: Any, jaxpr: Any, aliases: tuple, semantics: Any, shared: Shared):
        self.c, self.mapping, self.jaxpr = c, mapping, jaxpr
        self.semantics, self.shared = semantics, shared
        self.before: list[str] = []
        self.operands: list[Operand] = []
        self.results: list[Result] = []
        self.first = mapping.num_dynamic_grid_bounds
        self.aliases = {o: i for i, o in aliases}
        self.given = parameter_names(jaxpr)
        self.after: list[str] = []
        self.within: list[str] = []
        self.opened, self.indices = False, list[Scalar]()
        self.decides: set[int] = set()
        self.changed = self._stored()

    def control(self) -> frozenset[int]:
        return frozenset(self.decides)

    def _stored(self) -> set[Any]:
        """The kernel's refs that something may be written to, of which copies come first."""
        found = set()
        for effect in self.jaxpr.effects:
            if type(effect).__name__ in ("WriteEffect", "AccumEffect"):
                found.add(effect_target(effect, self.jaxpr.invars))
        return found

    def _wanted(self, at: int, otherwise: str) -> str:
        return clean(self.given[at] if at < len(self.given) else None) or otherwise

    def open(self) -> list[Any]:
        """Declares everything, opens the pipeline, and gives the refs of the kernel in its order."""
        c, mapping = self.c, self.mapping
        count, blocks = mapping.num_index_operands, mapping.block_mappings
        bounds = [self._bound(i) for i in range(self.first)]
        prefetched = [self._prefetched(i) for i in range(count)]
        moved = bool(mapping.grid) and self.shared.indices is None
        self.indices = self.shared.indices or []
        self._check_index_maps(count)
        sources = [self._source(i, b, moved) for i, b in enumerate(blocks)]
        self._join(sources, count)
        self._keep_written(sources)
        self._pad(sources)
        self.shared.say_once(self.before)
        invars = self.jaxpr.invars
        scratches = [scratch(c, v.aval, self._wanted(count + len(blocks) + i, "scratch"))
                     for i, v in enumerate(invars[count + len(blocks):])]
        arguments = [p.copy() if v in self.changed else p.ref for p, v in zip(prefetched, invars)]
        if moved:
            self._fetch_whole(sources)
            self._pipeline(bounds)
        refs = [self._block(i, b, s, [p.ref for p in prefetched]) for i, (b, s) in enumerate(zip(blocks, sources))]
        return [*arguments, *refs, *scratches]

    def _check_index_maps(self, count: int) -> None:
        """A TPU fetches blocks ahead of the body, except with one buffer: index maps must not read operands that the body stores to."""
        for place, block in enumerate(self.mapping.block_mappings):
            if place < self.mapping.num_inputs and getattr(block.pipeline_mode, "buffer_count", None) == 1:
                continue
            jaxpr = block.index_map_jaxpr.jaxpr
            read = {v for eqn in jaxpr.eqns for v in eqn.invars if not isinstance(v, jax_core.Literal)}
            for at, var in enumerate(jaxpr.invars[len(jaxpr.invars) - count:] if count else ()):
                if var in read and self.jaxpr.invars[at] in self.changed:
                    raise self.c.refuse(f"an index map reads {self._wanted(at, f'scalar_{at}')}, and the kernel stores to it: blocks are "
                                        "fetched ahead, so the stores decide which blocks are fetched")

    def close(self) -> None:
        for text in self.within:
            self.c.say(text)
        if self.opened:
            self.c.writer.close(self.c.place)
        for text in self.after:
            self.c.say(text)

    def _declare(self, way: str, wanted: str, dtype: str, shape: tuple[int, ...], space: str) -> Ref:
        c = self.c
        name = c.names.new(wanted)
        extents = f"[{', '.join(map(str, shape))}]" if shape else ""
        c.writer.declare(f"{way} {name}: {c.type_of(stored_type(dtype, space))}{extents} {space}", c.place)
        return whole(name, name, space, dtype, shape)

    def _operand(self, ref: Ref, shape: tuple[int, ...], index: int) -> None:
        self.operands.append(Operand(ref.name, numpy_type(stored_type(ref.dtype, ref.space)), shape, index))

    def _bound(self, at: int) -> Scalar:
        ref = self._declare("in", f"grid_{at}", "int32", (1,), "smem")
        self._operand(ref, (1,), at)
        self.decides.add(at)
        return Scalar(f"{ref.name}[0]", ATOM, 0, (1 << 31) - 1)

    def _prefetched(self, at: int) -> _Prefetched:
        aval = self.mapping.index_map_avals[len(self.mapping.grid) + at]
        shape, dtype = tuple(aval.shape), dtype_name(aval.dtype)
        ref = self._declare("in", self._wanted(at, f"scalar_{at}"), dtype, shape or (1,), "smem")
        self._operand(ref, shape or (1,), self.first + at)
        self.decides.add(self.first + at)
        return _Prefetched(self.c, held(ref.name, ref.root, "smem", dtype, shape))

    def _source(self, at: int, block: Any, moved: bool) -> Ref:
        """The operand or the result that a block is taken of."""
        c, mapping = self.c, self.mapping
        output = at - mapping.num_inputs
        array, dtype = tuple(array_aval(block).shape), str(array_aval(block).dtype)
        aval = block_aval(block)
        space = space_of(c, aval)
        place = mapping.num_index_operands + at
        base = self._wanted(place, f"out_{output}" if output >= 0 else f"in_{at}")
        wanted = base if space != "vmem" else f"{base.removesuffix('_ref')}_hbm"
        kept = "smem" if space == "smem" else "hbm"
        index = self.first + mapping.num_index_operands + at
        if output >= 0 and self.shared.count > 1 and space != "hbm" and self.shared.indices is not None:
            raise c.refuse(f"the result {base} in {space}: each of the {self.shared.count} cores has its own")
        shape = array or (1,)
        aliased = {i - mapping.num_index_operands: o for o, i in self.aliases.items()}
        if output < 0 and at in aliased:
            wanted += "_given"
        ref = self._declare("in" if output < 0 else "out", wanted, dtype, shape, kept)
        c.arrays.update({ref.name: base} if wanted != base else {})
        if output < 0:
            self._operand(ref, shape, index)
            if kept == "smem":
                self.decides.add(index)
        else:
            alias = self.aliases.get(output)
            self.results.append(Result(ref.name, numpy_type(stored_type(dtype, kept)), shape, np.dtype(array_aval(block).dtype), array,
                                       None if alias is None else self.first + alias))
        return ref

    def _pipeline(self, bounds: list[Scalar]) -> None:
        c, dynamic, variables = self.c, iter(bounds), []
        parallel = True
        for at, size in enumerate(self.mapping.grid):
            static = isinstance(size, (int, np.integer))
            bound = number(int(size)) if static else next(dynamic)
            name = c.names.new(f"{'ijklmn'[at] if at < 6 else 'g'}", "g")
            c.loops[name] = dimension_name(self.mapping, at)
            parallel = parallel and self._is_parallel(at)
            is_shared = at == self.shared.dimension
            variables.append(f"{name} in {self.shared.range_of(at, bound)}{' parallel' if parallel and not is_shared else ''}")
            if getattr(self.mapping, "grid_names", None):
                c.named[self.mapping.grid_names[at]] = Scalar(name, ATOM, 0, max(bound.high - 1, 0))
            if at not in self.mapping.vmapped_dims:
                c.programs.append((Scalar(name, ATOM, 0, max(bound.high - 1, 0)), replace(bound, low=max(bound.low, 1))))
            self.indices.append(Scalar(name, ATOM, 0, max(bound.high - 1, 0)))
        c.writer.open(f"pipeline {', '.join(variables)}", c.place)
        self.opened = True

    def _is_parallel(self, at: int) -> bool:
        return bool(self.semantics) and at < len(self.semantics) and "parallel" in str(self.semantics[at]).lower()

    def _block(self, at: int, block: Any, source: Ref, prefetched: list[Ref]) -> Ref:
        """The kernel's ref: the memory itself, a part of it, a window, or memory of the core that is copied."""
        c, output = self.c, at - self.mapping.num_inputs
        space = space_of(c, block_aval(block))
        var = self.jaxpr.invars[self.mapping.num_index_operands + at]
        base = self._wanted(self.mapping.num_index_operands + at, f"out_{output}" if output >= 0 else f"in_{at}")
        aliased = self._shared(at, source)
        if space == "hbm" and not self.mapping.vmapped_dims:
            return aliased
        if at in self.fetched:
            return self.fetched[at]
        dims = self._dims(block, prefetched)
        trivial = all(d.size == n and d.start.known == 0 or d.size is None and n == 1
                      for d, n in zip(dims, aliased.extents))
        if space in ("smem", "hbm"):
            if not array_aval(block).shape:
                return held(aliased.name, aliased.root, space, aliased.dtype, ())
            cut = [Dim(d.start, d.size, whole=d.size == n) for d, n in zip(dims, aliased.extents)]
            return Ref(aliased.name, aliased.root, space, aliased.dtype, tuple(cut), aliased.extents)
        if trivial and not self.opened:
            return self._resident(base, block, aliased, output)
        if var in self.changed and output < 0:
            raise c.refuse(f"a block of the input {base} that the kernel writes to")
        shape = tuple(d.size for d in dims if d.size is not None)
        if output >= 0 and var in self.changed and not stores_to(self.jaxpr, var):
            return self._copied_out(base, aliased, dims)
        name = c.names.new(base)
        c.windows.add(name)
        taken = ", ".join(d.start.text if d.size is None else f"{d.start.at(9)} +: {d.size}" for d in dims)
        depth = getattr(block.pipeline_mode, "buffer_count", None)
        again = output >= 0 and "ANY" in str(getattr(block.pipeline_mode, "revisit", ""))
        words = [" update"] * again + [f" depth {depth}"] * bool(depth)
        c.say(f"window {name} = {aliased.name}[{taken}]{','.join(words)}")
        return held(name, aliased.name if output >= 0 else name, "vmem", source.dtype, shape if block_aval(block).shape else ())     # type: ignore[arg-type]

    def _fetch_whole(self, sources: list[Ref]) -> None:
        """Inputs that are one block and that the kernel may write to stay in vmem for all points of the grid."""
        for at, (block, source) in enumerate(zip(self.mapping.block_mappings[:self.mapping.num_inputs], sources)):
            place = self.mapping.num_index_operands + at
            aliased = self._shared(at, source)
            if (self.jaxpr.invars[place] in self.changed and space_of(self.c, block_aval(block)) == "vmem"
                    and all(covers(kind, n) for kind, n in zip(block.block_shape, aliased.extents))):
                self.fetched[at] = self._resident(self._wanted(place, f"in_{at}"), block, aliased, -1)

    @property
    def fetched(self) -> dict[int, Ref]:
        return self.__dict__.setdefault("_fetched", {})

    def _join(self, sources: list[Ref], count: int) -> None:
        for output, given in self.aliases.items():
            if given < count:
                raise self.c.refuse("a scalar operand that shares its memory with a result")
            source, result = sources[given - count], sources[self.mapping.num_inputs + output]
            self.before.append(f"copy {source.name} -> {result.name}")
            self.joined[given - count] = result

    def _keep_written(self, sources: list[Ref]) -> None:
        """Inputs in hbm that the kernel writes to, as some take memory for their own use: operands stay as they are."""
        c = self.c
        for at, (block, source) in enumerate(zip(self.mapping.block_mappings[:self.mapping.num_inputs], sources)):
            place = self.mapping.num_index_operands + at
            var = self.jaxpr.invars[place]
            if (at in self.joined or var not in self.changed or space_of(c, block_aval(block)) != "hbm"
                    or not stores_to(self.jaxpr, var, copies=True)):
                continue
            kept = c.declare("hbm", f"{source.name}_kept", source.dtype, source.extents)
            self.before.append(f"copy {source.name} -> {kept.name}")
            self.joined[at] = whole(kept.name, kept.root, "hbm", source.dtype, source.extents)

    def _pad(self, sources: list[Ref]) -> None:
        """Padded arrays get a copy with room around them, before the grid, and results go back after it."""
        c, made = self.c, dict[str, Ref]()
        for at, (block, source) in enumerate(zip(self.mapping.block_mappings, sources)):
            array, room, for_pipeline = self._shared(at, source), padding.of_block(block), False
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
                output = next((at for at, one in enumerate(sources) if at >= self.mapping.num_inputs and one.name == array.name), None)
                if output is None or output - self.mapping.num_inputs in self.aliases:
                    self.before.append(f"copy {array.name} -> {part.text}")
                if output is not None and self.shared.count > 1:
                    raise c.refuse("a padded result of several cores")
                if output is not None:
                    self.after.append(f"copy {part.text} -> {array.name}")
            self.joined[at] = made[array.name]

    def _shared(self, at: int, source: Ref) -> Ref:
        """An input that shares its memory with an output is that output, which begins as a copy of it."""
        return self.joined.get(at, source)

    @property
    def joined(self) -> dict[int, Ref]:
        return self.__dict__.setdefault("_joined", {})

    def _copied_out(self, base: str, source: Ref, dims: list[Dim]) -> Ref:
        """A block of a result to which only copies write: memory of the core that goes back behind each point."""
        shape = tuple(d.size for d in dims if d.size is not None)
        ref = self.c.declare("vmem", base, source.dtype, shape)     # type: ignore[arg-type]
        part = Ref(source.name, source.root, source.space, source.dtype, tuple(dims), source.extents)
        self.within.append(f"copy {ref.text} -> {part.text}")
        return ref

    def _resident(self, base: str, block: Any, source: Ref, output: int) -> Ref:
        """A whole array in vmem: copied in before the body, or out behind it."""
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
            self.after.append(f"copy {ref.text} -> {text}")
        return held(ref.name, ref.root, "vmem", ref.dtype, shape)

    def _dims(self, block: Any, prefetched: list[Ref]) -> list[Dim]:
        """Where the block lies, from its index map."""
        c, closed = self.c, block.index_map_jaxpr
        c.learn(closed.jaxpr)
        found = [scalar(c, place) for place in walk(c, closed.jaxpr, [*self.indices, *prefetched])]
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


class _Prefetched:
    """A scalar operand; one that the kernel stores to is copied, since operands stay as they are."""

    def __init__(self, c: Conversion, ref: Ref):
        self.c, self.ref = c, ref

    def copy(self) -> Ref:
        c = self.c
        made = c.declare("smem", f"{self.ref.name}_kept", self.ref.dtype, self.ref.extents)
        c.say(f"copy {self.ref.name} -> {made.name}")
        self.ref = Ref(made.name, made.root, "smem", made.dtype, self.ref.dims, made.extents)
        return self.ref


__all__ = ["Grid", "TYPES"]
