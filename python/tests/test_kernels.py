"""Kernels of texts: arguments, results, reports, proofs."""

from __future__ import annotations

import numpy as np
import pytest

import tessera
from programs import DOUBLE, PASS_RIGHT


def test_sizes_follow_from_the_arrays(generator):
    a, b, bias = (generator.normal(size=s).astype(np.float32) for s in ((30, 20), (20, 10), (1, 10)))
    kernel = tessera.load("examples/matmul_bias.tsr")
    assert kernel.operands == ("a", "b", "bias") and kernel.results == ("out",)
    out = kernel(a, b, bias, tm=8, tk=8, tn=8)
    x = a @ b + bias
    expected = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    np.testing.assert_allclose(out, expected, atol=2e-3)
    np.testing.assert_array_equal(out, kernel(a, b=b, bias=bias, set={"tm": 8, "tk": 8, "tn": 8}))


def test_several_devices_have_lists():
    parts = [np.full((8, 128), d, np.float32) for d in range(4)]
    kernel = tessera.load(PASS_RIGHT)
    for given in (parts, np.stack(parts)):
        out = kernel(given, devices=4, schedule="random:3", dma_order="fifo", copy_granularity="partial")
        assert [int(part[0, 0]) for part in out] == [3, 0, 1, 2]


def test_a_proof_is_true_or_not(hangs):
    a = np.zeros((8, 128), np.float32)
    proof = tessera.load(PASS_RIGHT).verify(a, devices=4)
    assert proof and proof.proved and proof.certificate["agents"] == 8
    refuted = tessera.load(hangs).verify(a, devices=4)
    assert not refuted and refuted.verdict == "refuted"
    assert [f.kind for f in refuted.findings] == ["deadlock"]
    assert refuted.replay.startswith("gmm-run run kernel.tsr")


def test_a_finding_is_an_exception_with_the_report(hangs):
    kernel = tessera.load(hangs, name="pass.tsr")
    with pytest.raises(tessera.FindingError) as error:
        kernel(np.zeros((8, 128), np.float32), devices=2)
    assert "pass.tsr:7:3: deadlock: 2 of 2 cores are blocked" in str(error.value)
    (finding,) = error.value.report.findings
    assert (finding.kind, finding.file, finding.line) == ("deadlock", "pass.tsr", 7)
    assert any(note.line == 8 for note in finding.notes)
    report = kernel.run(np.zeros((8, 128), np.float32), devices=2)
    assert report.status == "finding" and not report.ok and not report.results
    again = kernel.run(np.zeros((8, 128), np.float32), devices=2, schedule=report.schedule)
    assert [f.message for f in again.findings] == [finding.message]


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"schedul": "eager"}, r"has no argument schedul; did you mean 'schedule'\?"),
        ({"schedule": "egar"}, "egar"),
        ({"nn": 3}, "no argument nn"),
        ({"devices": "many"}, "--devices: expected an integer"),
        ({"no_verify": 3}, "no_verify: expected True or False, found 3"),
        ({"max_memory": "1G"}, "--max-memory limits a process"),
        ({"no_math": True}, "no_math computes no result"),
        ({"a": "missing.npy"}, "missing.npy"),
        ({"check": "full"}, "no argument check"),
    ],
)
def test_an_argument_is_honoured_or_refused(arguments, wrong):
    with pytest.raises(tessera.Error, match=wrong):
        tessera.load(DOUBLE)(**{"m": 4, "n": 4, **arguments})


def test_texts_are_refused_with_their_places():
    with pytest.raises(tessera.BadInput, match=r"mine.tsr:2:1: error"):
        tessera.load("kernel f()\nnonsense", name="mine.tsr")
    with pytest.raises(tessera.Error, match=r"nowhere\.tsr"):
        tessera.load("nowhere.tsr")
    with pytest.raises(tessera.BadInput, match="several kernels: expected kernel= one of one, two"):
        tessera.load("kernel one()\n{\n}\nkernel two()\n{\n}\n")


def test_numbers_and_files_are_operands(tmp_path):
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "a.npy", a)
    kernel = tessera.load(DOUBLE)
    np.testing.assert_array_equal(kernel(tmp_path / "a.npy"), 2 * a)
    np.testing.assert_array_equal(kernel([1, 2, 3], m=1, n=3, T="i32"), [[2, 4, 6]])


def test_other_questions(generator):
    kernel = tessera.load(DOUBLE)
    a = generator.normal(size=(16, 128)).astype(np.float32)
    assert kernel.check(m=4, n=4).object["kernels"][0]["instantiated"]
    assert "for i in" in kernel.expand(m=4, n=4)
    assert 0 < kernel.timing(a, profile="v5e").seconds < 1
    assert "schedule" in kernel.options("run") and "necessity" in kernel.options("verify")
    report = kernel.run(a, uninitialised="strict")
    assert report.statistics["steps"] > 0 and report.ok
    assert "a[" in kernel.why(a, of="out[3, 5]")


def test_expected_values_are_compared():
    a = np.ones((2, 2), np.float32)
    kernel = tessera.load(DOUBLE)
    assert kernel.run(a, expect={"out": 2 * a}).ok
    with pytest.raises(tessera.FindingError, match="mismatch"):
        kernel(a, expect={"out": 3 * a})


def test_a_kernel_of_the_library_by_its_name():
    lhs = np.ones((6, 8), np.float32)
    out = tessera.load("gmm")(lhs, np.ones((2, 8, 4), np.float32), group_sizes=[4, 2], n=4, tm=8, tk=8, tn=8)
    np.testing.assert_array_equal(out, 8)


@pytest.mark.parametrize("devices", [2, "2", np.int64(2)])
def test_the_number_of_devices_is_a_number_or_its_word(devices):
    parts = [np.full((2, 4), device, np.float32) for device in range(2)]
    out = tessera.load(PASS_RIGHT)(parts, devices=devices)
    assert [float(part[0, 0]) for part in out] == [1, 0]


def test_extents_and_types_are_shown_as_written():
    kernel = tessera.load("kernel k[T: f32 bf16](m = 2)\n  in a: T[2 * m, 128] hbm\n{\n}\n")
    with pytest.raises(tessera.BadInput, match=r"^a: expected 2 dimensions, \[2 \* m, 128\], found the shape \(4,\)$"):
        kernel.run(a=np.zeros(4, np.float32))


def test_the_dimensions_of_an_operand_are_told():
    kernel = tessera.load("examples/matmul_bias.tsr")
    assert kernel.__doc__.endswith("a: T[m, k]\nb: T[k, n]\nbias: f32[1, n]\nreturns out: T[m, n]")
    a = np.ones((4, 4), np.float32)
    with pytest.raises(tessera.BadInput, match=r"^a: expected 2 dimensions, \[m, k\], found the shape \(4,\)$"):
        kernel(a[0], a, a[:1])
    with pytest.raises(tessera.BadInput, match="needs a value for `m`: give m="):
        kernel(b=a, bias=a[:1])
    with pytest.raises(tessera.BadInput, match="a: expected 2 dimensions"):
        tessera.load(PASS_RIGHT)([a, a[0]], devices=2)


def test_reports_show_what_they_say(hangs):
    a = np.zeros((8, 128), np.float32)
    assert repr(tessera.load(PASS_RIGHT).verify(a, devices=4)) == "<Proof proved>"
    assert repr(tessera.load(hangs).run(a, devices=4)).startswith("<Report finding, ")


def test_an_operand_that_a_parameter_declares_is_one():
    kernel = tessera.load("gmm")
    assert kernel.operands.count("rhs") == 1
    lhs, rhs, sizes = np.ones((30, 16), np.float32), np.ones((3, 16, 8), np.float32), np.array([10, 0, 20], np.int32)
    out = kernel(lhs, rhs, sizes, tm=8, tk=16, tn=8, groups=3, n=8)
    np.testing.assert_array_equal(out, tessera.gmm(lhs, rhs, sizes))
