"""The pytest plugin: reports as failure texts, the marker, its lists, accepted findings."""

from __future__ import annotations

import textwrap
from pathlib import Path

import jax
import pytest
from jax.experimental.pallas import tpu  # noqa: F401

import tessera.pallas  # noqa: F401 (pytester forgets what is first imported inside it, and JAX takes no second import)

pytest.importorskip("tessera.pallas.convert.program")
KERNEL = """
    import jax, numpy as np, pytest, tessera.pallas
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu
    X = np.ones((8, 128), np.float32)
    ANY = pl.BlockSpec(memory_space=pl.ANY)

    def copied(x, waited):
        def kernel(x_ref, o_ref, done):
            copy = pltpu.make_async_copy(x_ref, o_ref, done)
            copy.start()
            if waited:
                copy.wait()
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), in_specs=[ANY], out_specs=ANY,
                              scratch_shapes=[pltpu.SemaphoreType.DMA])(x)
"""


def results(pytester: pytest.Pytester, tests: str) -> pytest.RunResult:
    # JAX takes equal code on equal lines of two files for one: each test's begins on a line of its own.
    pytester.makepyfile("#\n" * len(tests) + textwrap.dedent(KERNEL) + textwrap.dedent(tests))
    return pytester.runpytest_inprocess("-p", "tessera.pytest_plugin", "-p", "no:cacheprovider")


def test_the_report_is_the_text_of_a_failure(pytester):
    result = results(
        pytester,
        """
        def test_right():
            assert tessera.pallas.verify(lambda x: copied(x, True), X, numbers=False).proved
        def test_wrong():
            assert tessera.pallas.verify(lambda x: copied(x, False), X, numbers=False).proved
    """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*unwaited_dma*", "*copy.start()*"])


def test_a_failure_shows_the_report_once(pytester):
    result = results(
        pytester,
        """
        def test_wrong():
            assert tessera.pallas.verify(lambda x: copied(x, False), X, numbers=False).proved
        def test_with_the_verdict_as_its_text():
            verdict = tessera.pallas.verify(lambda x: copied(x, False), X, numbers=False)
            assert verdict.proved, verdict
        def test_of_something_else():
            verdict = tessera.pallas.verify(lambda x: copied(x, False), X, numbers=False)
            assert verdict.status == "proved"
    """,
    )
    result.assert_outcomes(failed=3)
    text = result.stdout.str()
    assert text.count("unwaited_dma: no wait") == 3 and "array(" not in text, text
    assert text.count("kernel: refuted: 1 finding") >= 5 and "assert 'refuted' == 'proved'" in text


def test_the_marker_verifies_what_a_test_calls(pytester):
    result = results(
        pytester,
        """
        @pytest.mark.tessera(numbers=False, dma_order=["unordered", "fifo"])
        def test_right():
            assert (np.asarray(copied(X, True)) == X).all()
        @pytest.mark.tessera(numbers=False)
        def test_wrong():
            try:
                np.asarray(copied(X, False))
            except Exception:
                pass
    """,
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*refuted*", "*unwaited_dma*"])
    calls = [line for line in result.outlines if "called at" in line]
    assert all("called at test_the_marker" in line for line in calls), calls  # none of pytest's own
    if jax.__version_info__[:2] != (0, 9):  # which tells no calls of a kernel that is called outside of jit
        assert any("in copied, called at" in line for line in calls)


def test_the_marker_has_lists_of_devices_seeds_and_schedules(pytester):
    result = results(
        pytester,
        """
        from jax.sharding import PartitionSpec as P
        SEEN = set()
        @pytest.mark.tessera(numbers=False, devices=[2, 4], seed=[0, 1], schedule=["eager", "random:1"])
        def test_ring(tessera_devices, tessera_seed):
            mesh = jax.make_mesh((tessera_devices,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
            x = np.random.default_rng(tessera_seed).random((8 * tessera_devices, 128), np.float32)
            y = jax.jit(jax.shard_map(lambda x: copied(x, True), mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))(x)
            assert (np.asarray(y) == x).all()
            SEEN.add((tessera_devices, float(x[0, 0])))
        def test_all_were_tried(tessera_devices, tessera_seed):
            assert len(SEEN) == 4 and tessera_devices == len(jax.devices("cpu")) and tessera_seed == 0
        @pytest.mark.tessera(devices=64)
        def test_too_many(tessera_devices): ...
    """,
    )
    result.assert_outcomes(passed=9, errors=1)
    result.stdout.fnmatch_lines(["*asks for 64 devices, and JAX has 8: pytest --host-devices 64*"])


def test_devices_of_a_marker_that_nobody_takes_are_an_error(pytester):
    result = results(
        pytester,
        """
        @pytest.mark.tessera(devices=[2, 4])
        def test_ring(): ...
    """,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_ring: the marker's devices is for tests that take the fixture tessera_devices*"])


def test_accepted_findings_pass_until_nobody_finds_them(pytester):
    result = results(
        pytester,
        """
        PLACE = tessera.pallas.verify(lambda x: copied(x, False), X, numbers=False).findings[0].place
        KNOWN = [tessera.pallas.Accepted("unwaited_dma", PLACE, "a reason")]
        def test_known():
            assert tessera.pallas.verify(lambda x: copied(x, False), X, accept=KNOWN).ok
        def test_stale():
            assert tessera.pallas.verify(lambda x: copied(x, True), X, accept=KNOWN, numbers=False).ok
    """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*stale*"])


def test_what_a_verdict_covers_is_in_the_report_of_a_test_that_passes(pytester):
    pytester.makepyfile(
        "#\n" * 7
        + textwrap.dedent(KERNEL)
        + textwrap.dedent("""
        @pytest.mark.tessera(numbers=False)
        def test_right():
            np.asarray(copied(X, True))
        @pytest.mark.tessera(numbers=False)
        def test_with_a_branch():
            np.asarray(jax.jit(lambda x: jax.lax.cond(x[0, 0] > 5, lambda x: copied(x, False), lambda x: copied(x, True), x))(X))
    """)
    )
    result = pytester.runpytest_inprocess("-p", "tessera.pytest_plugin", "-p", "no:cacheprovider", "-rP")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*covers 1 kernel: 1 proved; 1 analysed to the end, 0 compared with JAX*"])
    result.stdout.fnmatch_lines(["*kernel: not reached: it was compiled, and did not run or failed*"])


def test_the_example_of_the_tutorial_is_proved_and_refuted_without_its_wait(pytester):
    root = Path(__file__).resolve().parents[3]
    example = (root / "examples/pallas/test_double.py").read_text()
    page = (root / "docs/tutorial/pallas-in-pytest.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    assert example.endswith(code)
    report = page[page.index("    test_double.py:17 kernel: refuted") :].split("\n\n")[0]
    pytester.makepyfile(test_double=example.replace("        copy.wait()\n", ""))
    result = pytester.runpytest_inprocess("-p", "tessera.pytest_plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([line[4:] for line in report.splitlines()])
    pytester.makepyfile(test_double=example)
    result = pytester.runpytest_inprocess("-p", "tessera.pytest_plugin", "-p", "no:cacheprovider", "-rP")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["covers 1 kernel: 1 proved; 1 analysed to the end, 1 compared with JAX"])


def test_findings_are_annotations_in_a_workflow(pytester, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = results(
        pytester,
        """
        @pytest.mark.tessera
        def test_marked():
            copied(X, False)
        def test_asked():
            assert tessera.pallas.verify(lambda x: copied(x, False), X, numbers=False).proved
    """,
    )
    result.assert_outcomes(failed=2)
    file = "test_findings_are_annotations_in_a_workflow.py"
    lines = [line for line in result.outlines if line.startswith("::error ")]
    assert len(lines) == 1, lines  # both tests have the same finding
    assert lines[0].startswith(f"::error file={file},line=") and ",title=unwaited_dma::no wait for the copy that is started here" in lines[0]
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert not [line for line in results(pytester, "def test_right(): pass").outlines if line.startswith("::error")]
