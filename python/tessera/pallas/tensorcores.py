"""Conversion of `pl.kernel` and `core_map` on a mesh of cores to a `pallas_call` with the mesh as its grid.

JAX traces both to the primitive `mpmd_map` (from 0.10 on), `core_map` once its refs are discharged. Subcores of SparseCores have memory,
copies and semaphores like TensorCores. A kernel without operations specific to SparseCores is converted like a kernel on as many TensorCores.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import jax
from jax._src import core
from jax._src.pallas import core as pallas_core
from jax._src.pallas import pallas_call
from jax._src.state import discharge
from jax._src.state.primitives import get_p
from jax._src.state.types import AbstractRef, ReadEffect
from jax.experimental.pallas import tpu as pltpu
from jax.extend import core as jex_core

from tessera.pallas import jaxpr_tools

_SUBCORES = ("ScalarSubcoreMesh", "VectorSubcoreMesh")
_STATEFUL = ("new_ref", "core_map", "run_state")


class NoCall(Exception):
    """The kernel cannot be converted to a `pallas_call` on cores of one kind; str() is the reason."""


def call_params(params: dict[str, Any], avals_in: Sequence[Any], avals_out: Sequence[Any]) -> dict[str, Any]:
    """Returns the params of the `pallas_call` for an `mpmd_map` with these params. Raises `NoCall`."""
    meshes = (*params["meshes"], *params["external_meshes"])
    kinds = [type(mesh).__name__ for mesh in meshes]
    if kinds not in (["TensorCoreMesh"], *([one] for one in _SUBCORES)):
        raise NoCall(f"a kernel on {' and '.join(kinds)}, expected one mesh")
    (jaxpr,), (mesh,) = params["jaxprs"], meshes
    count, results = len(avals_in), len(avals_out)
    shared = {jaxpr.invars[i]: jaxpr.invars[count + o] for i, o in params["input_output_aliases"].items()}
    jaxpr = _renamed(_with_scalars_in_smem(jaxpr), shared)
    refs: Sequence[Any] = [var.aval for var in jaxpr.invars]
    scratch = [pallas_core.MemoryRef(ref.inner_aval, ref.memory_space) for ref in refs[count + results :]]
    spec = pallas_core.GridSpec(
        grid=tuple(mesh.shape.items()),
        in_specs=_specs(refs[:count], mesh),
        out_specs=_specs(refs[count : count + results], mesh),
        scratch_shapes=tuple(scratch),
    )
    of = [ref.inner_aval for ref in refs]
    _, mapping = pallas_core.get_grid_mapping(
        spec,
        of[:count],
        jax.tree.structure(tuple(avals_in)),
        [f"arg{i}" for i in range(count)],
        of[count : count + results],
        jax.tree.structure(tuple(avals_out)),
        [f"out{i}" for i in range(results)],
        debug=params["debug"],
    )
    kept = ("debug", "interpret", "compiler_params", "cost_estimate", "out_avals", "metadata", "name")
    return {
        "jaxpr": jaxpr,
        "grid_mapping": mapping,
        "mesh": _of_tensorcores(mesh, jaxpr),
        "input_output_aliases": tuple(params["input_output_aliases"].items()),
        **{name: params[name] for name in kept},
    }


def _of_tensorcores(mesh: Any, jaxpr: core.Jaxpr) -> Any:
    """Returns the mesh; for subcores, a mesh of as many TensorCores. Raises `NoCall` for operations specific to SparseCores."""
    if type(mesh).__name__ not in _SUBCORES:
        return mesh
    from jax._src.pallas.mosaic import sc_primitives

    own = {one for one in vars(sc_primitives).values() if isinstance(one, core.Primitive)}
    for eqn in jaxpr_tools.primitives(jaxpr):
        if eqn.primitive in own:
            raise NoCall(f"`{eqn.primitive.name}` of SparseCores")
    if "create_tensorcore_mesh" not in vars(pltpu):  # from 0.12 on, where a mesh of TensorCores has one axis
        if len(mesh.shape) != 1:
            raise NoCall("a mesh of several axes, which TensorCores of this JAX cannot have")
        ((axis, cores),) = mesh.shape.items()
        return vars(pltpu)["TensorCoreMesh"](axis_name=axis, num_cores=cores)
    made = pltpu.create_tensorcore_mesh("core", num_cores=prod(mesh.shape.values()))
    return type(made)(made.devices.reshape(tuple(mesh.shape.values())), tuple(mesh.shape))


def _specs(refs: Sequence[Any], mesh: Any) -> tuple[Any, ...]:
    return tuple(pallas_core.BlockSpec(memory_space=ref.memory_space or mesh.default_memory_space) for ref in refs)


def _renamed(jaxpr: core.Jaxpr, names: Mapping[core.Var, core.Var]) -> core.Jaxpr:
    """Replaces each input that shares its memory with a result by the result's ref. JAX's interpreters store both separately."""

    def name(atom: Any) -> Any:
        return atom if isinstance(atom, core.Literal) else names.get(atom, atom)

    def effects(given: Any) -> set[Any]:
        return {type(one)(name(one.input)) if isinstance(getattr(one, "input", None), core.Var) else one for one in given}

    eqns = [eqn.replace(invars=[name(v) for v in eqn.invars], effects=effects(eqn.effects)) for eqn in jaxpr.eqns]
    return jaxpr.replace(eqns=eqns, effects=effects(jaxpr.effects)) if names else jaxpr


def _with_scalars_in_smem(jaxpr: core.Jaxpr) -> core.Jaxpr:
    """Replaces the scalars that the kernel's function captures by refs in smem."""
    invars, reads = [], []
    for var in jaxpr.invars:
        if isinstance(var.aval, AbstractRef):
            invars.append(var)
            continue
        ref = core.Var(AbstractRef(var.aval, pltpu.SMEM))
        invars.append(ref)
        reads.append(core.new_jaxpr_eqn([ref], [var], get_p, {"tree": jax.tree.structure(())}, {ReadEffect(ref)}))
    if not reads:
        return jaxpr
    effects: Any = jaxpr.effects
    return jaxpr.replace(invars=invars, eqns=[*reads, *jaxpr.eqns], effects=effects.union(*(read.effects for read in reads)))


def with_calls(closed: jex_core.ClosedJaxpr) -> jex_core.ClosedJaxpr:
    """Replaces each kernel on a mesh of cores by a `pallas_call`. Kernels that cannot be converted are unchanged."""
    made = _with_calls(closed.jaxpr)
    return closed if made is closed.jaxpr else _pure(closed.replace(jaxpr=made))


def _pure(closed: jex_core.ClosedJaxpr, always: bool = False) -> jex_core.ClosedJaxpr:
    """Removes refs outside of kernels. The final contents of refs among the arguments become additional results."""
    if not always and not any(eqn.primitive.name in _STATEFUL for eqn in closed.jaxpr.eqns):
        return closed
    made = _discharged(closed)
    return made.replace(jaxpr=_with_calls(made.jaxpr))


def _discharged(closed: jex_core.ClosedJaxpr) -> jex_core.ClosedJaxpr:
    if "closed_jaxpr" in inspect.signature(discharge.discharge_state).parameters:
        return discharge.discharge_state(closed)
    discharge_state: Any = discharge.discharge_state
    jaxpr, consts = discharge_state(closed.jaxpr, closed.consts)  # before 0.10.2
    return jex_core.ClosedJaxpr(jaxpr, consts)


def _with_calls(jaxpr: core.Jaxpr) -> core.Jaxpr:
    names = {eqn.primitive.name for eqn in jaxpr_tools.primitives(jaxpr)}
    if not names.intersection(jaxpr_tools.KERNELS) or not names.intersection(("mpmd_map", *_STATEFUL)):
        return jaxpr
    eqns = []
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "mpmd_map":
            eqns.append(_as_call(eqn))
        elif jaxpr_tools.is_kernel(eqn):
            eqns.append(eqn)
        elif eqn.primitive.name == "run_state" and all(eqn.params["is_initialized"]):
            body = _pure(jex_core.ClosedJaxpr(eqn.params["jaxpr"], ()), always=True)
            eqns.append(eqn.replace(primitive=core.closed_call_p, params={"call_jaxpr": body}, effects=body.effects))
        else:
            eqns.append(eqn.replace(params={name: _inner(value) for name, value in eqn.params.items()}))
    return jaxpr.replace(eqns=eqns)


def _as_call(eqn: core.JaxprEqn) -> core.JaxprEqn:
    try:
        params = call_params(eqn.params, [v.aval for v in eqn.invars], [v.aval for v in eqn.outvars])
    except NoCall:
        return eqn
    return eqn.replace(primitive=pallas_call.pallas_call_p, params=params)


def _inner(value: Any) -> Any:
    if isinstance(value, jex_core.ClosedJaxpr):
        made = _with_calls(value.jaxpr)
        has_refs = any(isinstance(v.aval, AbstractRef) for v in made.invars)
        return value if made is value.jaxpr else value.replace(jaxpr=made) if has_refs else _pure(value.replace(jaxpr=made))
    if isinstance(value, core.Jaxpr):
        return _inner(jex_core.ClosedJaxpr(value, ())).jaxpr
    if type(value) is tuple:
        return tuple(map(_inner, value))
    return value
