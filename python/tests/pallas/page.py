"""Verifies the kernels of a page of JAX's documentation, a Markdown notebook that you have:

    python page.py distributed.md --devices 8 --replace '(4096, 4096)' '(32, 256)' --replace '(128, 128)' '(8, 128)'

Its cells are executed in order; what they call under `jax.jit` or as a `pallas_call` is verified in place of being run.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")

import jax
import jax.numpy as jnp

import tessera.pallas

CELL = re.compile(r"```\{code-cell\}[^\n]*\n(?:---\n.*?\n---\n)?(.*?)```", re.S)


class _Asked(Exception):
    """Ends a cell where its kernel would run."""


def cells(page: str) -> list[str]:
    return CELL.findall(page)


def asked(source: str, path: str, names: dict[str, Any]) -> Any | None:
    """Executes a cell; what it calls under `jax.jit` first, and with what."""
    found: list[Any] = []
    compiled = jax.jit

    def jit(fn: Any = None, **_: Any) -> Any:
        if fn is None:
            return lambda fn: jit(fn)

        def call(*args: Any) -> Any:
            found.append((fn, args))
            raise _Asked

        return call

    jax.jit = jit  # type: ignore[assignment]
    try:
        exec(compile(source, path, "exec"), names)
    except _Asked:
        pass
    except Exception:
        print(f"{path}: not executed: {traceback.format_exc().splitlines()[-1]}")
    finally:
        jax.jit = compiled
    return found[0] if found else None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--replace", nargs=2, action="append", default=[])
    given = parser.parse_args()
    tessera.pallas.host_devices(given.devices)
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu

    names: dict[str, Any] = {
        "__name__": "page",
        "jax": jax,
        "jnp": jnp,
        "pl": pl,
        "pltpu": pltpu,
        "lax": jax.lax,
        "P": jax.sharding.PartitionSpec,
        "num_devices": given.devices,
    }
    # The page is written for a TPU and for meshes as they were.
    changes = [
        *given.replace,
        ("TPUMemorySpace", "MemorySpace"),
        ("make_mesh((num_devices,), ('x',))", "make_mesh((num_devices,), ('x',), axis_types=(jax.sharding.AxisType.Auto,))"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(cells(given.page.read_text(encoding="utf-8"))):
            for old, new in changes:
                source = source.replace(old, new)
            source = "\n".join("" if line.startswith("assert ") else line for line in source.splitlines())
            path = Path(folder) / f"{given.page.stem}_cell{number}.py"
            path.write_text(source, encoding="utf-8")
            call = asked(source, str(path), names)
            if call is not None:
                fn, args = call
                verdict = tessera.pallas.verify(fn, *args)
                if verdict.sites:
                    print(verdict, flush=True)


if __name__ == "__main__":
    sys.exit(main())
