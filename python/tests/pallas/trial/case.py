"""The kernels of the trial: each has a name, the package that it comes from, and what calls it with small arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Built = tuple[Callable[..., Any], tuple[Any, ...]]
CASES: list[Case] = []


@dataclass(frozen=True)
class Case:
    """`build` gives the function and its arguments; it raises `NotThere` where the package is missing. `finds` has the kinds
    of what is wrong with the kernel."""

    package: str
    name: str
    file: str
    build: Callable[[], Built]
    finds: tuple[str, ...] = ()


def case(package: str, file: str, *finds: str) -> Callable[[Callable[[], Built]], Callable[[], Built]]:
    """The function builds a call of a kernel of this file of a package; its own name is the case's."""

    def add(build: Callable[[], Built]) -> Callable[[], Built]:
        CASES.append(Case(package, build.__name__.rstrip("_"), file, build, finds))
        return build

    return add


def normal(*shape: int, seed: int = 0, dtype: Any = np.float32, scale: float = 1.0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(shape, np.float32) * scale).astype(dtype)


def bf16(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    return normal(*shape, seed=seed, dtype=ml_dtypes.bfloat16, scale=scale)


def i32(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def between(low: int, high: int, *shape: int, seed: int = 0, dtype: Any = np.int32) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)
