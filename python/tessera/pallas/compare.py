"""Whether a converted kernel computes what JAX's own interpretation of the `pallas_call` does.

Two sets of inputs: those of the call, and the same with each float array shuffled and scaled, which keeps signs and
infinities; integers stay, as they may decide what is done. Integers must be equal, floats within the error bound
that the run carries; where nothing bounds an error, half of the digits of the result's type must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jax._src import core

from tessera.pallas import engine, jaxpr_tools
from tessera.pallas.convert import Kernel
from tessera.pallas.reference import NAMES, NoReference, reference

# Binary digits of the types that results have.
_DIGITS = {"float32": 24, "bfloat16": 8, "float16": 11, "float8_e4m3fn": 4, "float8_e5m2": 3}


@dataclass(frozen=True)
class Numbers:
    """`status` is `same`, `differ`, `unknown` (they could not be compared), `not asked` or `not needed`; `text` says it in
    words. Of those that are the same: how many `elements` were compared, and what `share` of the error bound was met.
    `unused` tells stores of the Python that nothing read in the run that was compared, each as its line of the report.
    """
    status: str
    text: str
    elements: int = 0
    share: float = 0.0
    unused: tuple[str, ...] = ()

    def __str__(self) -> str:
        of_it = f", at {self.share:.2g} of it" if self.share else ""
        return f"{self.text}{of_it}{f', {self.elements} elements' if self.elements else ''}"

    def __add__(self, other: Numbers) -> Numbers:
        """Of two comparisons that ended alike."""
        return replace(self, elements=self.elements + other.elements, share=max(self.share, other.share),
                       unused=tuple(dict.fromkeys((*self.unused, *other.unused))))


def second_inputs(lanes: Sequence[Sequence[Any]], seed: int) -> list[list[np.ndarray]]:
    """The same inputs with other numbers. What the devices hold alike stays alike."""
    found = []
    for row in lanes:
        generator = np.random.default_rng(seed)
        found.append([_other(np.asarray(array), generator) for array in row])
    return found


def _other(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    if array.dtype.kind in "iub":
        return array
    flat = generator.permutation(array.reshape(-1))
    factor = generator.uniform(0.5, 1.5, flat.shape).astype(np.float32)
    return (flat.astype(np.float32) * factor).astype(array.dtype).reshape(array.shape)


def computed_in(jaxpr: core.Jaxpr) -> str:
    """The type whose roundings JAX's numbers have: the narrowest that the kernel computes in."""
    found = jaxpr_tools.float_types(jaxpr)
    return "bf16" if "bfloat16" in found else "f16" if "float16" in found else "f32"


def compare(kernel: Kernel, eqn: core.JaxprEqn, shape: dict[str, int], lanes: Sequence[Sequence[Any]], *, seed: int,
            options: Sequence[str], limit: float) -> Numbers:
    if kernel.opaque:
        words = ", ".join(sorted({f"{one.primitive} at {one.place}" for one in kernel.opaque}))
        return Numbers("unknown", f"not compared with JAX: protocol only, values are unknown from {words} on")
    sets = [lanes, second_inputs(lanes, seed)]
    try:
        answer = reference(eqn, shape, sets, limit=limit)
    except NoReference as error:
        return Numbers("unknown", f"not compared with JAX: {error}")
    jax_as = NAMES[answer["mode"]] + (", views written out" if answer["views"] else "")
    share, elements, bits, unused = 0.0, 0, True, tuple[str, ...]()
    for inputs, expected in zip(sets, answer["results"]):
        report = engine.compared(kernel, inputs, expected, computed_in(eqn.params["jaxpr"]), options)
        if report.exit_code == 1:
            wrong = engine.findings(kernel, report)
            return Numbers("differ", f"not what JAX ({jax_as}) computes: {wrong[0] if wrong else report.text}")
        if report.exit_code != 0:
            return _unbounded(kernel, inputs, expected, report.object.get("error") or report.text, jax_as, options)
        unused = unused or engine.unused(kernel, report)
        for value in report.object.get("values", []):
            share = max(share, value.get("largest_share") or 0.0)
            bits &= not value.get("max_abs_error")
            elements += value.get("elements") or 0
    how = "bit for bit" if bits else "within the running error bound"
    return Numbers("same", f"as JAX ({jax_as}) on these inputs and a second seed, {how}", elements, 0.0 if bits else share, unused)


def _unbounded(kernel: Kernel, inputs: Any, expected: Any, why: str, jax_as: str, options: Sequence[str]) -> Numbers:
    """Nothing bounds an element's error: the same half of the digits of the result's type must do."""
    report = engine.run(kernel, inputs, options)
    if report.exit_code != 0:
        return Numbers("unknown", f"not compared with JAX: {report.object.get('error') or report.text}")
    largest, allowed = 0.0, True
    for have, want in zip(engine.results(kernel, report), expected):
        for ours, theirs in zip(have, want):
            half = 2.0 ** (-_DIGITS.get(str(ours.dtype), 0) / 2) if str(ours.dtype) in _DIGITS else 0.0
            ours, theirs = ours.astype(np.float64), np.asarray(theirs).astype(np.float64)
            apart = (np.isnan(ours) != np.isnan(theirs)) | (np.isinf(ours) & (ours != theirs))
            if apart.any():
                return Numbers("differ", f"not what JAX ({jax_as}) computes: NaN or infinite in other places")
            finite = np.isfinite(ours) & np.isfinite(theirs)
            difference = np.abs(ours - theirs)[finite].max(initial=0) / (np.abs(theirs[finite]).max(initial=0) or 1.0)
            largest, allowed = max(largest, difference), allowed and difference <= half
    reason = f"no bound is known of the error ({why.split(': ', 1)[-1].split('; --rtol')[0]})"
    told = f"{largest:.2g} of the largest element apart; {reason}"
    if not allowed:
        return Numbers("differ", f"not what JAX ({jax_as}) computes: {told}")
    return Numbers("same", f"as JAX ({jax_as}) to half of the digits: {told}", unused=engine.unused(kernel, report))
