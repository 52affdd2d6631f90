"""The engine as the importer of Pallas kernels calls it."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from programs import DOUBLE, PASS_RIGHT
from tessera import _engine


def test_a_run_gives_a_list_for_each_result():
    a = np.arange(8, dtype=np.float32).reshape(2, 4).astype(ml_dtypes.bfloat16)
    report = _engine.run(DOUBLE, {"a": a}, {"out": np.dtype(ml_dtypes.bfloat16)}, name="mine.py")
    assert report.exit_code == 0 and report.object["status"] == "ok"
    np.testing.assert_array_equal(report.results["out"][0].astype(np.float32), 2 * a.astype(np.float32))


def test_operands_of_several_devices_are_lists():
    parts = [np.full((8, 128), device, np.float32) for device in range(2)]
    report = _engine.run(PASS_RIGHT, {"a": parts}, {"out": np.dtype(np.float32)}, devices=2, options=["--schedule", "lazy"])
    assert [part[0, 0] for part in report.results["out"]] == [1, 0]


def test_what_is_wrong_is_in_the_report(hangs):
    report = _engine.verify(hangs, {"a": np.zeros((8, 128), np.float32)}, devices=2, name="mine.tsr")
    assert report.exit_code == 1 and report.object["verdict"] == "refuted"
    assert [(f["kind"], f["file"]) for f in report.findings] == [("deadlock", "mine.tsr")]
    assert "mine.tsr:7:3: deadlock" in report.text
    wrong = _engine.run("kernel f(\n", {}, {})
    assert wrong.exit_code == 2 and wrong.object["status"] == "bad_input" and not wrong.results
