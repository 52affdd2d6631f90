"""Runs one command in this process."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from . import _arrays, _tessera
from ._reports import Report, error_of
from ._words import Words

R = TypeVar("R", bound=Report)
_RESULT = re.compile(r"<([^@]*)(?:@(\d+))?>")


def command(words: Words, kind: type[R], family: str = "numpy") -> R:
    """Runs the command and returns its report, also for errors. An interrupted command raises KeyboardInterrupt."""
    code, text, out, err, written = _tessera.command(words.words, words.texts, words.arrays)
    answer = kind(json.loads(text) if text else {}, err + out, code, _results(written, family))
    if answer.status == "interrupted":
        raise error_of(answer)
    return answer


def asked(words: Words, kind: type[R], family: str = "numpy") -> R:
    """Runs the command and returns its report, which may have findings. Raises if there is no result, for example for bad input."""
    answer = command(words, kind, family)
    if answer.exit_code > 1 and answer.status not in ("ok", "finding", "mismatch", "budget"):
        raise error_of(answer)
    return answer


def _results(written: dict[str, tuple[Any, str]], family: str) -> dict[str, list[Any]]:
    """Returns the results by name, each a list by device: from the labels <out>, or <out@0>, <out@1> for several devices."""
    parts: dict[str, dict[int, Any]] = {}
    for label, (bits, dtype) in written.items():
        found = _RESULT.fullmatch(label)
        assert found, label
        parts.setdefault(found[1], {})[int(found[2] or 0)] = _arrays.result(bits, dtype, family)
    return {name: [of[device] for device in sorted(of)] for name, of in parts.items()}
