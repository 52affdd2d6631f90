"""Places of equations in the Python: the line, and the user's frames that called it."""

from __future__ import annotations

import functools
import linecache
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import jax

from tessera.pallas.convert.kernel import Place

_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_KERNELS = os.path.join(_JAX, "experimental", "pallas", "ops") + os.sep
_STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_TRACE = os.path.join(_OURS, "pallas", "trace.py")  # calls the user's function
# Installed packages that are not the user's, and packages that run programs. Frames above a runner are not part of a kernel's stack.
_LIBRARIES = ("jax", "jaxlib", "tessera")
_RUNNERS = ("pytest", "_pytest", "pluggy", "xdist", "execnet", "IPython", "ipykernel")
_DEEPEST = 8
Frame = TypeVar("Frame")
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=]*)?=(?!=)")


@functools.cache
def is_users(file: str) -> bool:
    """True if a file is the user's. Kernels that are part of JAX count as the user's. The rest of JAX, this package, the standard
    library, and runners of programs like pytest do not."""
    if file.startswith(_KERNELS):
        return True
    if file.startswith(("<", _OURS)):
        return False
    package = _package(file)
    if package:
        return package not in _LIBRARIES and package not in _RUNNERS
    return not file.startswith(_JAX) and not file.startswith(_STDLIB)


def _package(file: str) -> str:
    """Returns the name of the installed package that contains a file; empty if there is none."""
    for folder in ("site-packages", "dist-packages"):
        _, installed, name = file.rpartition(f"{os.sep}{folder}{os.sep}")
        if installed:
            return name.split(os.sep)[0].removesuffix(".py")
    return ""


@functools.cache
def _runs_programs(file: str) -> bool:
    return _package(file) in _RUNNERS


def users(frames: Iterable[Frame], file_of: Callable[[Frame], str]) -> Iterator[Frame]:
    """Returns the user's frames, innermost first, up to the frame of a runner or of this package's trace. Up to 0.8, JAX's frames
    include the callers of the trace."""
    for frame in frames:
        file = file_of(frame)
        if is_users(file):
            yield frame
        elif _runs_programs(file) or file == _TRACE:
            return


@functools.lru_cache(maxsize=4096)
def _line(code: Any, instruction: int) -> int:
    try:
        from jax._src.lib import xla_client

        return xla_client.Traceback.code_addr2line(code, instruction)
    except (ImportError, AttributeError):
        return code.co_firstlineno


@functools.lru_cache(maxsize=8192)
def _of_frames(frames: tuple[tuple[Any, int], ...], around: Place) -> Place:
    found = [(code.co_filename, _line(code, at), code.co_qualname) for code, at in frames]
    if not found:
        return around
    if around.line and around.function and (around.file, around.line, around.function) not in found:
        found += [(around.file, around.line, around.function), *around.stack]
    distinct = [f for i, f in enumerate(found) if i == 0 or f != found[i - 1]]
    file, line, function = distinct[0]
    return Place(file, line, tuple(distinct[1:_DEEPEST]), function)


def place_of(source_info: Any, around: Place) -> Place:
    """Returns the innermost user line that created an equation, and the calls that led there.

    JAX's frames end where it began to trace a body. around: place of the equation that contains this body; its calls are appended.
    If `around` has no function, it is the line of a kernel that only JAX calls, as under `shard_map`, and there are no calls.
    """
    traceback = source_info.traceback
    if traceback is None:
        return around
    codes, at = traceback.raw_frames()
    frames = tuple(users(zip(codes, at), lambda frame: frame[0].co_filename))
    return _of_frames(frames, around)


@functools.lru_cache(maxsize=8192)
def assigned_name(place: Place) -> str | None:
    """Returns the variable to which a line assigns: `block` for `block = lax.rem(...)`. None if there is none."""
    found = _ASSIGNED.match(linecache.getline(place.file, place.line))
    return found.group(1) if found else None
