"""The table over JAX's own tests: a test counts by the worst of its kernels."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import jax_suite

KNOWN = [("refuted", "*test_part", "*never_written*"), ("refused", "*test_pinned", "*pinned*")]


def row(test, *kernels, outcome="passed", error=""):
    return {"test": f"some_test.py::Some::{test}", "outcome": outcome, "error": error, "kernels": list(kernels)}


def kernel(status, numbers="not needed", reason="", *findings):
    return {"place": "some_test.py:3", "status": status, "numbers": numbers, "reason": reason, "why": "", "findings": list(findings)}


PROVED, UNKNOWN = kernel("proved", "same"), kernel("proved", "unknown")
KINDS = [
    (row("test_a", PROVED), "proved with JAX's numbers"),
    (row("test_b", PROVED, UNKNOWN), "proved, JAX has no numbers"),
    (row("test_part", kernel("refuted", "", "", ["a.py:1", "never_written", "o is"])), "rightly refuted"),
    (row("test_part", kernel("refuted", "", "", ["a.py:1", "race", "o is"])), "refuted"),
    (row("test_pinned", kernel("refused", "", "a.py:1: a pinned buffer")), "refused, as by JAX"),
    (row("test_c", kernel("refused", "", "a.py:1: int4"), PROVED), "refused"),
    (row("test_d", kernel("mismatch", "differ")), "other numbers than JAX"),
    (row("test_e"), "no kernel"),
    (row("test_f", kernel("explored")), "explored"),
    (row("test_g", PROVED, error="TypeError: Cannot interpret 'dma_sem' as a data type"), "crash"),
    ({**row("test_i", PROVED), "inside": True}, "crash"),
]


@pytest.mark.parametrize(("one", "kind"), KINDS)
def test_the_kind_of_a_test(one, kind):
    assert jax_suite.kind_of(one, KNOWN) == kind


def test_the_table():
    rows = [one for one, _ in KINDS] + [row("test_h", outcome="skipped")]
    rows[1]["on_mesh"] = rows[5]["on_mesh"] = True
    text = jax_suite.table(rows)
    assert "2 tests have a kernel on a mesh of cores (`pl.kernel`, `core_map`): 1 are decided." in text
    assert f"{len(rows)} tests, 1 skip themselves; of 9 that reach a kernel" in text and "| int4 | 1 |" in text


def test_what_is_judged_is_read():
    assert all(kind in ("refuted", "refused") for kind, _, _ in jax_suite.judged())


TEST = """
from absl.testing import absltest
import jax
import numpy as np
from jax._src import test_util as jtu
from jax.experimental import pallas as pl

class SomeTest(jtu.JaxTestCase):
  def test_double(self):
    if not jtu.is_device_tpu_at_least(4):
      self.skipTest("no TPU")
    def kernel(x_ref, o_ref):
      o_ref[...] = x_ref[...] * 2
    x = np.ones((8, 128), np.float32)
    np.testing.assert_array_equal(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), np.float32))(x), 2 * x)
"""


def test_a_folder_of_tests(tmp_path):
    pytest.importorskip("absl")
    pytest.importorskip("hypothesis")
    (tmp_path / "some_test.py").write_text(TEST)
    found = subprocess.run(
        [sys.executable, Path(jax_suite.__file__), tmp_path, "--keep", tmp_path / "rows.jsonl"], capture_output=True, text=True, check=True
    )
    (one,) = map(json.loads, (tmp_path / "rows.jsonl").read_text().splitlines())
    assert one["outcome"] == "passed" and "| proved with JAX's numbers | 1 |" in found.stdout, found
