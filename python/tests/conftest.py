"""What several tests need: arrays that are the same in every run, and the folder that examples are named from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from programs import PASS_RIGHT

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples are named from there."""
    monkeypatch.chdir(Path(__file__).resolve().parents[2])


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def hangs() -> str:
    """Every device waits before it sends."""
    lines = PASS_RIGHT.splitlines(keepends=True)
    return "".join([*lines[:6], lines[8], *lines[6:8], lines[9]])
