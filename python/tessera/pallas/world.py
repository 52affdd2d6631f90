"""The devices over which a value is distributed: one device, or the devices of the mesh inside `shard_map`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class World:
    """shape: sizes of the mesh's axes by name, in the order of the mesh. Devices are numbered row-major."""

    shape: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return math.prod(self.shape.values())

    @property
    def places(self) -> list[dict[str, int]]:
        """The coordinates of each device."""
        ranges = [range(size) for size in self.shape.values()]
        return [dict(zip(self.shape, at)) for at in itertools.product(*ranges)]

    def part(self, spec: Sequence[Any], shape: Sequence[int], at: dict[str, int]) -> tuple[slice, ...]:
        """Returns the part of an array with `shape` on the device at coordinates `at`, for the PartitionSpec `spec`."""
        found = []
        for dim, size in enumerate(shape):
            names = spec[dim] if dim < len(spec) else None
            names = () if names is None else (names,) if isinstance(names, str) else tuple(names)
            index, count = 0, 1
            for name in names:
                index, count = index * self.shape[name] + at[name], count * self.shape[name]
            rows = size // count
            found.append(slice(index * rows, (index + 1) * rows))
        return tuple(found)

    def split(self, array: np.ndarray, spec: Sequence[Any]) -> list[np.ndarray]:
        return [array[self.part(spec, array.shape, at)] for at in self.places]

    def join(self, parts: Sequence[np.ndarray], spec: Sequence[Any], shape: Sequence[int]) -> np.ndarray:
        whole = np.empty(shape, parts[0].dtype)
        for part, at in zip(parts, self.places):
            whole[self.part(spec, shape, at)] = part
        return whole


ALONE = World()
