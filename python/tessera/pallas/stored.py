"""Verdicts on one kernel as JSON, for the cache."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from tessera.pallas import engine
from tessera.pallas.compare import Numbers
from tessera.pallas.verdict import STATUSES, SiteVerdict

_CALLS = [(str, int, str)]
_NOTE = {"message": str, "place": str, "at": str, "source": str, "function": str, "stack": _CALLS, "role": str, "buffer": str}
_FINDING = {
    "kind": str,
    "message": str,
    "place": str,
    "stack": _CALLS,
    "source": str,
    "notes": [_NOTE],
    "count": int,
    "consequence": bool,
    "at": str,
    "function": str,
    "devices": int,
    "into": str,
    "buffer": str,
    "access": str,
    "file": str,
}
_NUMBERS = {
    "status": frozenset(("same", "differ", "unknown", "not asked", "not needed")),
    "text": str,
    "elements": int,
    "share": float,
    "unused": [str],
    "is_final": bool,
    "note": str,
}
# For `cache.has_shape`.
SHAPE = {
    "status": frozenset(STATUSES),
    "what": str,
    "findings": [_FINDING],
    "numbers": _NUMBERS,
    "conditions": [str],
    "promises": str,
    "certificate": dict,
    "complete": bool,
    "uncovered": [{"kind": str, "message": str, "place": str, "source": str}],
}


def as_json(site: SiteVerdict) -> dict[str, Any]:
    return {
        "status": site.status,
        "what": site.what,
        "findings": [asdict(one) for one in site.findings],
        "numbers": asdict(site.numbers),
        "conditions": list(site.conditions),
        "promises": site.promises,
        "certificate": site.certificate,
        "complete": site.complete,
        "uncovered": [asdict(one) for one in site.uncovered],
    }


def restored(site: SiteVerdict, kept: dict[str, Any]) -> SiteVerdict:
    """Returns the site with the results of a JSON value of `SHAPE`."""
    numbers = Numbers(**{**kept["numbers"], "unused": tuple(kept["numbers"]["unused"])})
    return replace(
        site,
        status=kept["status"],
        what=kept["what"],
        findings=tuple(map(engine.restored, kept["findings"])),
        numbers=numbers,
        conditions=tuple(kept["conditions"]),
        promises=kept["promises"],
        certificate=kept["certificate"],
        complete=kept["complete"],
        uncovered=tuple(engine.Uncovered(**one) for one in kept["uncovered"]),
        from_cache=True,
    )
