"""The package as an installed distribution: its name, and its command."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


def run(*words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    given = os.environ.get("PYTHONPATH", "")
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{given}" if path else given}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, timeout=120)


def test_another_distribution_of_this_name_is_refused(tmp_path):
    info = tmp_path / "tessera-3.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tessera\nVersion: 3.2\n")
    done = run("-c", "import tessera", path=tmp_path)
    assert done.returncode == 1
    assert "ImportError: the distribution tessera 3.2, of another project, is installed too" in done.stderr
    assert "`pip uninstall tessera tessera-kernels`" in done.stderr


@pytest.mark.parametrize("words, code, output", [(["--version"], 0, "tessera 0.1.0\n"), (["nosuch"], 2, "")])
def test_the_package_runs_the_command_line(words, code, output):
    done = run("-m", "tessera", *words)
    assert (done.returncode, done.stdout) == (code, output)
    assert ("error: " in done.stderr) == (code != 0)


def test_the_command_ends_quietly_if_its_reader_is_gone():
    command = [sys.executable, "-m", "tessera", "ops", "--md"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    assert process.wait(timeout=120) in (0, -signal.SIGPIPE), errors
    assert b"Traceback" not in errors
