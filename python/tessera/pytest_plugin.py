"""Pytest plugin: adds reports of verdicts to failures, and a marker that verifies every `pallas_call` of a test.

    @pytest.mark.tessera
    def test_layer(): ...

    @pytest.mark.tessera(dma_order=["unordered", "fifo"], accept=[Accepted("race", "kernel.py:91", "reason")])
    def test_all_gather(): ...

    @pytest.mark.tessera(devices=[2, 4], seed=[0, 1], schedule=["eager", "random:1"])
    def test_ring(tessera_devices, tessera_seed): ...

A list parametrizes the test: one test per value. The marker accepts the keywords of `tessera.pallas.interpret`, and `devices` and `seed`.
These two are passed to the test by the fixtures `tessera_devices` and `tessera_seed`; the test creates its mesh and inputs from them.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pluggy import Result

# Keywords of the marker for the test, not for the proof. The fixture of `devices` is `tessera_devices`.
OF_THE_TEST = ("devices", "seed")
_ANNOTATION = "tessera_annotation"  # name of the property of a report

# Number of threads of JAX's CPU client, read when it is created: each device that waits for another one blocks a thread.
os.environ.setdefault("NPROC", "16")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--host-devices", type=int, default=0, metavar="N", help="make the CPU look like N devices to JAX, for kernels under shard_map")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tessera(**options): verify every pallas_call that the test makes")
    count = config.getoption("--host-devices")
    if count:
        from tessera.pallas.trace import host_devices

        host_devices(count)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrizes a test over all combinations of the marker's lists."""
    marker = metafunc.definition.get_closest_marker("tessera")
    if marker is None:
        return
    for name in OF_THE_TEST:
        if name in marker.kwargs and f"tessera_{name}" not in metafunc.fixturenames:
            pytest.fail(f"{metafunc.function.__name__}: the marker's {name} is for tests that take the fixture tessera_{name}", pytrace=False)
    lists = {name: value for name, value in marker.kwargs.items() if isinstance(value, (list, tuple)) and name != "accept"}
    if not lists:
        return
    combinations = [dict(zip(lists, values)) for values in itertools.product(*lists.values())]
    metafunc.fixturenames.append("_tessera_promises")
    metafunc.parametrize("_tessera_promises", combinations, ids=["-".join(f"{name}={value}" for name, value in one.items()) for one in combinations])


@pytest.fixture
def tessera_devices(request: pytest.FixtureRequest) -> int:
    """The marker's `devices`; by default all CPU devices of JAX. The test fails if JAX has fewer devices (`--host-devices`)."""
    import jax

    found = len(jax.devices("cpu"))
    wanted = _given(request.node).get("devices", found)
    if wanted > found:
        pytest.fail(f"the marker asks for {wanted} devices, and JAX has {found}: pytest --host-devices {wanted}", pytrace=False)
    return int(wanted)


@pytest.fixture
def tessera_seed(request: pytest.FixtureRequest) -> int:
    """The marker's `seed`; by default 0."""
    return int(_given(request.node).get("seed", 0))


def _given(item: pytest.Item) -> dict[str, Any]:
    """Returns the marker's keywords, with this test's value for each list."""
    marker = item.get_closest_marker("tessera")
    one = item.callspec.params.get("_tessera_promises", {}) if hasattr(item, "callspec") else {}
    return {**(marker.kwargs if marker is not None else {}), **one}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Result[Any], None]:
    marker = item.get_closest_marker("tessera")
    _forget()
    if marker is None:
        yield
        return
    from tessera.pallas.intercept import recorded

    given = {name: value for name, value in _given(item).items() if name not in OF_THE_TEST}
    with recorded(**given) as session:
        outcome = yield
    verdict = session.verdict
    _annotate(item, verdict)
    if verdict.ok:
        left_out = [str(one) for site in verdict for one in site.uncovered]
        item.add_report_section("call", "tessera", "\n".join([f"covers {verdict.covers}", *dict.fromkeys(left_out)]))
        return
    if outcome.excinfo is not None:  # the test failed on its own: the verdict is added to its report
        item.add_report_section("call", "tessera", str(verdict))
    else:
        outcome.force_exception(pytest.fail.Exception(str(verdict), pytrace=False))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Result[Any], None]:
    """Adds each verdict that is not proved and ok to the report of the test, once."""
    wrong = [verdict for verdict in _asked() if not (verdict.proved and verdict.ok)] if call.when == "call" else []
    for verdict in wrong:
        _annotate(item, verdict)
    texts = list(dict.fromkeys(map(str, wrong)))
    if call.excinfo is not None:
        _shorten(call.excinfo.value, texts)
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        report.sections += [("tessera", text) for text in texts]


def _annotate(item: pytest.Item, verdict: Any) -> None:
    """In a workflow of GitHub: keeps the findings of a verdict that is not ok, for pytest_terminal_summary()."""
    if os.environ.get("GITHUB_ACTIONS") != "true" or verdict.ok:
        return
    for finding in verdict.findings:
        if not finding.consequence:
            item.user_properties.append((_ANNOTATION, _annotation(finding, item.config.rootpath)))


def _annotation(finding: Any, root: Path) -> str:
    """Returns a workflow command that shows the finding at its line in a pull request."""

    def escaped(text: str, more: str = "") -> str:
        for one in "%\r\n" + more:
            text = text.replace(one, f"%{ord(one):02X}")
        return text

    file, _, line = finding.place.rpartition(":")
    path = os.path.relpath(finding.file, root) if finding.file else file
    properties = f"file={escaped(path, ':,')},line={line},title={escaped(finding.kind, ':,')}"
    return f"::error {properties}::{escaped(finding.message)}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = terminalreporter.stats.get("failed", [])
    lines = [text for report in reports for name, text in report.user_properties if name == _ANNOTATION]
    for line in dict.fromkeys(lines):
        terminalreporter.write_line(line)


def _shorten(error: BaseException, texts: list[str]) -> None:
    """Reduces the message of an assertion about a verdict to its first line. Pytest's message has the whole report and all arguments."""
    said = str(error)
    for text in texts:
        first = text.splitlines()[0]
        if isinstance(error, AssertionError) and said != first and first[:40] in said:
            error.args = (first,)
            return


def _asked() -> list[Any]:
    import sys

    program = sys.modules.get("tessera.pallas.program")
    return [] if program is None else list(program.asked)


def _forget() -> None:
    import sys

    program = sys.modules.get("tessera.pallas.program")
    if program is not None:
        program.asked.clear()
