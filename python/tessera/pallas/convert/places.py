"""Where in the Python an equation comes from: the line, and the user's frames that called it."""

from __future__ import annotations

import functools
import linecache
import os
import re
from typing import Any

import jax

from tessera.pallas.convert.kernel import Place

_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_KERNELS = os.path.join(_JAX, "experimental", "pallas", "ops") + os.sep
_STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_DEEPEST = 8
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=]*)?=(?!=)")


@functools.lru_cache(maxsize=None)
def is_users(file: str) -> bool:
    """Whether a file is the user's: the kernels that come with JAX are, the rest of JAX is not."""
    if file.startswith(_KERNELS):
        return True
    if file.startswith("<") or file.startswith(_OURS):
        return False
    if "site-packages" in file:
        return not file.startswith(_JAX) and "/jaxlib/" not in file
    return not file.startswith(_JAX) and not file.startswith(_STDLIB)


@functools.lru_cache(maxsize=4096)
def _line(code: Any, instruction: int) -> int:
    try:
        from jax._src.lib import xla_client
        return xla_client.Traceback.code_addr2line(code, instruction)
    except (ImportError, AttributeError):
        return code.co_firstlineno


@functools.lru_cache(maxsize=8192)
def _of_frames(frames: tuple[tuple[Any, int], ...], around: Place) -> Place:
    found = [(code.co_filename, _line(code, at)) for code, at in frames]
    if not found:
        return around
    if around.line and (around.file, around.line) not in found:
        found += [(around.file, around.line), *around.stack]
    distinct = [f for i, f in enumerate(found) if i == 0 or f != found[i - 1]]
    return Place(*distinct[0], tuple(distinct[1:_DEEPEST]))


def place_of(source_info: Any, around: Place) -> Place:
    """The innermost line of the user's that made an equation, and the calls that led there.

    JAX's frames end where it began to trace a body; `around` is the place of the equation that has this body.
    """
    traceback = source_info.traceback
    if traceback is None:
        return around
    codes, at = traceback.raw_frames()
    return _of_frames(tuple([(c, i) for c, i in zip(codes, at) if is_users(c.co_filename)]), around)


@functools.lru_cache(maxsize=8192)
def assigned_name(place: Place) -> str | None:
    """The variable to which the line assigns, `block` of `block = lax.rem(...)`."""
    found = _ASSIGNED.match(linecache.getline(place.file, place.line))
    return found.group(1) if found else None
