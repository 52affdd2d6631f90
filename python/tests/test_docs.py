"""The examples of pages run and print the output that the pages show."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("page", "least"), [("README.md", 3), ("docs/reference/python.md", 15), ("docs/tutorial/kernel.md", 10)])
def test_examples_run(page, least, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried >= least
