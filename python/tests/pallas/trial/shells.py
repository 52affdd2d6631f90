"""Imports kernel files of packages of which only the kernels are wanted: their `__init__` files, servers and loggers are not."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import logging
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class NotThere(Exception):
    """A package of the trial is not installed; str() says which."""


def shell(package: str, stubs: Mapping[str, Mapping[str, Any]] | None = None) -> None:
    """Makes `package` and those inside it importable without running any `__init__.py` of it; `stubs` are modules of ours that
    stand for some of its own, by their names behind the package's."""
    if isinstance(sys.modules.get(package), _Shell):
        return
    older_names()
    found = importlib.machinery.PathFinder.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise NotThere(f"{package} is not installed")
    sys.meta_path.insert(0, _Finder(package, list(found.submodule_search_locations)))
    sys.modules.pop(package, None)
    for name, contents in (stubs or {}).items():
        module = types.ModuleType(f"{package}.{name}")
        module.__dict__.update(contents)
        above = package
        for part in name.split(".")[:-1]:
            above += f".{part}"
            if importlib.util.find_spec(above) is None:
                sys.modules[above] = _Shell(above)
        sys.modules[module.__name__] = module
        setattr(importlib.import_module(above), name.split(".")[-1], module)


class _Shell(types.ModuleType):
    """A package that has only modules."""


class _Finder:
    """Finds the folders of a package as packages that are empty, and leaves its modules to Python."""

    def __init__(self, package: str, where: list[str]):
        self.package, self.where = package, where

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.package and not name.startswith(self.package + "."):
            return None
        inner = name.split(".")[1:]
        folders = [str(Path(root, *inner)) for root in self.where if Path(root, *inner).is_dir()]
        if not folders:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = folders
        return spec

    def create_module(self, spec: Any) -> _Shell:
        return _Shell(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        return None


def logger(name: str = "") -> logging.Logger:
    """A logger that knows the words that servers add."""
    made = logging.getLogger(name)
    made.warning_once = made.info_once = made.debug  # type: ignore[attr-defined]
    return made


def older_names() -> None:
    """Names that kernels of other years know: JAX has renamed what they stand for, or has it elsewhere."""
    import jax.numpy as jnp
    from jax._src import dtypes
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu

    meant = {
        "reciprocal": pl.reciprocal,
        "repeat": lambda x, times, axis: jnp.concatenate([x] * times, axis),
        "TPUCompilerParams": pltpu.CompilerParams,
        "ANY": pl.ANY,
        "TPUMemorySpace": types.SimpleNamespace(ANY=pl.ANY, SMEM=pltpu.SMEM, VMEM=pltpu.VMEM, SEMAPHORE=pltpu.SEMAPHORE),
    }
    for name, value in meant.items():
        if not hasattr(pltpu, name):
            setattr(pltpu, name, value)
    if not hasattr(pl, "store"):
        pl.store = lambda ref, idx, val, mask=None: pltpu.store(ref.at[idx], val, mask=mask)
    if not hasattr(dtypes, "bit_width"):
        dtypes.bit_width = dtypes.itemsize_bits
