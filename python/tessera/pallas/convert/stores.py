"""Detection of refs that a kernel writes by stores or by copies."""

from __future__ import annotations

from typing import Any


def stores_to(jaxpr: Any, var: Any, copies: bool = False) -> bool:
    """True if an equation of the body, or of an inner body, stores a value to this ref. copies: copies to the ref count as well.

    Equations are inspected because the effects of a copy do not distinguish source and destination.
    """
    for eqn in jaxpr.eqns:
        if not any(v is var for v in eqn.invars):
            continue
        name, p = eqn.primitive.name, eqn.params
        if name in ("swap", "masked_swap", "addupdate"):
            if eqn.invars[0] is var:
                return True
            continue
        if copies and name == "dma_start":
            parts = p["tree"].unflatten(eqn.invars)
            target = parts[2 if len(parts) == 9 else 1]  # before JAX 0.10 each ref is followed by its transforms
            if getattr(target, "ref", target) is var:
                return True
            continue
        bodies: list[tuple[Any, Any]] = []
        if name == "cond":
            bodies = [(b.jaxpr, eqn.invars[1:]) for b in p["branches"]]
        elif name == "while":
            bodies = [(p["body_jaxpr"].jaxpr, eqn.invars[p["cond_nconsts"] :])]
        elif name == "run_scoped":
            bodies = [(p["jaxpr"], None)]
        elif "jaxpr" in p or "call_jaxpr" in p:
            inner = p.get("jaxpr") or p.get("call_jaxpr")
            bodies = [(getattr(inner, "jaxpr", inner), eqn.invars)]
        for body, given in bodies:
            variables, values = (body.constvars, eqn.invars) if given is None else (body.invars, given)
            if any(v is var and stores_to(body, inner, copies) for inner, v in zip(variables, values)):
                return True
    return False
