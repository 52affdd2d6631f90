"""What `tessera.pallas.verify` says of kernels that are right, wrong, refused, and wrongly converted."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
import tessera.pallas.decide
from corpus import collectives, grids, mistakes
from corpus.ring import f32
from tessera import _engine

pytest.importorskip("tessera.pallas.convert.program")
X = np.random.default_rng(0).standard_normal((32, 128), np.float32)


def changed(function: str, what: str):
    """The collective with one mistake, the first whose description begins so."""
    return next(build for text, build in mistakes.mutants(collectives, function) if what in text)(4)


def test_a_right_kernel_is_proved_and_its_numbers_compared():
    verdict = tessera.pallas.verify(collectives.all_gather(4), X)
    assert verdict.proved and verdict.compared, verdict
    site = verdict.sites[0]
    assert (site.devices, site.place.split(":")[0], site.numbers.status) == (4, "collectives.py", "same")
    assert "InterpretParams()) on these inputs and a second seed, bit for bit" in str(verdict)


def test_a_finding_names_the_line_of_python_and_the_calls_above_it():
    verdict = tessera.pallas.verify(changed("right_permute", "without push.wait()"), X)
    assert verdict.status == "refuted" and not verdict.proved and not verdict.ok
    finding = verdict.findings[0]
    assert finding.kind == "unwaited_dma" and finding.place.startswith("collectives.py:")
    assert finding.source == "push.start()"
    assert verdict.sites[0].numbers.status == "not needed"


def test_a_deadlock_is_told_where_jax_would_hang():
    verdict = tessera.pallas.verify(changed("all_reduce", "without pl.semaphore_signal(free"), X)
    assert {finding.kind for finding in verdict.findings} == {"deadlock"}, verdict
    assert any("semaphore_wait(free" in finding.source for finding in verdict.findings)


def test_a_promise_of_the_machine_is_an_option_and_a_wrong_name_has_a_neighbour():
    assert tessera.pallas.verify(grids.add, X, X, dma_order="fifo", copy_granularity="whole", numbers=False).proved
    with pytest.raises(TypeError, match="did you mean 'dma_order'"):
        tessera.pallas.verify(grids.add, X, X, dma_ordre="fifo")


def test_a_conversion_that_computes_something_else_is_not_believed(monkeypatch):
    right = tessera.pallas.decide.convert

    def wrong(*args, **kwargs):
        kernel = right(*args, **kwargs)
        assert " + " in kernel.text
        return dataclasses.replace(kernel, text=kernel.text.replace("x_ref + y_ref", "x_ref - y_ref"))

    monkeypatch.setattr(tessera.pallas.decide, "convert", wrong)
    verdict = tessera.pallas.verify(grids.add, X, X[::-1].copy())
    assert verdict.status == "mismatch" and not verdict.proved, verdict
    assert "nothing is claimed" in str(verdict)


def test_specs_cases_and_seeds_make_one_summary():
    spec = jax.ShapeDtypeStruct((16, 128), jnp.float32)
    verdict = tessera.pallas.verify(grids.add, cases=[(spec, spec), (X, X)], seeds=(0, 1))
    assert verdict.proved and len(verdict.sites) == 2 and verdict.sites[0].calls == 2
    assert "covers 2 kernels: 2 proved; 2 analysed to the end, 2 compared with JAX" in str(verdict)


def test_integers_without_values_are_zeros_and_said_to_be():
    verdict = tessera.pallas.verify(grids.block_of, f32(32, 256), jax.ShapeDtypeStruct((2,), jnp.int32))
    assert verdict.proved and "argument [0][1] was given as a shape only: zeros were taken" in str(verdict)


def test_what_is_not_converted_is_refused_with_its_place():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.sort(x_ref[...], axis=1)

    verdict = tessera.pallas.verify(lambda x: pl.pallas_call(kernel, out_shape=f32(8, 128))(x), X[:8])
    if verdict.status != "refused":  # protocol only: the value is unknown, and that is said
        assert verdict.sites[0].numbers.status == "unknown" and "protocol only" in str(verdict)
    else:
        assert verdict.sites[0].what.startswith("test_verify.py:")


def test_the_same_question_is_answered_from_the_cache():
    first = tessera.pallas.verify(grids.add, X, X)
    second = tessera.pallas.verify(grids.add, X, X)
    assert second.sites[0].from_cache and str(first) == str(second)
    assert not tessera.pallas.verify(grids.add, X, 2 * X).sites[0].from_cache


def test_accepted_findings_need_a_reason_and_do_not_outlive_what_they_accept():
    wrong = changed("right_permute", "without push.wait()")
    place = tessera.pallas.verify(wrong, X).findings[0].place
    known = tessera.pallas.Accepted("unwaited_dma", place, "the caller waits")
    verdict = tessera.pallas.verify(wrong, X, accept=[known])
    assert verdict.ok and not verdict.proved
    verdict = tessera.pallas.verify(collectives.right_permute(4), X, accept=[known])
    assert verdict.proved and not verdict.ok and "stale" in str(verdict)
    with pytest.raises(ValueError, match="has no reason"):
        tessera.pallas.Accepted("race", "kernel.py:1", " ")


def test_run_text_and_show():
    assert np.array_equal(tessera.pallas.run(collectives.right_permute(4), X), np.roll(X, 8, 0))
    with pytest.raises(tessera.pallas.FindingError, match=r"collectives\.py:"):
        tessera.pallas.run(changed("all_reduce", "without pl.semaphore_signal(free"), X)
    assert tessera.pallas.text(grids.add, X, X).count("kernel ") >= 1
    assert "o_ref[...] = x_ref[...] + y_ref[...]" in tessera.pallas.show(grids.add, X, X)


def test_run_draws_the_finding_at_lines_of_python(tmp_path):
    page = tmp_path / "race.html"
    with pytest.raises(tessera.pallas.FindingError):
        tessera.pallas.run(changed("all_reduce", "without pl.semaphore_signal(free"), X, timeline=page)
    text = page.read_text()
    assert '"findings":[{"kind":"race"' in text or '"findings":[{"kind":"deadlock"' in text
    assert "collectives.py" in text
    with pytest.raises(tessera.BadInput, match="timeline: expected a function that reaches one kernel, once"):
        tessera.pallas.run(lambda x: grids.add(grids.add(x, x), x), X, timeline=tmp_path / "two.html")


def test_a_pack_has_the_devices_inputs_and_finding_of_the_call(tmp_path):
    wrong = changed("right_permute", "without push.wait()")
    tessera.pallas.pack(wrong, X, to=tmp_path / "ring.pack")
    packed = tessera.open_pack(tmp_path / "ring.pack").verify()
    verdict = tessera.pallas.verify(wrong, X)
    assert packed.object["devices"] == 4
    assert (packed.findings[0].kind, packed.object["findings"][0]["line"]) == (verdict.findings[0].kind, int(verdict.findings[0].place.split(":")[1]))
    good = tessera.pallas.pack(collectives.right_permute(4), X, to=tmp_path / "good.pack")
    assert good is None and tessera.open_pack(tmp_path / "good.pack").verify().proved
    with pytest.raises(tessera.BadInput, match=r"expected pack FILE\.pack"):
        tessera.pallas.pack(grids.add, X, X, to=tmp_path / "case.tsr")
    with pytest.raises(tessera.BadInput, match="pack: expected a function that reaches one kernel, once; found a second"):
        tessera.pallas.pack(lambda x: grids.add(grids.add(x, x), x), X, to=tmp_path / "two.pack")


def test_a_saved_text_keeps_its_lines_of_python():
    """As `gmm-run verify FILE` has it: the text alone, operands filled."""

    def saved(fn, *args):
        text = tessera.pallas.text(fn, *args, lines=True)
        return _engine.verify(text, {}, devices=4, options=("--profile", "mosaic"))

    wrong = changed("all_reduce", "without pl.semaphore_wait(free")
    expected = next(one for one in tessera.pallas.verify(wrong, X, numbers=False).findings if one.kind == "race")
    report = saved(wrong, X)
    found = next(one for one in report.findings if one["kind"] == "race")
    assert (found["file"], found["line"]) == (collectives.__file__, int(expected.place.split(":")[1]))
    called = [(note["file"], note["line"]) for note in found["notes"] if note["message"] == "called from here"]
    assert called == [(file, line) for file, line, _ in expected.stack] and called
    assert f"{collectives.__file__}:{found['line']}: race: " in report.text
    assert saved(collectives.all_gather(4), X).object["verdict"] == "proved"
    assert "# line" not in tessera.pallas.text(grids.add, X, X)


def test_a_verdict_is_no_truth_value():
    with pytest.raises(TypeError, match=r"ask for \.proved"):
        assert tessera.pallas.verify(grids.add, X, X, numbers=False)


def test_classes_that_another_process_does_not_know_are_compared():
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Table:
        """What a kernel of some project takes its scalars in."""

        rows: Any
        shift: Any

    def kernel(table, x_ref, o_ref):
        o_ref[...] = x_ref[...] + table.shift[0]

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), lambda i, table: (table.rows[i], 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i, table: (i, 0)),
    )
    call = pl.pallas_call(kernel, grid_spec=spec, out_shape=jax.ShapeDtypeStruct((16, 128), np.int32))
    table = Table(np.array([1, 0], np.int32), np.array([5], np.int32))
    assert tessera.pallas.verify(call, table, np.arange(2048, dtype=np.int32).reshape(16, 128)).compared


def test_what_ended_one_kernel_in_jax_does_not_end_the_next():
    def copied(source):
        def kernel(x_ref, o_ref, sem):
            pltpu.async_copy(source(x_ref), o_ref, sem).wait()

        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct((8, 128), np.float32),
            in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
            out_specs=pl.BlockSpec(memory_space=pl.ANY),
            scratch_shapes=[pltpu.SemaphoreType.DMA],
        )

    x = np.ones((2, 8, 128), np.float32)
    of_view = tessera.pallas.verify(copied(lambda ref: ref.reshape(16, 128).at[pl.ds(8, 8)]), x)
    assert of_view.proved
    assert tessera.pallas.verify(copied(lambda ref: ref.at[1]), x + 1).compared
