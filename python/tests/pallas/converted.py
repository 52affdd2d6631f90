"""Runs a traced `pallas_call` both ways: converted on the interpreter, and by JAX."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from tessera import _engine
from tessera.pallas.convert import Kernel, convert

VMEM = pl.BlockSpec(memory_space=pltpu.VMEM)
SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)
ANY = pl.BlockSpec(memory_space=pl.ANY)


def call_of(fn: Callable[..., Any], *args: Any) -> Any:
    """The one `pallas_call` equation that fn reaches."""

    def look(jaxpr: Any) -> Any:
        for eqn in jaxpr.eqns:
            if eqn.primitive.name == "pallas_call":
                yield eqn
            for value in eqn.params.values():
                inner = getattr(value, "jaxpr", value)
                if hasattr(inner, "eqns"):
                    yield from look(inner)

    found = list(look(jax.make_jaxpr(fn)(*args).jaxpr))
    assert len(found) == 1
    return found[0]


def converted(fn: Callable[..., Any], *args: Any, **options: Any) -> Kernel:
    return convert(call_of(fn, *args), **options)


def ran(kernel: Kernel, *args: Any, options: Sequence[str] = ("--profile", "mosaic")) -> list[np.ndarray]:
    """The results on one device of the interpreter."""
    operands = {o.name: np.asarray(args[o.index]).astype(o.dtype).reshape(o.shape) for o in kernel.operands}
    report = _engine.run(kernel.text, operands, {r.name: r.dtype for r in kernel.results}, options=options)
    assert report.exit_code == 0, f"{report.text}\n{report.findings}\n{kernel.text}"
    return [report.results[r.name][0].astype(r.result_dtype).reshape(r.result_shape) for r in kernel.results]


def check(kernel: Callable[..., Any], out: Any, *args: Any, tolerance: float = 0.0, **how: Any) -> Kernel:
    """A kernel of refs gives what JAX's interpreter gives: the same bits, or floats within the tolerance."""
    call = pl.pallas_call(kernel, out_shape=out, **how)
    made = converted(call, *args)
    expected = jax.tree.leaves(pl.pallas_call(kernel, out_shape=out, interpret=how.pop("interpret", True), **how)(*args))
    for one, other in zip(ran(made, *args), expected):
        if tolerance:
            np.testing.assert_allclose(np.asarray(one, np.float64), np.asarray(other, np.float64), tolerance, tolerance)
        else:
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other), err_msg=made.text)
    return made


def normal(*shape: int, seed: int = 0, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def shaped(shape: Sequence[int], dtype: Any = np.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


needs_engine = pytest.mark.skipif(
    "TESSERA_GMM_RUN" not in os.environ and not hasattr(_engine, "stamp"), reason="no engine: TESSERA_GMM_RUN names none"
)
