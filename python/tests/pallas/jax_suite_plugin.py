"""A pytest plugin that runs JAX's own tests of Pallas with every kernel under Tessera; `jax_suite.py` starts it.

The tests see a TPU: JAX's test utilities report one, and each kernel goes through `tessera.pallas.interpret`. Environment:

    JAX_SUITE_OUT      file to which a line of JSON is appended for each test: its outcome and the verdict of each kernel
    JAX_SUITE_SAMPLE   most cases of one parametrised test, evenly spread; 0: all
    JAX_SUITE_LIMIT    seconds that JAX's interpreter may take for a comparison
    JAX_SUITE_CORES    cores of a device, which share parallel dimensions; kernels for a megacore need 2
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import hypothesis
import pytest
from hypothesis import core as hypothesis_core

import tessera.pallas
from tessera.pallas import intercept, versions

DEVICES, GENERATION, CHIP = 4, 5, "v5p"
SAMPLE = int(os.environ.get("JAX_SUITE_SAMPLE", "0"))
LIMIT = float(os.environ.get("JAX_SUITE_LIMIT", "15"))
CORES = int(os.environ.get("JAX_SUITE_CORES", "1"))
EXAMPLES = 6  # that Hypothesis draws for a test
tessera.pallas.host_devices(DEVICES)


def _pretend_a_tpu() -> None:
    from jax._src import test_util

    test_util.test_device_matches = lambda kinds: "tpu" in kinds
    test_util.device_under_test = lambda: "tpu"
    test_util.is_device_tpu = lambda version=None, variant="": version in (None, GENERATION) and variant in ("", "p")
    test_util.is_device_tpu_at_least = lambda version: version <= GENERATION
    test_util.get_tpu_version = lambda: GENERATION
    test_util.is_cloud_tpu = lambda: False
    test_util._get_device_tags = lambda: {"tpu"}


def _draw_few_examples() -> None:
    state = hypothesis_core.StateForActualGivenExecution
    begin = state.__init__

    def few(self: Any, stuff: Any, test: Any, settings: Any, *args: Any, **more: Any) -> None:
        settings = hypothesis.settings(
            settings, max_examples=EXAMPLES, deadline=None, phases=[hypothesis.Phase.generate], suppress_health_check=list(hypothesis.HealthCheck)
        )
        begin(self, stuff, test, settings, *args, **more)

    state.__init__ = few


def _find_helpers() -> None:
    """Modules that JAX's tests import and its wheel does not have are taken from the repository around the tests."""
    for name in ("jax._src.hypothesis_test_util", "jax._src.pallas.pallas_test_util"):
        file = Path.cwd().parents[1] / f"{name.replace('.', '/')}.py"
        if importlib.util.find_spec(name) is None and file.exists():
            spec = importlib.util.spec_from_file_location(name, file)
            module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
            sys.modules[name] = module
            spec.loader.exec_module(module)  # type: ignore[union-attr]
            setattr(importlib.import_module(name.rpartition(".")[0]), name.rpartition(".")[2], module)


def _note_kernels_on_meshes() -> None:
    """The session of a test gets a mark if one of its kernels is for a mesh of cores, converted or not."""
    make = intercept._lowering_of_jax

    def lowering(session: Any, mpmd: Any) -> Any:
        rule = make(session, mpmd)

        def noting(*args: Any, **params: Any) -> Any:
            session.on_mesh = True
            return rule(*args, **params)

        return noting

    intercept._lowering_of_jax = lowering


_pretend_a_tpu()
_find_helpers()
_draw_few_examples()
_note_kernels_on_meshes()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps a sample of each parametrised test."""
    if not SAMPLE:
        return
    tests = defaultdict(list)
    for item in items:
        tests[re.sub(r"\d+(_.*)?$", "", item.nodeid)].append(item)
    kept = set()
    for cases in tests.values():
        step = max(len(cases) / SAMPLE, 1)
        kept.update(id(cases[int(at * step)]) for at in range(min(SAMPLE, len(cases))))
    items[:] = [item for item in items if id(item) in kept]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    with versions.as_if_on(CHIP), intercept.recorded(limit=LIMIT, cores=CORES) as session:
        item.stash[_SESSION] = session
        return (yield)


_SESSION = pytest.StashKey[Any]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.when == "call" or (report.when == "setup" and not report.passed):
        session = item.stash.get(_SESSION, None)
        row = {
            "test": item.nodeid,
            "outcome": report.outcome,
            "kernels": [_kernel(site) for site in session.found] if session else [],
            "error": "" if call.excinfo is None else f"{call.excinfo.typename}: {call.excinfo.value}"[:400],
            "seconds": round(call.duration, 2),
            "on_mesh": hasattr(session, "on_mesh"),
            "inside": _is_inside(session, call.excinfo),
        }
        with open(os.environ["JAX_SUITE_OUT"], "a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")
    return report


def _is_inside(session: Any, error: pytest.ExceptionInfo[BaseException] | None) -> bool:
    """True if an error came up through this package, and JAX does not raise it for a kernel that was refused before."""
    if error is None or error.errisinstance(tessera.pallas.Refused) or session is None or any(site.status == "refused" for site in session.found):
        return False
    package = Path(tessera.pallas.__file__).parent
    return any(Path(str(entry.path)).is_relative_to(package) for entry in error.traceback)


def _kernel(site: Any) -> dict[str, Any]:
    return {
        "place": site.place,
        "status": site.status,
        "reason": site.what,
        "numbers": site.numbers.status,
        "why": site.why_not_compared,
        "findings": [[one.place, one.kind, one.message] for one in site.findings[:4]],
    }
