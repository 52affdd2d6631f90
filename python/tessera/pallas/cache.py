"""Cached verdicts: one file for each hash of everything that a verdict depends on.

Files are read and written by the rules of `core/host/disk_cache.h`. A file is read only if this user or root owns it and no other user
can write it; it is written as a whole or not at all. An entry with another checksum or another shape is a miss.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from tessera import _tessera

VERSION = 8  # entries of another version are misses

_PART = "pallas"
_HEAD = f"tessera-verdict-{VERSION}"


def key(parts: Iterable[Any]) -> str:
    """Returns a hash of texts and arrays."""
    digest = hashlib.sha256(_HEAD.encode())
    for part in parts:
        content = part.dtype.str + str(part.dtype) + str(part.shape) if isinstance(part, np.ndarray) else str(part)
        bytes_ = content.encode("utf-8", "surrogatepass") + (np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else b"")
        digest.update(len(bytes_).to_bytes(8, "little") + bytes_)
    return digest.hexdigest()


def load(name: str, shape: Any) -> tuple[Any | None, str]:
    """Returns the value stored under a key, and a note if there is an entry that is not used.

    The value has `shape` (see `has_shape`), or is None if there is no such entry. Never raises because of an entry.
    """
    content, note = _tessera.read_cached(_PART, _file(name))
    if content is None:
        return None, note
    try:
        head, text = content.split(b"\n", 1)
        value = json.loads(text) if head == _head(name, text) else None
    except (ValueError, RecursionError):
        value = None
    if value is None or not has_shape(value, shape):
        return None, f"the cache's entry {_tessera.cache_path(_PART)}/{_file(name)} is not used: it is not a verdict of this version"
    return value, ""


def store(name: str, value: Any) -> None:
    """Stores a value. If it cannot be written, it is not stored."""
    text = json.dumps(value).encode()
    _tessera.write_cached(_PART, _file(name), _head(name, text) + b"\n" + text)


def has_shape(value: Any, shape: Any) -> bool:
    """True if a JSON value has a shape.

    A shape is a type, a frozenset of texts, a list with the shape of every element, or a tuple with one shape per element. A dict has
    the shape of each member; other members are not allowed.
    """
    if isinstance(shape, frozenset):
        return isinstance(value, str) and value in shape
    if isinstance(shape, list):
        return isinstance(value, list) and all(has_shape(one, shape[0]) for one in value)
    if isinstance(shape, tuple):
        return isinstance(value, list) and len(value) == len(shape) and all(map(has_shape, value, shape))
    if isinstance(shape, dict):
        return isinstance(value, dict) and value.keys() == shape.keys() and all(has_shape(value[name], shape[name]) for name in shape)
    return isinstance(value, float | int if shape is float else shape) and (shape is bool or not isinstance(value, bool))


def _file(name: str) -> str:
    return f"{name}.json"


def _head(name: str, text: bytes) -> bytes:
    """The first line of an entry: its version and the checksum of its key and its text."""
    return f"{_HEAD} {hashlib.sha256(name.encode() + text).hexdigest()}".encode()
