"""Traces a function on the CPU as if on a TPU chip, and determines the values of its arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend import core as jex_core

from tessera.errors import BadInput
from tessera.pallas import tensorcores, versions


@dataclass(frozen=True)
class Traced:
    """A function's jaxpr and the values of its arguments.

    assumed: integer arguments without values, for which zeros are used. results: tree of the function's results.
    """

    jaxpr: jex_core.ClosedJaxpr
    values: list[Any]
    assumed: tuple[str, ...]
    results: Any = None


def host_devices(count: int) -> None:
    """Makes JAX see the CPU as `count` devices. Call it before JAX is first used; raises RuntimeError if JAX runs with fewer."""
    try:
        jax.config.update("jax_num_cpu_devices", count)
    except RuntimeError:
        found = len(jax.devices("cpu"))
        if found < count:
            raise RuntimeError(
                f"JAX runs already with {found} host devices, expected {count}: call tessera.pallas.host_devices before JAX is first used"
            ) from None


@contextlib.contextmanager
def on_chip(chip: str, cores: int = 1) -> Iterator[None]:
    """Context manager in which kernels that query the chip get the table of `chip`, with `cores` cores."""
    if chip not in versions.CHIPS:
        raise BadInput(f"chip: expected one of {', '.join(versions.CHIPS)}, found {chip!r}")
    with versions.as_if_on(chip, cores):
        yield


def trace(fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], *, seed: int, chip: str, cores: int = 1) -> Traced:
    """Traces `fn(*args, **kwargs)`. Arguments that are neither arrays nor `jax.ShapeDtypeStruct`s are passed unchanged."""
    leaves, tree = jax.tree_util.tree_flatten((tuple(args), dict(kwargs)))
    traced = [i for i, leaf in enumerate(leaves) if _is_array(leaf)]

    def call(*arrays: Any) -> Any:
        filled = list(leaves)
        for i, array in zip(traced, arrays):
            filled[i] = array
        positional, named = jax.tree_util.tree_unflatten(tree, filled)
        return fn(*positional, **named)

    with on_chip(chip, cores):
        jaxpr, shape = jax.make_jaxpr(call, return_shape=True)(*[leaves[i] for i in traced])
        jaxpr = tensorcores.with_calls(jaxpr)
    generator = np.random.default_rng(seed)
    paths = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_flatten_with_path((tuple(args), dict(kwargs)))[0]]
    assumed = tuple(
        f"argument {paths[i]}" for i in traced if isinstance(leaves[i], jax.ShapeDtypeStruct) and not np.issubdtype(_kind(leaves[i]), np.floating)
    )
    return Traced(jaxpr, [_value(leaves[i], generator) for i in traced], assumed, jax.tree_util.tree_structure(shape))


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, (np.ndarray, np.generic, jax.Array, jax.ShapeDtypeStruct)) or hasattr(leaf, "__jax_array__")


def _kind(leaf: Any) -> Any:
    return np.floating if jax.numpy.issubdtype(leaf.dtype, np.floating) else np.integer


def _value(leaf: Any, generator: np.random.Generator) -> Any:
    if not isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    if _kind(leaf) is np.floating:
        return generator.standard_normal(leaf.shape, np.float32).astype(leaf.dtype)
    return np.zeros(leaf.shape, leaf.dtype)
