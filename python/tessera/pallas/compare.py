"""Comparison of a converted kernel with JAX's own interpretation of the `pallas_call`.

Two sets of inputs are compared: the inputs of the call, and the same with each float array shuffled and scaled, which keeps signs and
infinities. Integers are unchanged, because control flow may depend on them. Integer results must be equal. Floats must be within the
running error bound; if an error has no bound, half of the digits of the result's type must agree. Infinities and NaNs must be the same.
JAX on a CPU flushes denormals and computes exp2(x) as exp(x * ln 2). A difference that this explains is reported in a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jax._src import core

from tessera.pallas import elements, engine, jaxpr_tools
from tessera.pallas.convert import Kernel
from tessera.pallas.reference import NAMES, NoReference, reference

_BITS = "bit for bit"


@dataclass(frozen=True)
class Numbers:
    """Result of a comparison.

    status: `same`, `differ`, `unknown` (not comparable), `not asked` or `not needed`. text: the status in words.
    elements: number of elements compared, if they are the same. share: largest error, as a share of the error bound.
    unused: lines of the report about stores of the Python that nothing read in the compared run.
    is_final: True if another comparison of the same kernel would have the same result.
    note: elements that are not compared bit for bit.
    """

    status: str
    text: str
    elements: int = 0
    share: float = 0.0
    unused: tuple[str, ...] = ()
    is_final: bool = True
    note: str = ""

    def __str__(self) -> str:
        of_it = f", at {self.share:.2g} of it" if self.share else ""
        return f"{self.text}{of_it}{f', {self.elements} elements' if self.elements else ''}{self.note and '; ' + self.note}"

    def __add__(self, other: Numbers) -> Numbers:
        """Joins two comparisons with the same status and text."""
        return replace(
            self,
            elements=self.elements + other.elements,
            share=max(self.share, other.share),
            unused=tuple(dict.fromkeys((*self.unused, *other.unused))),
        )


def computed_in(jaxpr: core.Jaxpr) -> str:
    """Returns the narrowest float type in which the kernel computes, which bounds the precision of JAX's results."""
    found = jaxpr_tools.float_types(jaxpr)
    return "bf16" if "bfloat16" in found else "f16" if "float16" in found else "f32"


def compare(
    kernel: Kernel, eqn: core.JaxprEqn, shape: dict[str, int], lanes: Sequence[Sequence[Any]], *, seed: int, options: Sequence[str], limit: float
) -> Numbers:
    if kernel.opaque:
        words = ", ".join(sorted({f"{one.primitive} at {one.place}" for one in kernel.opaque}))
        return Numbers("unknown", f"not compared with JAX: protocol only, values are unknown from {words} on")
    return _Comparison(kernel, eqn, shape, options, limit).of([lanes, elements.second_inputs(lanes, seed)])


@dataclass(frozen=True)
class _Equal:
    """Results for one set of inputs that all agree with JAX's. bits: True for bit for bit, False for within the error bound."""

    bits: bool
    elements: int
    share: float
    unused: tuple[str, ...]


class _Comparison:
    """Comparison of one conversion with JAX's interpretation of the kernel, on several sets of inputs."""

    def __init__(self, kernel: Kernel, eqn: core.JaxprEqn, shape: dict[str, int], options: Sequence[str], limit: float):
        self.kernel, self.eqn, self.shape, self.options, self.limit = kernel, eqn, shape, options, limit
        self.computed_in = computed_in(eqn.params["jaxpr"])
        self.jax = ""  # JAX's mode of interpretation
        self.imprecise = 0  # elements for which JAX's numbers on a CPU are imprecise
        self.zeros = 0  # zeros with another sign

    def of(self, sets: Sequence[Any]) -> Numbers:
        numbers = []
        try:
            for inputs, expected in zip(sets, self._expected(sets)):
                one = self._one(inputs, expected)
                if isinstance(one, Numbers):
                    return one
                numbers.append(one)
        except NoReference as error:
            return Numbers("unknown", f"not compared with JAX: {error}", is_final=error.is_final)
        how = _BITS if all(one.bits for one in numbers) else "within the running error bound"
        return Numbers(
            "same",
            f"as JAX ({self.jax}) on these inputs and a second seed, {how}",
            sum(one.elements for one in numbers),
            max(one.share for one in numbers),
            next((one.unused for one in numbers if one.unused), ()),
            note=self._note(),
        )

    def _note(self) -> str:
        """Describes the elements that differ in their bits, with the reason."""
        zeros = f"the sign of {self.zeros} zero{'s' if self.zeros > 1 else ''} differs" if self.zeros else ""
        if not self.imprecise:
            return zeros
        of_exp2 = " and computes exp2(x) as exp(x * ln 2)" if _has_exp2(self.eqn.params["jaxpr"]) else ""
        several = self.imprecise > 1
        return (
            f"{self.imprecise} element{'s differ' if several else ' differs'} because JAX on CPUs flushes denormals to 0{of_exp2}: "
            f"{'they are' if several else 'it is'} not compared bit for bit{zeros and '; ' + zeros}"
        )

    def _expected(self, sets: Sequence[Any]) -> list[Any]:
        answer = reference(self.eqn, self.shape, sets, limit=self.limit, machine=self._machine())
        self.jax = NAMES[answer["mode"]] + (", views written out" if answer["views"] else "")
        return answer["results"]

    def _machine(self) -> dict[str, Any]:
        """Settings of JAX's machine that the conversion assumes. The number of cores is omitted for a mesh of cores, which has its own."""
        cores = {"num_cores_or_threads": self.kernel.cores} if self.kernel.cores > 1 and self.eqn.params.get("mesh") is None else {}
        return {**cores, **({"buffer_bounds": "padded"} if self.kernel.padded else {})}

    def _one(self, inputs: Any, expected: Any) -> _Equal | Numbers:
        """Compares one set of inputs. A result of type Numbers decides the comparison, independently of the other sets."""
        report = self._compared(inputs, expected)
        if report.exit_code == 1 and (again := self._as_on_cpus(inputs, expected, report)) is not None:
            return again
        if report.exit_code == 1:
            wrong = engine.findings(self.kernel, report)
            return self._differ(str(wrong[0]) if wrong else report.text)
        if report.exit_code != 0:
            return self._unbounded(inputs, expected, report.object.get("error") or report.text)
        return self._right(report, expected)

    def _compared(self, inputs: Any, expected: Any, *options: str) -> Any:
        return engine.compared(self.kernel, inputs, expected, self.computed_in, [*options, *self.options])

    def _right(self, report: Any, expected: Any) -> _Equal | Numbers:
        values = report.object.get("values", [])
        found = engine.results(self.kernel, report)
        if apart := self._apart(found, expected):
            return self._differ(apart)
        pairs = [pair for have, want in zip(found, expected) for pair in zip(have, want)]
        bits = all(elements.same_bits(ours, theirs) for ours, theirs in pairs)
        self.zeros += (
            0
            if bits
            else sum(
                int(((ours == 0) & (theirs == 0) & (np.signbit(ours) != np.signbit(theirs))).sum())
                for ours, theirs in pairs
                if elements.is_float(ours)
            )
        )
        share = 0.0 if bits else max((value.get("largest_share") or 0.0 for value in values), default=0.0)
        return _Equal(bits, sum(value.get("elements") or 0 for value in values), share, engine.unused(self.kernel, report))

    def _as_on_cpus(self, inputs: Any, expected: Any, strict: Any) -> _Equal | None:
        """Compares with the imprecision of JAX on CPUs added to the bound, then also with denormal inputs set to 0. None if both fail."""
        arrays = [[np.asarray(array) for array in row] for row in inputs]
        flushed = [[elements.flushed(array) for array in row] for row in arrays]
        has_denormals = any(new is not old for row, before in zip(flushed, arrays) for new, old in zip(row, before))
        for flush in (False, True):
            if flush and not has_denormals:
                break
            if flush:
                inputs, expected = flushed, self._expected([flushed])[0]
            report = self._compared(inputs, expected, *(["--expected-by", "xla-cpu"] if any(map(elements.is_float, expected[0])) else []))
            found = self._right(report, expected) if report.exit_code == 0 else None
            if isinstance(found, _Equal):
                self.imprecise += sum(value.get("wrong_elements") or 0 for value in strict.object.get("values", []))
                return replace(found, bits=False)
        return None

    def _apart(self, found: Any, expected: Any) -> str:
        """Describes the first element on any device that is NaN or infinite in one result only; empty if there is none."""
        for have, want in zip(found, expected):
            for result, ours, theirs in zip(self.kernel.results, have, want):
                if apart := elements.apart(ours, theirs):
                    return f"{self.kernel.arrays.get(result.name, result.name)}{apart}"
        return ""

    def _at_line(self, inputs: Any, expected: Any, difference: float) -> str:
        """Describes the first element that differs by more than `difference`, with values and line; empty if the engine finds none."""
        if not any(map(elements.is_float, expected[0])):
            return ""
        options = ["--rtol", "0", "--atol", repr(float(difference)), *self.options]
        report = engine.compared(self.kernel, inputs, expected, "", options)
        wrong = engine.findings(self.kernel, report) if report.exit_code == 1 else ()
        return str(wrong[0]) if wrong else ""

    def _differ(self, what: str) -> Numbers:
        return Numbers("differ", f"not what JAX ({self.jax}) computes: {what}")

    def _unbounded(self, inputs: Any, expected: Any, why: str) -> Numbers:
        """Comparison without an error bound: half of the digits of the result's type must agree."""
        report = engine.run(self.kernel, inputs, self.options)
        if report.exit_code != 0:
            return Numbers("unknown", f"not compared with JAX: {report.object.get('error') or report.text}")
        found, largest, allowed, wrong = engine.results(self.kernel, report), 0.0, True, ""
        if all(elements.same_bits(ours, theirs) for have, want in zip(found, expected) for ours, theirs in zip(have, want)):
            return Numbers(
                "same",
                f"as JAX ({self.jax}) on these inputs, {_BITS}",
                sum(array.size for have in found for array in have),
                unused=engine.unused(self.kernel, report),
            )
        if apart := self._apart(found, expected):
            return self._differ(self._at_line(inputs, expected, 1e300) or apart)
        for have, want in zip(found, expected):
            for ours, theirs in zip(have, want):
                digits = elements.digits(ours.dtype) if elements.is_float(ours) else 0
                half = 2.0 ** (-digits / 2) if digits > 1 else 0.0  # powers of 2 (e8m0) must be equal
                ours, theirs = ours.astype(np.float64), np.asarray(theirs).astype(np.float64)
                finite = np.isfinite(ours) & np.isfinite(theirs)
                size = np.abs(theirs[finite]).max(initial=0) or 1.0
                difference = np.abs(ours[finite] - theirs[finite]).max(initial=0) / size
                wrong = self._at_line(inputs, expected, half * size) if allowed and difference > half else wrong
                largest, allowed = max(largest, difference), allowed and difference <= half
        reason = f"no bound is known of the error ({why.split(': ', 1)[-1].split('; --rtol')[0]})"
        told = f"{largest:.2g} of the largest element apart; {reason}"
        if not allowed:
            return self._differ(f"{told}{wrong and '; ' + wrong}")
        return Numbers("same", f"as JAX ({self.jax}) to half of the digits: {told}", unused=engine.unused(self.kernel, report))


def _has_exp2(jaxpr: core.Jaxpr) -> bool:
    return any(eqn.primitive.name == "exp2" for eqn in jaxpr_tools.primitives(jaxpr))
