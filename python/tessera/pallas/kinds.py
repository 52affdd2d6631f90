"""Kinds of kernels that are converted. A kernel of another kind is refused, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jax._src import core

from tessera.pallas import jaxpr_tools
from tessera.pallas.convert import Refused

_GPU = {"triton": "Triton", "mosaic_gpu": "Mosaic GPU"}


def refuse_unconverted(eqn: core.JaxprEqn) -> None:
    """Raises `Refused` for a kernel of a kind that is not converted, whatever it contains."""
    what = why_not_converted(eqn)
    if what:
        raise Refused(jaxpr_tools.place(eqn), what, jaxpr_tools.frames(eqn)[1:])


def why_not_converted(eqn: core.JaxprEqn) -> str:
    """Returns the reason that the kind of a kernel is not converted; empty if it is."""
    name, params = eqn.primitive.name, eqn.params
    meshes = [type(mesh).__name__ for mesh in (*params.get("meshes", ()), *params.get("external_meshes", ()), params.get("mesh")) if mesh]
    if name != "pallas_call":
        on = f" on {' and '.join(meshes)}" if meshes else ""
        return f"`{jaxpr_tools.KERNELS[name]}`{on} (primitive {name}) is not converted, so this kernel is not analysed"
    if meshes not in ([], ["TensorCoreMesh"]):
        return f"a kernel on {meshes[0]} is not converted, so this kernel is not analysed"
    compiler = _gpu_compiler(params)
    return f"it is a GPU kernel, with the parameters of {compiler}: only kernels for a TPU are converted" if compiler else ""


def _gpu_compiler(params: Mapping[str, Any]) -> str:
    """Returns the GPU compiler that a `pallas_call` selects by its backend or parameters; empty if it may be compiled for a TPU."""
    if str(params.get("backend")) in _GPU:
        return _GPU[str(params["backend"])]
    given = params.get("compiler_params")
    if isinstance(given, Mapping):  # up to 0.8: by backend
        return "" if not given or "mosaic_tpu" in given else next((_GPU[name] for name in given if name in _GPU), "")
    return next((_GPU[part] for part in type(given).__module__.split(".") if part in _GPU), "")
