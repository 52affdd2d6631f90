"""The kernels of other projects that are installed are decided as they were; `trial_table.py` has their numbers and times."""

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


def test_the_packages_are_found_or_said_to_be_missing():
    from trial.shells import shell
    with pytest.raises(NotThere, match="no_such_package is not installed"):
        shell("no_such_package")
