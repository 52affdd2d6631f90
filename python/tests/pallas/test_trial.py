"""The kernels of other projects that are installed are decided as they were; `trial_table.py` has their numbers and times."""

import numpy as np
import pytest

import tessera.pallas
from trial import CASES, NotThere


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.package}-{case.name}")
def test_kernels_of_others(case):
    try:
        fn, args = case.build()
    except (NotThere, ModuleNotFoundError) as missing:
        pytest.skip(f"{case.package}: {missing}; pip install --no-deps, or a folder of it in PYTHONPATH")
    verdict = tessera.pallas.verify(fn, *args, numbers=False)
    assert {finding.kind for finding in verdict.findings if not finding.consequence} == set(case.finds), verdict
    assert verdict.status == ("refuted" if case.finds else "proved"), verdict


def built(name):
    """A case by its name; skips where its package is not installed."""
    (case,) = (case for case in CASES if case.name == name)
    try:
        return case.build()
    except (NotThere, ModuleNotFoundError) as missing:
        pytest.skip(f"{case.package}: {missing}")


@pytest.mark.parametrize(
    ("starts", "orders"),
    [((0, 1, 14, 32, 32), "output_ref of dev0 is different in the two orders"), ((0, 1, 20, 32, 32), "same values in both orders")],
)
def test_a_tile_that_two_outputs_store(starts, orders):
    """docs/explain/found.md: the order of the copies decides where the first sequence behind the decoded tokens ends in their tile."""
    fn, args = built("gdn_recurrent_v2")
    verdict = tessera.pallas.verify(fn, *args[:6], np.array(starts, np.int32), *args[7:], numbers=False, uninitialised="poison")
    assert [finding.kind for finding in verdict.findings] == ["race"], verdict
    assert f"both orders were run: {orders}" in [note.message for note in verdict.findings[0].notes], verdict


def test_what_is_read_behind_the_end_is_all_that_is_wrong():
    fn, args = built("mla_compressed")
    longer = np.concatenate([args[3], np.ones(8, np.int32)])
    assert tessera.pallas.verify(fn, *args[:3], longer, *args[4:], numbers=False).proved


def test_what_is_stored_twice_is_the_same():
    fn, args = built("mla_sliding_window")
    verdict = tessera.pallas.verify(fn, *args, numbers=False, uninitialised="poison")
    assert [finding.kind for finding in verdict.findings] == ["race"], verdict
    assert any("same values in both orders" in note.message for note in verdict.findings[0].notes), verdict


def test_both_races_of_fused_moe_with_three_experts_on_a_device():
    """docs/explain/found.md: after reads before an array whose value is thrown away, which do not end the analysis."""
    fn, args = built("fused_moe_of_three")
    verdict = tessera.pallas.verify(fn, *args, numbers=False)
    races = {(one.place, note.place) for one in verdict.findings if one.kind == "race" for note in one.notes if "is started here" in note.message}
    assert races == {("kernel.py:995", "kernel.py:550"), ("kernel.py:995", "kernel.py:559")}, verdict


def test_fused_moe_repaired():
    from trial.tpu_inference_attention import fused_moe_repaired

    try:
        fn, args = fused_moe_repaired()
    except (NotThere, ModuleNotFoundError) as missing:
        pytest.skip(str(missing))
    verdict = tessera.pallas.verify(fn, *args, numbers=False)
    assert verdict.proved, verdict


def test_the_packages_are_found_or_said_to_be_missing():
    from trial.shells import shell

    with pytest.raises(NotThere, match="no_such_package is not installed"):
        shell("no_such_package")
