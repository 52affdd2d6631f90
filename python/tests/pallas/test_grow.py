"""Verdicts at growing sizes find mistakes that the first sizes do not exercise."""

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera
import tessera.pallas


def _sum_of_blocks(steps, slots=2):
    """Prefetches a block into a slot before the slot is used, which needs more steps than slots."""

    def kernel(x_hbm, out_ref, slot_ref, landed):
        def fetch(i):
            return pltpu.make_async_copy(x_hbm.at[i], slot_ref.at[i % slots], landed.at[i % slots])

        for i in range(min(slots, steps)):
            fetch(i).start()
        out_ref[...] = jnp.zeros_like(out_ref)

        def body(i, carry):
            fetch(i).wait()

            @pl.when(i + slots < steps)
            def _next():
                fetch(i + slots).start()

            out_ref[...] += slot_ref[i % slots]
            return carry

        jax.lax.fori_loop(0, steps, body, 0)

    call = pl.pallas_call(
        kernel,
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        scratch_shapes=[pltpu.VMEM((slots, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((slots,))],
    )
    return call, (jnp.ones((steps, 8, 128)),)


def test_growing_finds_a_mistake_that_the_first_size_does_not_exercise():
    growth = tessera.pallas.verify(_sum_of_blocks, grow={"steps": 2}, numbers=False)
    assert growth.cases[0].verdict.proved
    assert "branch" in [one.kind for one in growth.cases[0].verdict.sites[0].uncovered]
    assert dict(growth.first_refuted.sizes) == {"steps": 3}
    assert not growth.proved
    assert "steps=2: proved" in str(growth) and "race" in str(growth)


def test_growing_ends_with_the_last_given_size():
    growth = tessera.pallas.verify(lambda steps: _sum_of_blocks(steps, slots=4), grow={"steps": (2, 3, 4)}, numbers=False)
    assert [case.sizes["steps"] for case in growth.cases] == [2, 3, 4]
    assert growth.proved and growth.first_refuted is None
    assert "proved at 3 of 3 sizes; this proves nothing about other sizes" in str(growth)


def test_two_sizes_vary_together_after_each_of_them_alone():
    def make(steps, slots):
        assert steps < 5, "at most four steps"
        return _sum_of_blocks(steps, slots)

    growth = tessera.pallas.verify(make, grow={"steps": (1, 2, 9), "slots": (2, 1)}, numbers=False)
    tried = [tuple(case.sizes.values()) for case in growth.cases]
    assert tried[:4] == [(1, 2), (2, 2), (9, 2), (1, 1)]
    assert growth.cases[2].refusal == "at most four steps"
    assert growth.first_refuted is not None and tuple(growth.first_refuted.sizes.values()) == (2, 1)


def test_the_time_limit_ends_the_growth():
    growth = tessera.pallas.verify(lambda steps: _sum_of_blocks(steps, slots=32), grow={"steps": 2}, grow_seconds=0, numbers=False)
    assert growth.ended and len(growth.cases) == 1 and not growth.proved
    assert "ended: the time limit was reached" in str(growth)


@pytest.mark.parametrize(
    ("sizes", "error", "words"),
    [
        ({"steps": ()}, TypeError, "expected a number or several numbers for steps"),
        ({"steps": 2.5}, TypeError, "expected a number or several numbers for steps, found 2.5"),
        ({"unknown": 2}, TypeError, "unknown"),
    ],
)
def test_wrong_sizes_are_refused(sizes, error, words):
    with pytest.raises(error, match=words):
        tessera.pallas.verify(_sum_of_blocks, grow=sizes)


def test_a_function_that_returns_something_else_is_refused():
    with pytest.raises(tessera.BadInput, match="expected a function and a tuple of its arguments"):
        tessera.pallas.verify(lambda steps: steps, grow={"steps": 2})
    with pytest.raises(TypeError, match="verify with grow takes its arguments from the function"):
        tessera.pallas.verify(_sum_of_blocks, 2, grow={"steps": 2})
