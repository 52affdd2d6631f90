"""What the peers of moe_frameworks.py have in common: an arm is one way to compute a shape's products."""

from collections.abc import Callable
from typing import NamedTuple


class Arm(NamedTuple):
    run: Callable  # puts the product on torch's stream, or on its own; gives the result as a torch tensor
    own_stream: bool = False  # the framework has streams of its own: events see its dispatch too
    note: str = ""  # what was chosen, and what the time contains


class Skipped(NamedTuple):
    reason: str


def fastest(torch, candidates, rounds=3):
    """The arm that takes least, and the candidates that failed, with why; candidates: name to a function that makes one."""
    best, least, failed = None, float("inf"), {}
    for name, make in candidates.items():
        try:
            arm = make()
            arm.run()
            for _ in range(rounds):
                torch.cuda.synchronize()
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                arm.run()
                end.record()
                end.synchronize()
                if begin.elapsed_time(end) < least:
                    best, least = arm, begin.elapsed_time(end)
        except Exception as problem:  # a peer refuses a configuration by any type of its own
            failed[name] = f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}"
    if best is None:
        return Skipped("every configuration failed; the last: " + (list(failed.values()) or ["there are none"])[-1])
    return best
