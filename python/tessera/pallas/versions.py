"""Differences between the JAX versions 0.7 to 0.12, except in the equations of a kernel."""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

import jax
import numpy as np
from jax._src import config, literals
from jax.extend import core as jex_core

from tessera.pallas import jaxpr_tools

# Base types of typed numbers of JAX, which some versions cannot pickle.
SCALARS = (int, float, complex)
TypedArray = next(getattr(literals, name) for name in ("TypedNdArray", "LiteralArray") if hasattr(literals, name))  # the latter in 0.7

_EFFECTS_OF_SEMAPHORES = jax.__version_info__ >= (0, 9)

# Chips of `get_tpu_info`: the member of ChipVersion, and the device kind up to 0.8.
CHIPS = {
    "v4": ("TPU_V4", "TPU v4"),
    "v5e": ("TPU_V5E", "TPU v5e"),
    "v5p": ("TPU_V5P", "TPU v5p"),
    "v6e": ("TPU_V6E", "TPU v6e"),
    "v7x": ("TPU_7X", "TPU7x"),
}


def typed_number(kind: type, value: Any) -> tuple[Any, ...]:
    """Returns the function and the arguments that rebuild a typed number."""
    base = next(base for base in SCALARS if issubclass(kind, base))
    return kind, (base(value), value.dtype)


def typed_array(value: Any) -> tuple[Any, ...]:
    """Returns the function and the arguments that rebuild a typed array."""
    return TypedArray, (np.asarray(value), value.aval if hasattr(value, "aval") else value.weak_type)


def is_typed_number(value: Any) -> bool:
    return isinstance(value, SCALARS) and type(value).__module__ == literals.__name__


def manual_axes(params: dict[str, Any]) -> Sequence[str]:
    """Returns the mesh axes over which a `shard_map` maps."""
    return params["newly_manual_axes" if "newly_manual_axes" in params else "manual_axes"]


def compiler_params(params: dict[str, Any]) -> Any:
    """Returns the compiler params of a `pallas_call` for a TPU. Up to 0.8 they are an entry of a mapping."""
    given = params.get("compiler_params")
    return given.get("mosaic_tpu") if isinstance(given, Mapping) else given


def scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """Returns the number of constant operands of a `scan`, and the number of carried operands, which follow them."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    constants, carried, _ = params["ft_in"].unpack()  # from 0.12 on
    return len(constants), len(carried)


def closed(jaxpr: Any) -> Any:
    """Returns a jaxpr with its constants; from 0.12 on every jaxpr has them."""
    return jaxpr if hasattr(jaxpr, "jaxpr") else jex_core.ClosedJaxpr(jaxpr, ())


def meets_others(eqn: Any) -> bool:
    """True if the equation, or an inner one, signals or waits for a count without an effect that shows it, as up to 0.8."""
    if _EFFECTS_OF_SEMAPHORES:
        return False
    return eqn.primitive.name in ("semaphore_signal", "semaphore_wait") or any(
        meets_others(one) for inner in jaxpr_tools.inner_jaxprs(eqn.params) for one in inner.eqns
    )


def acts(eqn: Any) -> bool:
    """True if the equation has effects in addition to its results."""
    return bool(eqn.effects) or meets_others(eqn)


def effect_target(effect: Any, variables: Sequence[Any]) -> Any:
    """Returns the variable of a read or write effect. An effect has the variable or its index."""
    target = effect.input_index if hasattr(effect, "input_index") else effect.input  # the former up to 0.9
    return variables[target] if isinstance(target, int) else target


_CHIP = threading.RLock()  # JAX's table of chips is shared by all threads


@contextlib.contextmanager
def as_if_on(chip: str, cores: int = 1) -> Iterator[None]:
    """Context manager in which kernels that query the chip get `chip`, with `cores` cores. Blocks while another thread is in it."""
    # Meshes of cores read `num_cores` of the device, which a CPU does not have.
    with (
        _CHIP,
        mock.patch.object(jax.Device, "num_cores", cores, create=True),
        _meshes_of(cores),
        _tables_of(chip, cores),
        without_pipeline_primitive(),
    ):
        yield


class _WithoutPrimitive:
    """JAX's configuration with the flag of the `emit_pipeline` primitive off."""

    use_emit_pipeline_primitive = SimpleNamespace(value=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(config, name)


def without_pipeline_primitive() -> contextlib.AbstractContextManager[Any]:
    """Context manager in which `emit_pipeline` is traced to the copies and loops of the pipeline, independently of the user's flag.

    JAX's own lowering expands the primitive to the same trace, but only if it compiles for a TPU.
    """
    module = _module("jax._src.pallas.mosaic.pipeline")
    return mock.patch.object(module, "config", _WithoutPrimitive()) if hasattr(module, "config") else contextlib.nullcontext()


@contextlib.contextmanager
def _meshes_of(cores: int) -> Iterator[None]:
    """Sets the default number of cores of a mesh of cores. Under `shard_map` it would read an abstract device, which has none on a CPU."""
    from jax.experimental.pallas import tpu

    module = _module("jax._src.pallas.mosaic.core")
    make: Any = vars(module).get("create_tensorcore_mesh")

    def made(axis_name: str, devices: Any = None, num_cores: int | None = None) -> Any:
        return make(axis_name, devices, num_cores) if devices is not None else make(axis_name, num_cores=num_cores or cores)

    has = [where for where in (module, tpu) if "create_tensorcore_mesh" in vars(where)]  # up to 0.11; later it is deprecated
    patches = [mock.patch.object(where, "create_tensorcore_mesh", made) for where in has]
    with contextlib.ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


@contextlib.contextmanager
def _tables_of(chip: str, cores: int) -> Iterator[None]:
    version, kind = CHIPS[chip]
    tpu_info = _module("jax._src.tpu_info", "jax._src.pallas.mosaic.tpu_info")  # the latter up to 0.10
    if tpu_info is None:  # 0.7, where emit_pipeline queries the device kind
        with mock.patch("jax._src.pallas.mosaic.core.get_device_kind", lambda: kind):
            yield
        return

    def table() -> Any:
        if hasattr(tpu_info, "_get_tpu_info_impl"):
            return tpu_info._get_tpu_info_impl(getattr(tpu_info.ChipVersion, version), cores)
        with mock.patch.multiple(tpu_info.core, get_device_kind=lambda: kind, get_num_device_cores=lambda: cores):
            return tpu_info.get_tpu_info.__wrapped__()

    with mock.patch.dict(tpu_info.registry, {"cpu": table}):
        yield


def machine() -> Any:
    """Returns the module of JAX's TPU interpreter, which supports copies and semaphores."""
    # The latter in 0.7.
    return _module("jax._src.pallas.mosaic.interpret.interpret_pallas_call", "jax._src.pallas.mosaic.interpret")


def mpmd() -> Any:
    """Returns the module of `pl.kernel`'s primitive. None up to 0.9, where `pl.kernel` is a `pallas_call` over a mesh."""
    return _module("jax._src.pallas.mpmd")


def _module(*names: str) -> Any:
    """Returns the first of these modules that exists. None if there is none."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    return None
