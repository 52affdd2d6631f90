"""Verdicts that were found before, on disk, by a hash of all that they depend on."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

# Of what is stored; another number forgets all that was kept.
VERSION = 4


def folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "tessera" / "pallas"


def key(parts: Iterable[Any]) -> str:
    """A hash of texts and arrays."""
    digest = hashlib.sha256(str(VERSION).encode())
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(str(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def load(name: str) -> Any | None:
    """What was stored under this key; None where there is nothing, or nothing that can be read."""
    try:
        return json.loads((folder() / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def store(name: str, value: Any) -> None:
    """Keeps a value; a cache that cannot be written is none."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder(), delete=False, encoding="utf-8") as file:
            json.dump(value, file)
        os.replace(file.name, folder() / f"{name}.json")
    except OSError:
        return
