"""Random kernels compute what NumPy computes: no read moves past a store, no carried value is lost."""

import os

import numpy as np
import pytest
from jax.experimental import pallas as pl

from converted import SMEM, VMEM, converted, ran, shaped
from random_kernels import COLUMNS, ROWS, WORDS, Maker, by_hand, kernel_of

X = np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS) * 7 % 11
WORDS_IN = np.array([3, -1, 6, 2], np.int32)
FIRST, COUNT = int(os.environ.get("TESSERA_RANDOM_FIRST", 0)), int(os.environ.get("TESSERA_RANDOM_COUNT", 12))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_random_kernels(seed):
    program = Maker(seed).block([], [])
    out = (shaped((ROWS, COLUMNS), np.int32), shaped((ROWS, COLUMNS), np.int32), shaped((WORDS,), np.int32))
    call = pl.pallas_call(kernel_of(program), out_shape=out, in_specs=[SMEM, VMEM], out_specs=(VMEM, VMEM, SMEM))
    made = converted(call, WORDS_IN, X)
    for one, other in zip(ran(made, WORDS_IN, X), by_hand(program, WORDS_IN, X)):
        np.testing.assert_array_equal(one, other, err_msg=made.text)
