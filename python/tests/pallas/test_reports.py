"""How reports of wrong kernels read: the Python's lines, functions, turns of loops, and names."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from corpus import ring
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
        num_scalar_prefetch=1,
        grid=(2,),
        in_specs=[ANY],
        out_specs=pl.BlockSpec((1, 8, 128), lambda s, _: (s, 0, 0)),
        scratch_shapes=[pltpu.VMEM((SLOTS, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((SLOTS,))],
    )
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
    assert str(reused).count("called at " + line_of(pages_kernel, "fori_loop")) == 1  # notes tell what they do not share


def test_a_kept_report_reads_the_same(reused):
    again = tessera.pallas.verify(pages, np.array([2, 3], np.int32), np.ones((5, 8, 128), np.float32), numbers=False)
    assert again.sites[0].from_cache and again.findings == reused.findings and str(again) == str(reused)


def sums_kernel(x_ref, o_ref, acc):
    acc[...] += x_ref[...]  # never set before

    @pl.when(pl.program_id(1) == 1)
    def _():
        o_ref[0, 0] = acc[...]
        acc[...] = jnp.zeros_like(acc)


def sums(x):
    return pl.pallas_call(
        sums_kernel,
        grid=(2, 2),
        in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((1, 1, 8, 128), lambda i, j: (i, 0, 0, 0)),
        out_shape=f32(2, 1, 8, 128),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
    )(x)


def test_undefined_data_names_the_scratch_and_its_first_use():
    verdict = tessera.pallas.verify(sums, np.ones((16, 256), np.float32))
    finding = verdict.findings[0]
    assert finding.message == "o_ref[0, 0, 0, 0], which is undefined, goes into the result o_ref" and finding.into == "o_ref", verdict
    used = finding.notes[0]
    assert (used.message, used.place) == ("first used undefined here: acc[0 .. 8, 0 .. 128]", line_of(sums_kernel, "acc[...] +="))
    assert used.source.startswith("acc[...] += x_ref[...]") and used.at == "program_id(0)=0 program_id(1)=0"
    assert finding.notes[1].message == "acc is undefined since here" and "o_hbm" not in str(verdict)


def test_an_array_that_the_python_has_no_name_for_is_explained():
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = x_ref[...]

    spec = pl.BlockSpec((8, 128), lambda i: (0, 0))
    verdict = tessera.pallas.verify(
        lambda x: pl.pallas_call(kernel, grid=(2,), in_specs=[spec], out_specs=spec, out_shape=f32(16, 128))(x), np.ones((16, 128), np.float32)
    )
    assert verdict.findings[0].kind == "never_written", verdict
    assert "note: o_hbm is the whole array behind o_ref" in str(verdict)


def test_refs_that_come_as_one_have_the_names_of_the_function_that_gets_them():
    def inner(times, x_ref, o_ref, total):
        total[...] = x_ref[...] * times
        o_ref[...] = total[...]

    def kernel(*refs):
        inner(2.0, *refs)

    def unpacked(*refs):
        source, *rest, memory = refs
        memory[...] = source[...]
        rest[0][...] = memory[...]

    def text(kernel):
        return tessera.pallas.text(
            lambda x: pl.pallas_call(kernel, out_shape=f32(8, 128), scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)])(x), f32(8, 128)
        )

    assert "vmem total:" in text(kernel) and "in x_hbm:" in text(kernel) and "out o_hbm:" in text(kernel)
    assert "vmem memory:" in text(unpacked) and "in source_hbm:" in text(unpacked) and "refs_1" in text(unpacked)
    assert "refs_2" in text(lambda *refs: unpacked(*refs[:2], refs[2]))  # not handed on as they are: left
    assert "vmem total:" in text(lambda *refs: inner(1.0, *refs))


def neighbours(devices, wrong):
    """Each device fills its right neighbour's box in turn, and tells the left one, or the wrong one, that there is space."""

    def kernel(*refs):
        credits(*refs)

    def credits(x_ref, o_ref, boxes, sent, arrived, space):
        left, right = ring.left(), ring.right()
        ring.meet_neighbours()
        for i in range(3):
            if i > 0:
                pl.semaphore_wait(space, 1)
            push = ring.to(right, x_ref if i == 0 else boxes.at[(i + 1) % 2], boxes.at[i % 2], sent, arrived.at[i % 2])
            push.start()
            push.wait()
            pltpu.sync_copy(boxes.at[i % 2], o_ref)
            if i < 2:
                pl.semaphore_signal(space, 1, device_id=(right if wrong else left,), device_id_type=pl.DeviceIdType.MESH)

    scratch = [pltpu.VMEM((2, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA((2,)), pltpu.SemaphoreType.REGULAR]
    return ring.sharded(
        lambda x: pl.pallas_call(
            kernel,
            out_shape=f32(8, 128),
            in_specs=[ANY],
            out_specs=ANY,
            scratch_shapes=scratch,
            compiler_params=pltpu.CompilerParams(collective_id=0),
        )(x),
        devices,
    )


def test_a_credit_that_goes_to_the_wrong_neighbour_is_told_beside_the_race():
    verdict = tessera.pallas.verify(neighbours(4, wrong=True), np.ones((32, 128), np.float32), numbers=False)
    assert [f.kind for f in verdict.findings if not f.consequence] == ["race"], verdict
    notes = [note for note in verdict.findings[0].notes if "also waits for space" in note.message]
    assert notes and notes[0].source == "pl.semaphore_wait(space, 1)", verdict
    assert any("signals it here, and" in note.message and "pl.semaphore_signal(space" in note.source for note in verdict.findings[0].notes)
    assert str(verdict).endswith("tessera.pallas.show(f, x) has the Python beside the program")
    assert tessera.pallas.verify(neighbours(4, wrong=False), np.ones((32, 128), np.float32), numbers=False).proved


def test_turns_of_a_loop_that_jax_names_and_names_that_are_words_of_the_language():
    def kernel(x_ref, o_ref, copy, sem):
        @pl.loop(0, 3)
        def _(j):
            moved = pltpu.make_async_copy(x_ref.at[j], copy, sem)
            moved.start()
            o_ref[...] = copy[...]
            moved.wait()

    def call(x):
        return pl.pallas_call(
            kernel, out_shape=f32(8, 128), in_specs=[ANY], scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA]
        )(x)

    verdict = tessera.pallas.verify(call, np.ones((3, 8, 128), np.float32), uninitialised="poison")
    finding = verdict.findings[0]
    assert finding.message.startswith("dev0.core0 reads copy[0 .. 8, 0 .. 128] of dev0") and finding.at == "iteration=0", verdict
    assert any(note.message.startswith("its bytes are counted by sem of dev0") for note in finding.notes), verdict
    mapped = tessera.pallas.verify(jax.vmap(call), np.ones((2, 3, 8, 128), np.float32), uninitialised="poison")
    assert mapped.findings[0].at == "vmap(0)=0 iteration=0", mapped


def test_a_whole_array_under_vmap_is_the_part_of_its_turn():
    def kernel(x_ref, o_ref, row):
        pltpu.sync_copy(x_ref.at[1], row)
        o_ref[...] = row[...] * 2

    def call(x):
        return pl.pallas_call(kernel, out_shape=f32(8, 128), in_specs=[ANY], scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)])(x)

    verdict = tessera.pallas.verify(jax.vmap(call), np.random.default_rng(0).standard_normal((2, 3, 8, 128), np.float32))
    assert verdict.proved and verdict.compared, verdict


def test_the_line_that_used_undefined_scratch_is_told_once():
    def kernel(x_ref, o_ref, tile, done):
        half = pltpu.make_async_copy(x_ref.at[:4], tile.at[:4], done)
        half.start()
        half.wait()
        o_ref[...] = tile[...] + 1

    verdict = tessera.pallas.verify(
        lambda x: pl.pallas_call(
            kernel, out_shape=f32(8, 128), in_specs=[ANY], scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA]
        )(x),
        np.ones((8, 128), np.float32),
    )
    assert str(verdict).count("o_ref[...] = tile[...] + 1") == 1 and "first used undefined here: tile[0 .. 8, 0 .. 128]" in str(verdict)
