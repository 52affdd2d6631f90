"""What the sizes of a call do not exercise, with its place in the Python."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas


def _sums(steps):
    def kernel(x_ref, out_ref, total_ref):
        @pl.when(pl.program_id(0) == 0)
        def _first():
            total_ref[...] = jnp.zeros_like(total_ref)

        total_ref[...] += x_ref[...]

        @pl.when(pl.program_id(0) == 5)
        def _sixth():
            total_ref[...] *= 2

        out_ref[...] = total_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(steps,),
        in_specs=[pl.BlockSpec((8, 128), lambda k: (0, k))],
        out_specs=pl.BlockSpec((8, 128), lambda k: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
    )


def _verdict(steps, **options):
    return tessera.pallas.verify(_sums(steps), jnp.ones((8, 128 * steps)), numbers=False, **options)


def test_a_branch_that_no_grid_point_takes_is_named_with_its_line():
    small = _verdict(3)
    assert small.proved
    branches = [one for one in small.sites[0].uncovered if one.kind == "branch"]
    assert [one.source for one in branches] == ["@pl.when(pl.program_id(0) == 5)"]
    assert branches[0].place.startswith("test_uncovered.py:")
    assert f"not covered: {branches[0].place}" in str(small)
    assert "branch" not in [one.kind for one in _verdict(6).sites[0].uncovered]


def test_one_grid_point_leaves_the_loop_and_the_slots_uncovered():
    kinds = [one.kind for one in _verdict(1).sites[0].uncovered]
    assert "loop" in kinds
    assert "the loop over program_id(0) has one iteration each time" in str(_verdict(1))
    assert "loop" not in [one.kind for one in _verdict(3).sites[0].uncovered]


def test_a_report_lists_three_and_all_of_them_on_request():
    few, all_of_them = _verdict(1), _verdict(1, all=True)
    assert few.sites[0].uncovered == all_of_them.sites[0].uncovered
    assert str(few).count("not covered") == min(3, len(few.sites[0].uncovered))
    assert str(all_of_them).count("not covered") == len(few.sites[0].uncovered)


def test_the_cache_keeps_the_notes():
    first, again = _verdict(2), _verdict(2)
    assert again.sites[0].from_cache
    assert again.sites[0].uncovered == first.sites[0].uncovered
