"""What the engine says of a kernel in the words of its Python: blocks as the kernel has them, results by their refs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tessera.pallas.convert import Kernel

_INTO_RESULT = re.compile(r"^copy of \w+\[[^\]]*\] to (\w+)(?:\[[^\]]*\])? takes (.+?), which is undefined, into the result")


def said(kernel: Kernel, message: str) -> str:
    """A message without what the text alone has: the slot of a block's buffer, and the array behind a block."""
    message = _renamed(kernel, message)
    found = _INTO_RESULT.match(message)
    if found and found[1] in kernel.arrays:
        message = f"{found[2]}, which is undefined, goes into the result {kernel.arrays[found[1]]}{message[found.end():]}"
    return message


def undefined_result(kernel: Kernel, message: str) -> str:
    """The ref of the result to which undefined data is copied; empty if the message is about something else."""
    found = _INTO_RESULT.match(_renamed(kernel, message))
    return kernel.arrays.get(found[1], "") if found else ""


def _renamed(kernel: Kernel, message: str) -> str:
    if kernel.windows:
        names = "|".join(map(re.escape, sorted(kernel.windows, key=len, reverse=True)))
        message = re.sub(rf"\b({names})\[[^\],]*(?:, |(?=\]))", r"\1[", message)
        message = re.sub(rf"\b({names})\[\]", r"\1", message)
    if kernel.renamed:
        message = re.sub(rf"\b({'|'.join(kernel.renamed)})\b", lambda word: kernel.renamed[word[1]], message)
    return message


def explained(kernel: Kernel, messages: Iterable[str]) -> list[str]:
    """What the names are that the Python does not have, of those that the messages use."""
    used = {word for message in messages for word in re.findall(r"\w+", message)}
    return [f"{name} is the whole array behind {ref}" for name, ref in kernel.arrays.items() if name in used]
