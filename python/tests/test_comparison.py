"""equal(), diff(), and the methods graph(), tune() and expect()."""

import numpy as np
import pytest

import tessera

TWICE = """kernel twice(n = 8)
  in  a: f32[n] hbm
  out o: f32[n] hbm
  vmem x: f32[n]
{
  copy a -> x
  x = FORMULA
  copy x -> o
}
"""


def twice(formula: str) -> tessera.Kernel:
    return tessera.load(TWICE.replace("FORMULA", formula), name=f"{formula.split()[1]}.tsr".replace("*", "product").replace("+", "sum"))


def test_equal_programs_and_different_ones():
    product, total, thrice = twice("x * 2"), twice("x + x"), tessera.load(TWICE.replace("FORMULA", "x * 3"), name="thrice.tsr")
    assert tessera.equal(product, total)
    assert tessera.equal((product, {"n": 16}), (total, {"n": 16})).verdict == "equal"
    found = tessera.equal(product, thrice)
    assert not found and found.verdict == "different"
    assert tessera.equal("gmm --tiling 8,8,8", "gmm --tiling 16,8,4", group_sizes=[5, 0, 9], k=16, n=16)


def test_runs_are_compared():
    product, total = twice("x * 2"), twice("x + x")
    assert tessera.diff(product, product)
    assert tessera.diff(product, total).verdict in ("same", "different")


def test_wrong_sides_are_refused():
    product = twice("x * 2")
    with pytest.raises(tessera.BadInput, match=r"two programs are named product\.tsr: give load\(\) another `name`"):
        tessera.equal(product, tessera.load(TWICE.replace("FORMULA", "x * 4"), name="product.tsr"))
    with pytest.raises(tessera.BadInput, match="expected a kernel, a kernel with its parameters or words of a command line, found int"):
        tessera.equal(1, product)
    with pytest.raises(tessera.BadInput, match="equal has no argument devics; did you mean 'devices'"):
        tessera.equal(product, product, devics=2)


def test_expected_values_graph_and_tuning(tmp_path, monkeypatch):
    product, a = twice("x * 2"), np.arange(8, dtype=np.float32)
    assert product.expect(a, expected={"o": 2 * a}).ok
    with pytest.raises(tessera.FindingError) as raised:
        product.expect(a, expected={"o": 3 * a})
    assert str(raised.value).startswith(str(raised.value.report.findings[0]))
    assert product.graph(a).object["depth"] >= 1
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lhs, rhs = np.ones((16, 16), np.float32), np.ones((2, 16, 16), np.float32)
    assert tessera.gmm.graph(lhs, rhs, [8, 8]).object["kernel"].startswith("gmm")
    assert tessera.gmm.tune(group_sizes=[8, 8], k=16, n=16).object["config"]["block_m"] > 0
