"""Translation of the engine's messages to the names of the Python: blocks with the kernel's indices, results by their refs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tessera.pallas.convert import Kernel


def said(kernel: Kernel, finding: Mapping[str, Any]) -> str:
    """Returns the message of a finding, with the ref of the result to which undefined data is copied."""
    if ref := undefined_result(kernel, finding):
        return f"{renamed(kernel, finding['access']['element'])}, which is undefined, goes into the result {ref}"
    return renamed(kernel, finding["message"])


def undefined_result(kernel: Kernel, finding: Mapping[str, Any]) -> str:
    """Returns the ref of the result to which undefined data is copied; empty for other findings."""
    result = (finding.get("access") or {}).get("result")
    return kernel.arrays.get(renamed(kernel, result), "") if result else ""


def renamed(kernel: Kernel, message: str) -> str:
    """Returns a text of the engine with the names of the Python, and without the slot index of blocks."""
    if kernel.windows:
        names = "|".join(map(re.escape, sorted(kernel.windows, key=len, reverse=True)))
        message = re.sub(rf"\b({names})\[[^\],]*(?:, |(?=\]))", r"\1[", message)
        message = re.sub(rf"\b({names})\[\]", r"\1", message)
    if kernel.renamed:
        message = re.sub(rf"\b({'|'.join(kernel.renamed)})\b", lambda word: kernel.renamed[word[1]], message)
    return message


def explained(kernel: Kernel, messages: Iterable[str]) -> list[str]:
    """Explains the names in the messages that the Python does not have."""
    used = {word for message in messages for word in re.findall(r"\w+", message)}
    return [f"{name} is the whole array behind {ref}" for name, ref in kernel.arrays.items() if name in used]
