"""Prints what becomes of seeded mistakes: `python mistakes_table.py [--jax N] [--seed S] [--to FILE] [--workers N]`.

Every kernel of the corpus that copies or signals by itself is changed in one place at a time; Tessera decides each. `--jax 60` lets
JAX's interpreter look for races in 60 of them, drawn by the seed, each in a process of its own that is ended after `--limit` seconds.
Each answer is a line of FILE as soon as it is there, and a second start goes on behind what the file has.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

os.environ.setdefault("NPROC", "16")
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np

from calls import Call, first_call
from tessera.pallas import engine, host_devices, options
from tessera.pallas.decide import decide
from tessera.pallas.reference import NoReference, Worker, end_worker, reference

DEVICES = 4


@dataclass(frozen=True)
class Subject:
    """A kernel in which mistakes are made: the parts of its module that are changed, and what a form of its function
    `entry` is called with. `promises` are those under which it is right."""

    name: str
    module: ModuleType
    changed: tuple[str, ...]
    built: Callable[[Any], tuple[Any, tuple[Any, ...]]]
    entry: str = ""
    promises: Mapping[str, Any] = field(default_factory=dict)

    def right(self) -> Any:
        return getattr(self.module, self.entry or self.changed[0])


def subjects() -> list[Subject]:
    from jax.experimental.pallas.ops.tpu import all_gather
    from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention_kernel

    from corpus import collectives, grids, table, wheel

    def ring(name: str, chunks: int = 1, **how: Any) -> Subject:
        x = np.random.default_rng(0).standard_normal(table.per_device_shape(chunks, DEVICES), np.float32)
        return Subject(name + (" with emit_pipeline" if how else ""), collectives, (name,), lambda build: (build(DEVICES, **how), (x,)))

    rows = np.random.default_rng(0).standard_normal((32, 128), np.float32)
    return [
        ring("right_permute"),
        ring("all_gather"),
        ring("all_reduce"),
        ring("reduce_scatter", 2),
        ring("reduce_scatter", 2, pipelined=True),
        Subject("double_buffered", grids, ("double_buffered",), lambda fn: (fn, (rows,))),
        Subject("all_gather.py of jax", all_gather, ("ag_kernel",), lambda fn: wheel.all_gather(DEVICES, fn), "all_gather", {"dma_order": "fifo"}),
        Subject(
            "paged_attention of jax",
            paged_attention_kernel,
            ("MultiPageAsyncCopyDescriptor", "paged_flash_attention_kernel"),
            wheel.paged_attention,
            "paged_attention",
        ),
    ]


def same(have: Any, right: Any) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for one, other in zip(have, right) for a, b in zip(one, other))


def by_tessera(subject: Subject, call: Call, right: Any) -> dict[str, Any]:
    """The verdict with its first finding; of what is proved whether its values are those of the kernel without the mistake."""
    site = decide(*call, subject.promises, check_numbers=False)
    causes = [finding for finding in site.findings if not finding.consequence] or list(site.findings)
    said = f"{causes[0].kind} at {causes[0].place}" if causes else site.what
    if site.status == "proved":
        report = engine.run(site.kernel, call[2], options.command_line(subject.promises, "run"))
        ran = engine.results(site.kernel, report) if report.exit_code == 0 else None
        said = "not run" if ran is None else "the same values" if same(ran, right) else "other values, the same in every schedule"
    return {"status": site.status, "said": said, "ms": round(1000 * site.seconds, 1)}


def by_jax(call: Call, right: Any, limit: float) -> str:
    """What JAX's interpreter shows of a mistake: races, other numbers, NaN, nothing; or that it does not end."""
    eqn, world, lanes = call
    worker = Worker()
    try:
        answer = reference(eqn, world.shape, [lanes], mode="races", limit=limit, worker=worker)
    except NoReference as error:
        return f"did not end in {limit:g} s" if "did not end" in str(error) else f"fails: {error}"
    finally:
        worker.end()
    have = answer["results"][0]
    nan = any(np.isnan(np.asarray(array)).any() for row in have for array in row[:1])
    wrong = "NaN" if nan else "" if same([row[:1] for row in have], [row[:1] for row in right]) else "wrong numbers"
    return "races printed" if answer["races"] else wrong or "nothing"


def answers(sample: int, seed: int, limit: float, workers: int, kept: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """An answer for each mistake that `kept` has none for; those in which JAX looks for races come as JAX ends."""
    asked: list[tuple[Subject, dict[str, Any], Any]] = []
    for subject in subjects():
        for what, form in mistakes_of(subject):
            answer = {
                "name": f"{len(asked)} {subject.name}: {what}",
                "kernel": subject.name,
                "what": what,
                "file": Path(subject.module.__file__ or "").name,
            }
            try:
                asked.append((subject, answer, first_call(*subject.built(form))))
            except Exception as error:  # the changed Python is no program
                asked.append((subject, {**answer, "status": "no program", "said": type(error).__name__}, None))
    programs = [number for number, (_, _, call) in enumerate(asked) if call is not None]
    drawn = set(random.Random(seed).sample(programs, min(sample, len(programs))))
    rights: dict[str, Any] = {}
    references: dict[str, Any] = {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = {}
        for number, (subject, answer, call) in enumerate(asked):
            before = kept.get(answer["name"])
            if before is not None and (number not in drawn or "jax" in before):
                continue
            if call is None:
                yield answer
                continue
            if subject.name not in rights:
                rights[subject.name] = decided(subject)
            whole, values = rights[subject.name]
            answer |= by_tessera(subject, call, values)
            if number not in drawn:
                yield answer
                continue
            if subject.name not in references:
                references[subject.name] = reference(whole[0], whole[1].shape, [whole[2]], limit=10 * limit)["results"][0]
            waiting[pool.submit(by_jax, call, references[subject.name], limit)] = answer
        end_worker()
        for future in concurrent.futures.as_completed(waiting):
            yield {**waiting[future], "jax": future.result()}


def mistakes_of(subject: Subject) -> Iterator[tuple[str, Any]]:
    from corpus import mistakes

    ours = "of jax" not in subject.name
    for what, form in mistakes.mutants(subject.module, *subject.changed, entry=subject.entry):
        yield what if ours else what.split("(")[0], form  # of others' code its words alone


def decided(subject: Subject) -> tuple[Call, Any]:
    """The call without a mistake, which must be proved, and its values."""
    call = first_call(*subject.built(subject.right()))
    site = decide(*call, subject.promises, check_numbers=False)
    assert site.status == "proved", f"{subject.name}: {site}"
    return call, engine.results(site.kernel, engine.run(site.kernel, call[2], options.command_line(subject.promises, "run")))


def rows(found: list[dict[str, Any]]) -> Iterator[str]:
    yield "| kernel | mistake | Tessera | ms | JAX, detect_races |\n|---|---|---|---:|---|"
    for one in found:
        line, _, what = one["what"].removeprefix("line ").partition(": ")
        yield (
            f"| {one['kernel']} | `{one['file']}:{line}` {what.replace('|', '/')} | {one['status']}: {one['said']} | {one.get('ms', '')} | "
            f"{one.get('jax', '')} |"
        )


def summary(found: list[dict[str, Any]]) -> Iterator[str]:
    counts = collections.Counter(
        (one["status"], one["said"] if one["status"] == "proved" else one["said"].split(" at ")[0], one.get("jax")) for one in found
    )
    for (status, said, jax_says), count in sorted(counts.items(), key=str):
        yield f"{count:4} {status}, {said}" + (f"; JAX: {jax_says}" if jax_says else "")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jax", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--to", type=Path)
    given = parser.parse_args()
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()  # times are of proofs, not of what was kept
    host_devices(8)
    found = [json.loads(line) for line in given.to.read_text().splitlines()] if given.to and given.to.exists() else []
    for answer in answers(given.jax, given.seed, given.limit, given.workers, {one["name"]: one for one in found}):
        found.append(answer)
        if given.to:
            with given.to.open("a", encoding="utf-8") as file:
                file.write(json.dumps(answer) + "\n")
    found = sorted({one["name"]: one for one in found}.values(), key=lambda one: int(one["name"].split()[0]))
    print("\n".join([*rows(found), "", *summary(found)]))


if __name__ == "__main__":
    main()
