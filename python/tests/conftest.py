"""What several tests need: small kernels, and arrays that are the same in every run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

DOUBLE = """\
// out = a + a
kernel double[T: f32 bf16 i32](m, n)
  in  a:   T[m, n] hbm
  out out: T[m, n] hbm
{
  pipeline i in m {
    window x = a[i +: 1, 0 +: n]
    window o = out[i +: 1, 0 +: n]
    o = cast(x + x)
  }
}
"""

PASS_RIGHT = """\
kernel pass_right(rows, cols)
  in   a:   f32[rows, cols] hbm
  out  out: f32[rows, cols] hbm
  sem  sent:    bytes
  sem  arrived: bytes
{
  start a -> (device + 1) mod devices: out, sent, arrived
  wait sent for a
  wait arrived for out
}
"""


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
