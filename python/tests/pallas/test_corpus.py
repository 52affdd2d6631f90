"""What becomes of each kernel of the corpus, and of the mistakes that are seeded in some."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tessera.pallas
from corpus import collectives, grids, mistakes, table

pytest.importorskip("tessera.pallas.convert.program")
OURS = [*table.rings(4), *table.on_grids()]
WHEEL = table.wheel_rows()
of_the_wheel = pytest.mark.skipif(jax.__version__ != "0.10.2", reason="the drivers and what they find are for the wheel of jax 0.10.2")


@pytest.mark.parametrize("row", OURS, ids=lambda row: row.name)
def test_kernels_of_the_documentation(row):
    fn, args = row.build()
    verdict = tessera.pallas.verify(fn, *args)
    assert tuple(table.column(site) for site in verdict.sites) == row.sites, verdict


@of_the_wheel
@pytest.mark.parametrize("row", WHEEL, ids=lambda row: row.name)
def test_kernels_of_the_wheel(row):
    fn, args = row.build()
    verdict = tessera.pallas.verify(fn, *args)
    assert tuple(table.column(site) for site in verdict.sites) == row.sites, verdict


def test_the_wheel_has_fifteen_sites():
    assert sum(len(row.sites) for row in WHEEL) == 15


def test_the_corpus_computes_what_numpy_does():
    x = np.random.default_rng(0).integers(-4, 4, (16, 8, 128)).astype(np.float32)
    whole = np.asarray(tessera.pallas.run(collectives.reduce_scatter(4), x)).reshape(4, 8, 128)
    np.testing.assert_array_equal(whole, x.reshape(4, 4, 8, 128).sum(0))
    gathered = tessera.pallas.run(collectives.all_gather(4), x[:4].reshape(32, 128)).reshape(4, 32, 128)
    np.testing.assert_array_equal(gathered, np.stack([x[:4].reshape(32, 128)] * 4))
    np.testing.assert_array_equal(tessera.pallas.run(grids.sum_over, x), x.sum(0))


@of_the_wheel
def test_the_published_all_gather_is_proved_when_copies_of_a_link_land_in_order():
    row = next(row for row in WHEEL if row.name == "all_gather.py")
    fn, args = row.build()
    verdict = tessera.pallas.verify(fn, *args, numbers=False)
    assert verdict.sites[0].promises == "proved if copies of one link complete in order"
    assert {finding.place for finding in verdict.findings if not finding.consequence} == {"all_gather.py:91", "all_gather.py:105"}
    assert tessera.pallas.verify(fn, *args, numbers=False, dma_order="fifo").proved


@of_the_wheel
def test_the_heads_of_splash_attention_share_three_outputs():
    row = next(row for row in WHEEL if row.name == "splash_attention")
    fn, args = row.build()
    verdict = tessera.pallas.verify(fn, *args, numbers=False, parallel=True)
    assert [site.status for site in verdict.sites] == ["refuted", "proved", "proved"]
    assert all("_scratch" in finding.message and finding.kind == "race" for finding in verdict.findings)


# How many of the changed kernels are refuted and proved; of the last each third is tried, `mistakes_table.py` tries all.
MISTAKES = {"right_permute": (1, 2, 3), "all_gather": (1, 9, 1), "all_reduce": (1, 18, 5), "reduce_scatter": (3, 8, 6)}


@pytest.mark.parametrize("name", MISTAKES)
def test_every_seeded_mistake_is_decided(name):
    """Refuted, or proved: then the change orders nothing otherwise, as another slot for one that nobody uses any longer."""
    every, refuted, proved = MISTAKES[name]
    statuses = []
    shape = table.per_device_shape(2 if name == "reduce_scatter" else 1, 4)
    for what, build in list(mistakes.mutants(collectives, name))[::every]:
        try:
            verdict = tessera.pallas.verify(build(4), np.ones(shape, np.float32), numbers=False)
        except (ValueError, UnboundLocalError):  # the change is no program
            continue
        statuses.append(verdict.status)
        assert verdict.status in ("refuted", "proved"), f"{what}: {verdict}"
    assert (statuses.count("refuted"), statuses.count("proved")) == (refuted, proved)
