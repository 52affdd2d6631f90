"""Client of the process of JAX's interpreter. Requests are numbered, in order, and limited in time.

An answer has the number of its request. The process is ended if a request raises any exception, so an answer that was not read can
never be taken for the answer to the next request.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, Any

from tessera.pallas import jaxpr_pickle
from tessera.pallas.reference_worker import HEAD

_LINES, _COLUMNS = 3, 300  # limits for the standard error of the process in a failure reason


class NoReference(Exception):
    """JAX's interpreter returned no results; str() is the reason. `is_final`: True if the same request would fail again."""

    def __init__(self, reason: str, *, is_final: bool = True):
        super().__init__(reason)
        self.is_final = is_final


class Worker:
    """One process, started by the first request and reused. Thread-safe: requests run one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._devices = 0
        self._request = 0

    def ask(self, question: tuple[Any, ...], devices: int, limit: float) -> dict[str, Any]:
        """Returns the answer of `reference_worker.interpret`, or `{"error": line}`. Raises NoReference if there is no answer within
        `limit` seconds; time for earlier requests of other threads does not count."""
        try:
            message = jaxpr_pickle.dumps(question)
        except Exception as error:
            raise NoReference(f"the kernel does not go to another process: {error}") from None
        with self._lock:
            try:
                answer: dict[str, Any] = jaxpr_pickle.loads(self._exchange(message, devices, time.monotonic() + limit, limit))
            except BaseException:
                self._end()
                raise
            if "error" in answer:
                self._end()  # an exception of a callback of JAX's machine would be raised again by the next kernel
            return answer

    def end(self) -> None:
        """Ends the process after the current request. The next request starts a new one."""
        with self._lock:
            self._end()

    def kill(self) -> None:
        """Ends the process without waiting for the current request. For the exit of the Python interpreter."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def forget(self) -> None:
        """Drops the process without ending it. For the child of `os.fork`: the process belongs to the parent."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.returncode = 0  # the parent waits for it
        self._close()

    def _exchange(self, message: bytes, devices: int, deadline: float, limit: float) -> bytes:
        process = self._started(devices)
        self._request += 1
        pipes = _Pipes(process, deadline)
        try:
            pipes.write(HEAD.pack(self._request, len(message)) + message)
            number, size = HEAD.unpack(pipes.read(HEAD.size))
            if number != self._request:
                raise NoReference(f"JAX's interpreter answered request {number}, expected {self._request}", is_final=False)
            return pipes.read(size)
        except TimeoutError:
            raise NoReference(f"JAX's interpreter did not end within {limit:g} s", is_final=False) from None
        except (EOFError, OSError):
            raise NoReference(f"the process of JAX's interpreter ended{self._why(process)}", is_final=False) from None

    def _why(self, process: subprocess.Popen[bytes]) -> str:
        """Returns the exit code or signal of the process, and the last lines of its standard error: ` with exit code 1: ...`."""
        try:
            code = process.wait(1)
        except subprocess.TimeoutExpired:
            return ""
        assert self._errors is not None
        size = os.fstat(self._errors.fileno()).st_size
        text = os.pread(self._errors.fileno(), 1 << 16, max(0, size - (1 << 16))).decode("utf-8", "replace")
        lines = ["".join(c if c.isprintable() else "?" for c in line.strip())[:_COLUMNS] for line in text.splitlines() if line.strip()]
        return (f" with exit code {code}" if code >= 0 else f" by signal {-code}") + (": " + " / ".join(lines[-_LINES:]) if lines else "")

    def _started(self, devices: int) -> subprocess.Popen[bytes]:
        if self._process is not None and (self._process.poll() is not None or self._devices < devices):
            self._end()
        if self._process is None:
            self._devices = max(8, devices)
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by _close)
            # Two threads per device, since each device may block one: with fewer threads XLA hangs even if no kernel hangs.
            environment = {
                **os.environ,
                "JAX_PLATFORMS": "cpu",
                "NPROC": str(2 * self._devices),
                "XLA_FLAGS": f"--xla_force_host_platform_device_count={self._devices}",
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            }
            # -P: modules of the current folder are not imported.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tessera.pallas.reference_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                bufsize=0,
            )
        assert self._errors is not None
        # The process shares the file position, so it writes from the beginning again.
        os.ftruncate(self._errors.fileno(), 0)
        os.lseek(self._errors.fileno(), 0, os.SEEK_SET)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._close()

    def _close(self) -> None:
        process, self._process = self._process, None
        errors, self._errors = self._errors, None
        for file in (errors, process and process.stdin, process and process.stdout):
            if file:
                file.close()


class _Pipes:
    """Reads and writes with a deadline. Raises TimeoutError after the deadline, EOFError or OSError if the process ended."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float):
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out, self._deadline = process.stdin.fileno(), process.stdout.fileno(), deadline
        os.set_blocking(self._in, False)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._in, select.POLLOUT)
            rest = rest[os.write(self._in, rest) :]

    def read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._wait(self._out, select.POLLIN)
            piece = os.read(self._out, min(size - len(data), 1 << 20))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)

    def _wait(self, file: int, event: int) -> None:
        ready = select.poll()
        ready.register(file, event)
        if not ready.poll(max(0.0, self._deadline - time.monotonic()) * 1000):
            raise TimeoutError
