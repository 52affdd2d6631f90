"""The labelled twins are what their index says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import label_twins

pytest.importorskip("tessera.pallas.convert.program")
INDEX = json.loads(label_twins.INDEX.read_text(encoding="utf-8"))


@pytest.mark.parametrize("word", ["bad", "good"])
@pytest.mark.parametrize("pair", INDEX["pallas"], ids=lambda pair: pair["name"])
def test_a_twin_is_decided_as_it_is_labelled(pair, word):
    assert pair["line"] == label_twins.marked(pair)
    said = label_twins.by_tessera(pair, word == "bad")
    assert said == pair[word]["tessera"]
    assert said["verdict"] == ("refuted" if word == "bad" else "proved")
    if word == "bad":
        assert any(finding["kind"] in INDEX["labels"][pair["label"]] for finding in said["findings"])


def test_every_file_of_the_folder_is_in_the_index():
    files = {path.stem for path in Path(label_twins.INDEX).parent.glob("*.py")} - {"__init__"}
    assert files == {pair["name"] for pair in INDEX["pallas"]} and len(files) >= 12


def test_the_programs_of_the_index_are_those_of_the_tests():
    pairs = list(label_twins.tsr_pairs())
    assert INDEX["tsr"] == pairs and len(pairs) >= 100
    assert all((label_twins.ROOT / pair[word]).exists() for pair in pairs for word in ("bad", "good"))
    assert all(pair["findings"] for pair in pairs)
