"""Packs: `gmm-run pack` stores a case, Python opens it."""

import subprocess
import sys

import numpy as np
import pytest

import tessera

RACING = """kernel racing(n = 4)
  in  a: f32[n] hbm
  out o: f32[n] hbm
  vmem x: f32[n]
  sem s: bytes
{
  start a -> x, s
  x = 1
  copy x -> o
  wait s for x
}
"""


@pytest.fixture
def case(tmp_path):
    program, operand, pack = tmp_path / "racing.tsr", tmp_path / "a.npy", tmp_path / "case.pack"
    program.write_text(RACING)
    np.save(operand, np.arange(4, dtype=np.float32))
    words = ["pack", pack, "verify", program, "--in", f"a={operand}"]
    done = subprocess.run([sys.executable, "-m", "tessera", *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    program.unlink()
    operand.unlink()
    return tessera.open_pack(pack)


def test_a_pack_is_verified_run_and_debugged(case):
    assert {finding.kind for finding in case.verify().findings} == {"race"}
    report = case.run()
    assert str(report.findings[0]).startswith("racing.tsr:8: race: ")
    assert report.object["replay_words"][:2] == ["run", case.path]
    assert case.debug().step().startswith("event ")
    assert "dev0 o[0] was brought by" in case.why("o[0]", schedule="lazy")


def test_wrong_arguments_and_files_are_refused(case, tmp_path):
    with pytest.raises(tessera.BadInput, match=r"run of a pack has no argument schedul; did you mean 'schedule'"):
        case.run(schedul="lazy")
    with pytest.raises(tessera.EnvironmentFailure, match=r"nosuch\.pack"):
        tessera.open_pack(tmp_path / "nosuch.pack").run()
