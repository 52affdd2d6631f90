"""The examples of pages run and print the output that the pages show."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("page", "least"), [("README.md", 3), ("docs/reference/python.md", 15), ("docs/tutorial/kernel.md", 10)])
def test_examples_run(page, least, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried >= least


def anchors(page: Path) -> set[str]:
    """Returns the anchors of a page's headings that GitHub and MkDocs have in common."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", heading.lower()).strip()
        if (github := plain.replace(" ", "-")) == re.sub(r"[-\s]+", "-", plain):
            found.add(github)
    return found


def test_links_of_pages_lead_to_files_and_headings():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()) if not re.match("[a-z]+:", link)]
    broken = []
    for page, link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert len(links) > 100 and not broken
