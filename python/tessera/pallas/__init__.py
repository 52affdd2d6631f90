"""Verifies unmodified JAX Pallas TPU kernels.

    import tessera.pallas
    verdict = tessera.pallas.verify(f, x)     # every `pallas_call` of f(x), for all schedules
    assert verdict.proved, verdict

    y = tessera.pallas.run(f, x)              # f(x) on simulated devices
    print(tessera.pallas.show(f, x))          # the Python and the `.tsr` side by side
    with tessera.pallas.interpret():          # runs every `pallas_call` of any program on Tessera
        y = f(x)

`docs/reference/pallas.md` describes the verdicts.
"""

from tessera.pallas.convert import Refused
from tessera.pallas.engine import Finding, Uncovered
from tessera.pallas.grow import GrownCase, Growth
from tessera.pallas.intercept import interpret
from tessera.pallas.program import FindingError, kernels, pack, run, text, verify
from tessera.pallas.show import show
from tessera.pallas.trace import host_devices
from tessera.pallas.verdict import Accepted, SiteVerdict, Verdict

__all__ = [
    "Accepted",
    "Finding",
    "FindingError",
    "GrownCase",
    "Growth",
    "Refused",
    "SiteVerdict",
    "Uncovered",
    "Verdict",
    "host_devices",
    "interpret",
    "kernels",
    "pack",
    "run",
    "show",
    "text",
    "verify",
]
