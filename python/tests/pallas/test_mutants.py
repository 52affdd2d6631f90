"""Every mutant of a converted kernel is decided."""

from __future__ import annotations

import pytest

import mutants_table
from calls import first_call
from corpus import table

pytest.importorskip("tessera.pallas.convert.program")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("right_permute", {"deadlock": 6, "leftover": 7, "value": 1, "equivalent": 2}),
        ("all_gather", {"deadlock": 12, "leftover": 10, "race, other end": 3, "race, same end": 1, "finding": 2, "equivalent": 1}),
    ],
)
def test_every_mutant_is_decided(name, expected):
    row = next(row for row in table.rings(4) if row.name == name)
    ops, values = mutants_table.fates(first_call(*row.build()), {})
    assert dict(ops) == expected
    assert not set(values) - set(mutants_table.VALUES)
