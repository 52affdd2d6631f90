"""How reports of wrong kernels read: the Python's lines, functions, turns of loops, and names."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from corpus.ring import f32

pytest.importorskip("tessera.pallas.convert.program")
ANY = pl.BlockSpec(memory_space=pl.ANY)
SLOTS = 2


def line_of(function, text: str) -> str:
    """`test_reports.py:31`, the line of a function that has the text."""
    import inspect
    lines, first = inspect.getsourcelines(function)
    return f"test_reports.py:{first + next(i for i, line in enumerate(lines) if text in line)}"


def pages_kernel(lengths, pool, o_ref, slots, sems):
    def fetch(i):
        return pltpu.make_async_copy(pool.at[i], slots.at[i % SLOTS], sems.at[i % SLOTS])

    def body(i, _):
        fetch(i).wait()
        fetch(i + SLOTS).start()  # into the slot that is read next
        o_ref[0] += slots[i % SLOTS]
        return 0

    for i in range(SLOTS):
        fetch(i).start()
    o_ref[...] = jnp.zeros_like(o_ref)
    jax.lax.fori_loop(0, lengths[pl.program_id(0)], body, 0)
    for i in range(SLOTS):
        fetch(lengths[pl.program_id(0)] + i).wait()


def pages(lengths, pool):
    grid = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(2,), in_specs=[ANY], out_specs=pl.BlockSpec((1, 8, 128), lambda s, _: (s, 0, 0)),
        scratch_shapes=[pltpu.VMEM((SLOTS, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((SLOTS,))])
    return pl.pallas_call(pages_kernel, out_shape=f32(2, 8, 128), grid_spec=grid)(lengths, pool)


@pytest.fixture(scope="module")
def reused():
    """The report of a copy into a slot that is still read."""
    return tessera.pallas.verify(pages, np.array([2, 3], np.int32), np.ones((5, 8, 128), np.float32), numbers=False)


def test_calls_have_functions_and_are_those_that_led_to_the_line(reused):
    finding = reused.findings[0]
    assert finding.kind == "race" and finding.place == line_of(pages_kernel, "o_ref[0] +=")
    assert finding.function == "pages_kernel.<locals>.body"
    calls = [(f"test_reports.py:{line}", name) for _, line, name in finding.stack]
    assert calls == [(line_of(pages_kernel, "fori_loop"), "pages_kernel"), (line_of(pages, "pl.pallas_call"), "pages")]
    assert f"in pages_kernel.<locals>.body, called at {calls[0][0]}" in str(reused)


def test_findings_and_notes_have_turns_and_the_point_of_the_grid(reused):
    finding = reused.findings[0]
    assert finding.at == "program_id(0)=0 i=0" and f"{finding.message}, at program_id(0)=0 i=0" in str(reused)
    started = finding.notes[0]
    assert (started.place, started.at) == (line_of(pages_kernel, "fetch(i + SLOTS)"), "program_id(0)=0 i=0")
    assert started.source.startswith("fetch(i + SLOTS).start()") and started.source in str(reused)
    assert str(reused).count("called at " + line_of(pages_kernel, "fori_loop")) == 1    # notes tell what they do not share


def test_a_kept_report_reads_the_same(reused):
    again = tessera.pallas.verify(pages, np.array([2, 3], np.int32), np.ones((5, 8, 128), np.float32), numbers=False)
    assert again.sites[0].from_cache and again.findings == reused.findings and str(again) == str(reused)
