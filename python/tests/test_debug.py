"""A run step by step."""

from __future__ import annotations

import numpy as np
import pytest

import tessera
from programs import PASS_RIGHT


def test_a_session_goes_forward_and_back(hangs):
    session = tessera.load(hangs).debug(np.ones((8, 128), np.float32), devices=2)
    assert session.event == 0
    assert "deadlock" in session.run()
    assert session.is_over or session.event > 0
    session.goto(0)
    assert session.event == 0


def test_memory_is_read_from_the_arrays():
    session = tessera.load(PASS_RIGHT).debug([np.full((8, 128), d, np.float32) for d in (5, 6)], devices=2)
    session.run()
    assert "6" in session.print("out[0, 0]")
    assert "a[0, 0]" in session.why("out[0, 0]")


def test_a_wrong_command_is_told():
    session = tessera.gmm.debug(None, None, [2, 3], k=8, n=4, dtype="f32")
    with pytest.raises(tessera.BadInput, match="stp"):
        session.command("stp")
    assert "step" in session.help()
