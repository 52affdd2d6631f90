"""Options of a proof or a run as keyword arguments, with the names of the command line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from tessera import errors

KNOWN = (
    "profile",
    "vmem",
    "smem",
    "hbm",
    "semaphores",
    "barrier_ids",
    "schedule",
    "dma_order",
    "copy_granularity",
    "slow_device",
    "math",
    "max_steps",
    "uninitialised",
    "strict_values",
    "necessity",
    "exhaust",
    "schedules",
    "budget",
    "races",
    "mutants",
    "cores",
)
# Parameters of `verify`, `run` and `interpret`, which are not options of the command line.
PARAMETERS = ("accept", "all", "limit", "numbers", "parallel", "prove")
OF_RUN = ("strict_values",)
OF_VERIFY = ("necessity", "exhaust", "schedules", "budget", "races", "mutants")
# Options with values that depend on the kernel.
OF_THE_KERNEL = ("slow_device", "mutants")
# Profile: Pallas writes whole output blocks back. vmem: practically unlimited. The conversion gives each value that is used twice its
# own memory, which a compiler would share or keep in registers, so its vmem use is not the kernel's.
DEFAULTS = {"profile": "mosaic", "vmem": 1 << 40}


def of_chip(given: Mapping[str, Any], chip: str | None) -> dict[str, Any]:
    """Returns the options with the limits of the chip that the caller selected. Only a v5e limits the routes of copies."""
    return {"profile": "mosaic_v5e", **given} if chip == "v5e" else dict(given)


def cores(given: Mapping[str, Any]) -> int:
    """Returns the number of cores per device that share the first parallel dimension of a grid. This option is for the conversion,
    not for the command line."""
    found = given.get("cores", 1)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise errors.BadInput(f"cores: expected a number from 1 on, found {found!r}")
    return found


def command_line(options: Mapping[str, Any], command: str) -> list[str]:
    """Returns the words of the command line. Options that only `verify` has are omitted for `run`, and vice versa.

    Raises TypeError for unknown names.
    """
    words = []
    for name, value in {**DEFAULTS, **options}.items():
        if name not in KNOWN:
            names = (*PARAMETERS, *KNOWN)
            near = difflib.get_close_matches(name, names, 1)
            raise TypeError(f"unknown option {name!r}" + (f"; did you mean {near[0]!r}?" if near else f": expected one of {', '.join(names)}"))
        if value is None or value is False or name == "cores" or name in (OF_VERIFY if command == "run" else OF_RUN):
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words
