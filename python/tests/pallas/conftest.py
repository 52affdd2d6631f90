"""Tests of `tessera.pallas`: eight host devices, and a cache of their own that is new for each run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="JAX is not installed")
os.environ.setdefault("NPROC", "16")
sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin("tessera.pytest_plugin"):
        config.pluginmanager.import_plugin("tessera.pytest_plugin")
    from tessera.pallas import host_devices

    host_devices(8)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("TESSERA_CACHE", raising=False)  # it has precedence
        yield
