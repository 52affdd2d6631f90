"""What belongs to the process: its threads, its signals, its memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tessera
from programs import DOUBLE

LONG = """\
kernel long(n)
  out  out: f32[1, 8] hbm
  vmem x:   f32[1, 8]
{
  x = 0
  for i in n { x = x + 1 }
  copy x -> out
}
"""


@pytest.fixture
def _heard_interrupts():
    """A shell starts what runs in its background with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heard_interrupts")
def test_interrupting_ends_a_run_with_keyboard_interrupt():
    main = threading.get_ident()
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tessera.load(LONG)(n=2_000_000_000)
    assert time.monotonic() - begin < 10
    np.testing.assert_array_equal(tessera.load(LONG)(n=3), np.full((1, 8), 3))  # the next call is as ever


def test_a_handler_that_does_not_raise_changes_nothing():
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    try:
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        tessera.load(LONG)(n=100_000)
        timer.join()
        assert heard == [1]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_other_threads_go_on_while_a_run_runs():
    counted = 0
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(tessera.load(LONG), n=200_000)
        while not run.done():
            counted += 1
            time.sleep(0.001)
        run.result()
    assert counted > 5


def test_several_threads_call_at_once(generator):
    kernel = tessera.load(DOUBLE)
    arrays = [generator.normal(size=(16, 128)).astype(np.float32) for _ in range(16)]
    with ThreadPoolExecutor(4) as pool:
        for a, out in zip(arrays, pool.map(kernel, arrays), strict=True):
            np.testing.assert_array_equal(out, 2 * a)


def test_memory_and_signals_stay_as_they_were():
    before = resource.getrlimit(resource.RLIMIT_DATA), resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGINT)
    tessera.load(DOUBLE)(np.ones((2, 2), np.float32))
    assert before == (resource.getrlimit(resource.RLIMIT_DATA), resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGINT))


FORKS = """
import os, numpy, tessera
call = lambda: tessera.gmm(numpy.ones((4, 8), "f4"), numpy.ones((2, 8, 4), "f4"), [1, 3])
call()
child = os.fork()
if child == 0:
    os._exit(0 if (call() == 8).all() else 1)
raise SystemExit(os.waitpid(child, 0)[1])
"""


def test_a_forked_child_calls_as_well():
    subprocess.run([sys.executable, "-c", FORKS], check=True, timeout=30)


def test_a_lone_surrogate_is_a_value_error():
    with pytest.raises(ValueError, match="surrogates not allowed"):
        tessera.load("// \ud800\nkernel k()\n{\n}\n")
    with pytest.raises(ValueError, match="surrogates not allowed"):
        tessera.gmm.run(None, None, [4], k=8, n=8, schedule="\udc80")


def test_a_thread_with_a_small_stack_refuses_what_nests_too_deep():
    code = """
        import threading
        import tessera
        answers = []
        def load(levels):
            text = f"kernel k()\\n  out o: i64[1] smem\\n{{\\n  o[0] = {'(' * levels}1{')' * levels}\\n}}\\n"
            try:
                answers.append(len(tessera.load(text).verify().findings))
            except tessera.BadInput as error:
                answers.append(str(error))
        for stack in (256, 512, 1024):
            threading.stack_size(stack * 1024)
            for levels in (20, 60, 120, 190):
                thread = threading.Thread(target=load, args=(levels,))
                thread.start()
                thread.join()
        print(*(answer if answer == 0 else "levels of nesting" in answer for answer in answers))
    """
    shown = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    answers = shown.stdout.split()
    assert len(answers) == 12 and set(answers) <= {"0", "True"} and answers[0] == "0" and answers[-1] == "0"


def test_sizes_that_overflow_raise():
    with pytest.raises(tessera.BadInput, match="expected fewer than 2\\^63 bytes, found shape"):
        tessera.all_reduce.verify(None, devices=4, m=1 << 32, n=1 << 32)
    with pytest.raises(tessera.BadInput, match="--m: expected an integer from 0 to 1099511627776"):
        tessera.ag_matmul.run(None, None, devices=4, m=(1 << 63) - 1, k=128, n=8)
