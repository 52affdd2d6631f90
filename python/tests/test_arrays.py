"""Arrays as they come: types, strides, empty ones, those of JAX and PyTorch."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tessera
from programs import DOUBLE


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int32])
def test_types_cross_bit_for_bit(dtype):
    a = np.arange(-12, 12).reshape(4, 6).astype(dtype)
    out = tessera.load(DOUBLE)(a)
    assert out.dtype == a.dtype
    np.testing.assert_array_equal(out.astype(np.float64), 2 * a.astype(np.float64))


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[::2, 1::3],
        lambda a: a[::-1, ::-1],
        lambda a: np.broadcast_to(a[:1], (5, 12)),
        lambda a: np.asfortranarray(a),
    ],
)
def test_any_strides_are_read_as_they_lie(view):
    a = view(np.arange(96, dtype=np.float32).reshape(8, 12))
    np.testing.assert_array_equal(tessera.load(DOUBLE)(a), 2 * a)


def test_results_are_new_and_inputs_stay():
    a = np.ones((2, 3), np.float32)
    a.setflags(write=False)
    out = tessera.load(DOUBLE)(a)
    out += 1
    np.testing.assert_array_equal(a, 1)
    np.testing.assert_array_equal(out, 3)


def test_an_empty_array_is_an_operand():
    out = tessera.gmm(np.zeros((0, 4), np.float32), np.zeros((2, 4, 3), np.float32), np.zeros(2, np.int32))
    assert out.shape == (0, 3)


@pytest.mark.parametrize("dtype", [np.float64, np.complex64, np.bool_])
def test_a_type_that_there_is_not_is_refused_by_its_name(dtype):
    with pytest.raises(tessera.BadInput, match=rf"a: there is no element type for .*{np.dtype(dtype).name[:4]}.*expected one of f32"):
        tessera.load(DOUBLE)(np.zeros((2, 2), dtype))


def test_bytes_in_the_other_order_are_refused():
    with pytest.raises(tessera.BadInput, match="a: "):
        tessera.load(DOUBLE)(np.zeros((2, 2), ">f4"))


def test_another_shape_is_told_with_both():
    with pytest.raises(tessera.BadInput, match=r"operand bias is f32\(1, 4\), and <bias> holds f32\(1, 5\)"):
        tessera.load("examples/matmul_bias.tsr")(*(np.zeros(s, np.float32) for s in ((4, 4), (4, 4), (1, 5))))


def test_jax_arrays_give_jax_arrays(generator):
    jnp = pytest.importorskip("jax.numpy")
    a = jnp.asarray(generator.normal(size=(4, 8)), jnp.bfloat16)
    out = tessera.load(DOUBLE)(a)
    assert isinstance(out, type(a)) and out.dtype == jnp.bfloat16
    assert (out == a + a).all()
    assert isinstance(tessera.load(DOUBLE)(a, like="numpy"), np.ndarray)


def test_what_has_no_numbers_is_refused_by_its_name():
    jax = pytest.importorskip("jax")
    kernel = tessera.load(DOUBLE)
    with pytest.raises(tessera.BadInput, match=r"a: its numbers cannot be read: The numpy\.ndarray conversion method"):
        jax.jit(lambda a: kernel(a))(jax.numpy.ones((2, 2)))
    with pytest.raises(tessera.BadInput, match=r"a: lists in a list are no array: expected numpy.array\(...\)"):
        kernel([[1.0, 2.0], [3.0, 4.0]])


def test_a_family_that_there_is_not(monkeypatch):
    a = np.ones((2, 2), np.float32)
    with pytest.raises(tessera.BadInput, match="like: expected 'numpy', 'jax' or 'torch', found 'tensorflow'"):
        tessera.load(DOUBLE)(a, like="tensorflow")
    monkeypatch.setattr(tessera._arrays, "find_spec", lambda name: None)
    with pytest.raises(tessera.EnvironmentFailure, match="like='torch': torch is not installed"):
        tessera.load(DOUBLE)(a, like="torch")


def test_sparse_tensors_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(tessera.BadInput, match=r"a: has the layout torch.sparse_coo; expected a dense one: a.to_dense\(\)"):
        tessera.load(DOUBLE)(torch.ones(2, 2).to_sparse())


def test_torch_tensors_give_torch_tensors():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16):
        a = torch.arange(12, dtype=dtype).reshape(3, 4).T
        out = tessera.load(DOUBLE)(a)
        assert out.dtype == dtype and torch.equal(out, a + a)


def test_words_of_types():
    assert tessera.dtype_name(np.float32) == "f32"
    assert tessera.dtype_name(ml_dtypes.float8_e4m3fn) == "e4m3"
    assert tessera.numpy_dtype("bf16") == ml_dtypes.bfloat16


def test_a_field_of_a_packed_record_is_an_operand():
    records = np.zeros((4, 6), np.dtype([("tag", np.uint8), ("v", np.float32)]))
    records["v"] = np.arange(24).reshape(4, 6)
    assert records["v"].strides[-1] == 5
    np.testing.assert_array_equal(tessera.load(DOUBLE)(records["v"]), 2 * records["v"])
