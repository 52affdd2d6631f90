"""Serialization of kernels for another process. Primitives are stored by name; places in the Python are dropped."""

from __future__ import annotations

import functools
import importlib
import io
import pickle
import sys
import types
from typing import Any

from jax._src import core, linear_util, source_info_util, tree_util
from jax._src.lib import xla_client
from jax._src.pallas import core as pallas_core
from jax.tree_util import PyTreeDef

from tessera.pallas import versions


def dumps(value: Any) -> bytes:
    """Serializes a value. Raises the error of pickle if a part cannot be serialized, for example a function."""
    file = io.BytesIO()
    _Pickler(file, protocol=5).dump(value)
    return file.getvalue()


def loads(data: bytes) -> Any:
    return pickle.loads(data)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, core.Primitive):
            return _primitive, _place_of(value)
        if isinstance(value, source_info_util.SourceInfo):
            return source_info_util.new_source_info, ()
        if isinstance(value, core.DebugInfo):
            return _names, (value.arg_names, value.result_paths)
        if isinstance(value, versions.TypedArray):  # its own __reduce__ loses the type
            return versions.typed_array(value)
        if versions.is_typed_number(value):
            return versions.typed_number(type(value), value)
        if value is pallas_core.dynamic_grid_dim:  # compared by identity
            return _dynamic, ()
        if type(value).__name__ == "WrappedFun":  # derivative of an inner function, not needed here
            return _not_differentiated, ()
        if isinstance(value, types.FunctionType) and "process_custom_" in value.__qualname__:  # the same for a custom_vjp
            return _left_behind, ()
        if isinstance(value, xla_client.Traceback):
            return _left_behind, ()
        if isinstance(value, core.Tracer):  # from a trace that has ended; jax 0.12 stores some next to its jaxprs
            return _left_behind, ()
        if isinstance(value, PyTreeDef) and (plain := _plain(value)) is not value:
            return _itself, (plain,)
        return NotImplemented


def _names(arguments: Any, results: Any) -> core.DebugInfo:
    return core.DebugInfo("kernel", "kernel", arguments, results)


def _dynamic() -> Any:
    return pallas_core.dynamic_grid_dim


def _not_differentiated() -> Any:
    return linear_util.wrap_init(lambda *values: values, debug_info=_names(None, None))


def _itself(value: Any) -> Any:
    return value


def _plain(tree: PyTreeDef) -> PyTreeDef:
    """Returns the tree with classes that are not from Python or JAX replaced by tuples, because another process may not have them.
    The tree itself if there are none."""
    node = tree.node_data()
    if node is None:
        return tree
    children = tree.children()
    plain = [_plain(child) for child in children]
    kind, extra = node
    if kind.__module__.split(".")[0] not in ("builtins", "collections", "jax", "jaxlib"):
        kind, extra = tuple, None
    elif all(new is old for new, old in zip(plain, children)):
        return tree
    make = getattr(tree, "from_node_data_and_children", None) or PyTreeDef.make_from_node_data_and_children
    return make(getattr(tree_util, "tracing_registry", tree_util.default_registry), (kind, extra), plain)


def _left_behind() -> None:
    return None


@functools.cache
def _place_of(primitive: core.Primitive) -> tuple[str, str]:
    """Returns the module and the attribute of a primitive. The primitive's own name may be ambiguous."""
    for name, module in list(sys.modules.items()):
        if name.startswith("jax"):
            for attribute, value in list(vars(module).items()):
                if value is primitive:
                    return name, attribute
    raise pickle.PicklingError(f"no module of JAX holds the primitive {primitive.name}")


def _primitive(module: str, attribute: str) -> core.Primitive:
    return getattr(importlib.import_module(module), attribute)
