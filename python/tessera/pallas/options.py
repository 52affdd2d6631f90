"""The options of a proof or a run as keyword arguments, by the names that the command line has."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from tessera import errors

KNOWN = ("profile", "vmem", "smem", "hbm", "semaphores", "barrier_ids", "schedule", "dma_order", "copy_granularity", "slow_device",
         "math", "max_steps", "uninitialised", "strict_values", "necessity", "exhaust", "schedules", "budget",
         "races", "mutants", "cores")
OF_RUN = ("strict_values",)
OF_VERIFY = ("necessity", "exhaust", "schedules", "budget", "races", "mutants")
# Pallas writes output blocks back whole. The conversion names each value that is used twice and gives it memory of its own,
# which a compiler shares or keeps in registers: what it needs of vmem says nothing of the kernel, and is not judged.
# Values of these depend on the kernel.
OF_THE_KERNEL = ("slow_device", "mutants")
DEFAULTS = {"profile": "mosaic", "vmem": 1 << 40}


def of_chip(given: Mapping[str, Any], chip: str | None) -> dict[str, Any]:
    """The options with the limits of the chip that the caller named: only a v5e has a limit of routes."""
    return {"profile": "mosaic_v5e", **given} if chip == "v5e" else dict(given)


def cores(given: Mapping[str, Any]) -> int:
    """How many cores of a device share the first parallel dimension of a grid: the conversion has them, not the command line."""
    found = given.get("cores", 1)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise errors.BadInput(f"cores: expected a number from 1 on, found {found!r}")
    return found


def command_line(options: Mapping[str, Any], command: str) -> list[str]:
    """The words of the command line; what only `verify` has is left out of a run, and the other way round. Unknown names raise
    TypeError."""
    words = []
    for name, value in {**DEFAULTS, **options}.items():
        if name not in KNOWN:
            near = difflib.get_close_matches(name, KNOWN, 1)
            raise TypeError(f"unknown option {name!r}" + (f"; did you mean {near[0]!r}?" if near else f": expected one of {', '.join(KNOWN)}"))
        if value is None or value is False or name == "cores" or name in (OF_VERIFY if command == "run" else OF_RUN):
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words
