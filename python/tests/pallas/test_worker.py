"""The process of JAX's interpreter: an answer belongs to its request, whatever interrupts it, and whoever else asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from jax.experimental import pallas as pl

import tessera.pallas
from corpus.ring import f32
from tessera.pallas import reference as reference_module
from tessera.pallas import worker as worker_module
from tessera.pallas.worker import NoReference, Worker

X = np.ones((8, 128), np.float32)


def plus(number):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + number

    return pl.pallas_call(kernel, out_shape=f32(8, 128))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """Verdicts of this test alone: what is compared with JAX is compared here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


class Interrupted(BaseException):
    """As a test's timeout raises it."""


@pytest.mark.parametrize("moment", ["after the request is written", "in the middle of the answer"])
def test_an_interruption_of_one_comparison_leaves_nothing_for_the_next(monkeypatch, moment):
    assert tessera.pallas.verify(plus(1.0), X).compared
    right = worker_module._Pipes.read
    calls = []

    def read(pipes, size):
        calls.append(size)
        if moment.startswith("after") and len(calls) == 1:
            time.sleep(1)  # the answer comes
            raise Interrupted
        if len(calls) == 2:
            raise Interrupted
        return right(pipes, size)

    monkeypatch.setattr(worker_module._Pipes, "read", read)
    with pytest.raises(Interrupted):
        tessera.pallas.verify(plus(100.0), X)
    monkeypatch.undo()
    verdict = tessera.pallas.verify(plus(10.0), X)
    assert verdict.proved and verdict.compared, verdict


def test_a_signal_in_a_comparison_leaves_nothing_for_the_next():
    assert tessera.pallas.verify(plus(1.0), X).compared

    def handler(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for delay in (0.05, 0.3):
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                tessera.pallas.verify(plus(100.0 + delay), X)
            except Interrupted:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert tessera.pallas.verify(plus(10.0 + delay), X).compared
    finally:
        signal.signal(signal.SIGALRM, before)


def test_threads_have_the_answers_to_their_own_requests():
    def decide(number):
        verdict = tessera.pallas.verify(plus(float(number)), X)
        return verdict.status, verdict.compared

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(decide, range(6))) == [("proved", True)] * 6


def test_an_answer_with_another_number_ends_the_process(monkeypatch):
    worker = Worker()
    question = ({}, {}, [[[X]]], "grid", 1)  # an error of JAX's, which is an answer
    assert "error" in worker.ask(question, 1, 60)
    process = worker._started(1)
    head = worker_module.HEAD
    monkeypatch.setattr(
        worker_module,
        "HEAD",
        type("Head", (), {"size": head.size, "pack": head.pack, "unpack": staticmethod(lambda data: (77, head.unpack(data)[1]))}),
    )
    with pytest.raises(NoReference, match="answered request 77, expected 2") as error:
        worker.ask(question, 1, 60)
    assert not error.value.is_final and process.poll() is not None
    worker.end()


@pytest.mark.filterwarnings("ignore:os.fork")
def test_a_child_of_fork_has_a_process_of_its_own():
    assert tessera.pallas.verify(plus(1.0), X).compared
    of_parent = reference_module._worker._process
    child = os.fork()
    if child == 0:
        os._exit(0 if reference_module._worker._process is None else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert reference_module._worker._process is of_parent
    assert tessera.pallas.verify(plus(2.0), X).compared and reference_module._worker._process is of_parent


def stopped() -> Worker:
    worker = Worker()
    worker._started(1).send_signal(signal.SIGSTOP)
    return worker


@pytest.mark.parametrize("size", [1, 1 << 22], ids=["while it reads", "while a request is written"])
def test_the_limit_holds_whatever_the_process_does(size):
    worker = stopped()
    begun = time.monotonic()
    with pytest.raises(NoReference, match=r"did not end within 0\.5 s") as error:
        worker.ask(({}, {}, [[[bytes(size)]]], "grid", 1), 1, 0.5)
    assert time.monotonic() - begun < 5 and not error.value.is_final and worker._process is None


def test_a_process_that_ended_is_named_with_its_last_lines_and_not_cached(monkeypatch):
    right = Worker._started

    def broken(worker, devices):
        process = right(worker, devices)
        os.write(worker._errors.fileno(), b"first\n\nImportError: no \x1b[31mmodule\n")
        process.kill()
        return process

    monkeypatch.setattr(Worker, "_started", broken)
    verdict = tessera.pallas.verify(plus(3.0), X)
    assert verdict.proved and not verdict.compared
    reason = "not compared with JAX: the process of JAX's interpreter ended by signal 9: first / ImportError: no ?[31mmodule"
    assert reason in str(verdict), verdict
    monkeypatch.undo()
    again = tessera.pallas.verify(plus(3.0), X)
    assert again.compared and not again.sites[0].from_cache, again


def test_the_process_imports_nothing_from_the_current_folder(tmp_path):
    for name in ("jax", "numpy", "struct", "random", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open('imported', 'a').write('{name}')\nraise SystemExit\n")
    (tmp_path / "tessera").mkdir()
    (tmp_path / "tessera" / "__init__.py").write_text("open('imported', 'a').write('tessera')\nraise SystemExit\n")
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(
        "import sys\nfrom tessera.pallas.worker import Worker\nanswer = Worker().ask(({}, {}, [[]], 'grid', 1), 1, 60)\n"
        "assert 'error' in answer, answer\nprint(answer)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ran = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0 and not (tmp_path / "imported").exists(), ran


def test_no_warnings_of_its_own():
    """As under -W error: masks, infinities and numbers that overflow when they are scaled; and no file stays open."""
    script = """
import sys, numpy as np, jax, jax.numpy as jnp, gc, warnings
from jax.experimental import pallas as pl
import tessera.pallas
from tessera.pallas.reference import end_worker
warnings.simplefilter("error")      # not before: the modules of JAX and NumPy have warnings of their own when they are imported
def negated(dtype):
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.maximum(x_ref[...], x_ref[...] * 0.5)
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), dtype))
for dtype in (jnp.float32, jnp.float16):
    x = np.zeros((8, 128), np.float32)
    x[0], x[1], x[2, 5], x[3] = float(jnp.finfo(dtype).min), float(jnp.finfo(dtype).max), np.inf, -np.inf
    verdict = tessera.pallas.verify(negated(dtype), x.astype(dtype))
    assert verdict.proved, verdict
end_worker()
gc.collect()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ran = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0 and "Warning" not in ran.stderr, ran.stderr


def test_threads_wait_for_each_other_and_not_for_a_dead_one():
    worker = stopped()
    errors = []

    def ask():
        try:
            worker.ask(({}, {}, [[[X]]], "grid", 1), 1, 0.5)
        except NoReference as error:
            errors.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(120)
    assert len(errors) >= 1 and not any(one.is_alive() for one in threads)
    worker.end()
