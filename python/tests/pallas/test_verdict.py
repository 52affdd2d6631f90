"""What a verdict says besides its status: whether numbers were compared, on how many devices, and what follows from what."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from corpus import collectives, grids, mistakes, ring
from corpus.ring import f32
from tessera.pallas import options

pytest.importorskip("tessera.pallas.convert.program")
X = np.random.default_rng(0).standard_normal((32, 128), np.float32)


def unwaited(devices: int):
    return next(build for text, build in mistakes.mutants(collectives, "right_permute") if "without push.wait()" in text)(devices)


def test_compared_is_true_where_every_conversion_was_and_else_there_is_a_reason():
    right = tessera.pallas.verify(grids.add, X, X)
    assert right.compared and right.why_not_compared == ()
    unasked = tessera.pallas.verify(grids.add, X, X, numbers=False)
    assert unasked.proved and not unasked.compared and "numbers=False" in unasked.why_not_compared[0]
    assert "not compared with JAX, as numbers=False asks" in str(unasked)
    refuted = tessera.pallas.verify(unwaited(2), np.ones((16, 128), np.float32))
    assert not refuted.compared and "refuted" in refuted.why_not_compared[0]
    assert not tessera.pallas.verify(lambda x: x, X).compared  # nothing was


def test_elements_are_those_of_all_cases():
    one = tessera.pallas.verify(grids.add, X, X).sites[0].numbers
    both = tessera.pallas.verify(grids.add, cases=[(X, X), (2 * X, X)])
    assert one.elements > 0 and both.sites[0].numbers.elements == 2 * one.elements
    assert f"{2 * one.elements} elements" in str(both) and both.sites[0].calls == 2


def test_a_verdict_goes_through_its_pallas_calls():
    verdict = tessera.pallas.verify(lambda x: grids.add(grids.add(x, x), x), X)
    assert [site.status for site in verdict] == ["proved"] * len(verdict) and list(verdict) == list(verdict.sites)


def test_a_mesh_says_how_many_devices_it_has_and_of_one_how_to_get_more():
    def local(x):
        def kernel(x_ref, o_ref, part, done):
            copy = pltpu.make_async_copy(x_ref, part, done)
            copy.start()
            copy.wait()
            pltpu.sync_copy(part, o_ref)

        return pl.pallas_call(
            kernel,
            out_shape=f32(8, 128),
            in_specs=[ring.ANY],
            out_specs=ring.ANY,
            scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
        )(x)

    fits = tessera.pallas.verify(ring.sharded(local, 4), X, numbers=False)
    assert fits.proved and "kernel, 4 devices: proved" in str(fits)
    alone = tessera.pallas.verify(ring.sharded(local, 1), X, numbers=False)
    assert alone.status == "refused" and "kernel, 1 device: refused" in str(alone), alone
    assert "the mesh has 1 device: for more, call tessera.pallas.host_devices(N)" in str(alone)


def test_what_follows_from_a_finding_is_shown_where_all_is_asked_for():
    def asked(build, **how):
        return tessera.pallas.verify(build(4), X, numbers=False, **how)

    wrong = next(build for _, build in mistakes.mutants(collectives, "all_gather") if any(finding.consequence for finding in asked(build).findings))
    short, long = asked(wrong), asked(wrong, all=True)
    behind = sum(finding.consequence for finding in short.findings)
    assert short.findings == long.findings and f"and {behind} that follow from these; all=True shows them" in str(short)
    assert str(long).count(": race: ") == sum(finding.kind == "race" for finding in long.findings)
    assert "that follow from these" not in str(long) and f"refuted: {len(long.findings) - behind} finding" in str(long)


def test_the_page_names_every_option_and_what_a_verdict_has():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "pallas.md").read_text(encoding="utf-8")
    asked = [name for name in inspect.signature(tessera.pallas.verify).parameters if name not in ("fn", "args", "promises")]
    told = [
        name
        for kind in (tessera.pallas.Verdict, tessera.pallas.SiteVerdict, tessera.pallas.Finding)
        for name in dir(kind)
        if not name.startswith("_") and not callable(getattr(kind, name))
    ]
    told += [field.name for kind in (tessera.pallas.SiteVerdict, tessera.pallas.Finding) for field in dataclasses.fields(kind)]
    for word in {*asked, *options.KNOWN, *told}:
        assert re.search(rf"\b{word}\b", page), word
