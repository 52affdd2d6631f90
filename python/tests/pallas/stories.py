"""Verifies versions of published fused mixture-of-experts kernels before and after changes of their synchronisation:

    python stories.py sglang --clone SGLANG_JAX
    python stories.py tpu-inference --clone TPU_INFERENCE
    python stories.py growth                     # the installed package tpu-inference 0.32.0

Each version is verified at growing sizes; at the last one that is proved, also without each of its barriers.
"""

from __future__ import annotations

import argparse
import linecache
import subprocess
import sys
import time
import types
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np

import tessera.pallas
from trial import NotThere
from trial.case import Built, bf16
from trial.shells import older_names
from trial.tpu_inference_attention import _moe
from trial.tpu_inference_dense import kernels

# A barrier semaphore as scratch is not converted. JAX lowers it to the same type as a regular one.
BARRIER = ("pltpu.SemaphoreType.BARRIER,", "pltpu.SemaphoreType.REGULAR,")


class Size(NamedTuple):
    devices: int
    experts: int  # per device
    block: int  # tokens per block
    slots: int = 0  # buffers per device for the tokens of experts, at least 2; 0: one per expert

    def __str__(self) -> str:
        return f"{self.devices} devices, {self.experts} experts each{f' in {self.slots} slots' * bool(self.slots)}, blocks of {self.block}"


class Story(NamedTuple):
    url: str
    path: str  # of the kernel in the clone
    build: Callable[[types.ModuleType, Size], Built]
    sizes: tuple[Size, ...]
    revisions: tuple[str, ...]


def sglang(module: types.ModuleType, size: Size) -> Built:
    """Three blocks per device; each token has two experts."""
    experts, tokens = size.devices * size.experts, 3 * size.block * size.devices
    slot = 4 * size.block * size.devices * 512  # bytes
    module._device_hbm_bytes = lambda: (size.slots or size.experts) * slot / module._A2A_HBM_FRACTION + slot  # type: ignore[attr-defined]
    config = module.FusedMoEBlockConfig(bt=size.block, bts=8, btc=8, bf=128, bfc=128, bd1=256, bd1c=256, bd2=256, bd2c=256, bse=128)
    chosen = np.argsort(np.random.default_rng(0).standard_normal((tokens, experts)), axis=1)[:, :2].astype(np.int32)
    mesh = jax.make_mesh((1, size.devices), ("data", "tensor"), axis_types=(jax.sharding.AxisType.Auto,) * 2, devices=jax.devices()[: size.devices])
    w1, w3 = (bf16(experts, 512, 256, seed=seed, scale=0.1) for seed in (1, 3))
    return (
        lambda *args: module.fused_ep_moe(mesh, *args, 2, block_config=config),
        (bf16(tokens, 512), w1, bf16(experts, 256, 512, seed=2, scale=0.1), w3, np.full((tokens, 2), 0.5, np.float32), chosen),
    )


STORIES = {
    "sglang": Story(
        "https://github.com/sgl-project/sglang-jax",
        "python/sgl_jax/srt/kernels/fused_moe/v1/kernel.py",
        sglang,
        (Size(2, 2, 16), Size(4, 4, 16), Size(8, 3, 16), Size(2, 2, 32), Size(4, 3, 16, slots=2), Size(4, 4, 16, slots=2)),
        ("254e391c^", "254e391c", "36e6347b", "b859cf17"),
    ),
    "tpu-inference": Story(
        "https://github.com/vllm-project/tpu-inference",
        "tpu_inference/kernels/fused_moe/v1/kernel.py",
        lambda module, size: _moe(module, size.devices, size.devices * size.experts, size.block, blocks=4),
        (Size(2, 2, 32), Size(4, 2, 32), Size(2, 3, 32)),
        ("e9a879230^", "e9a879230", "44a0398ce^", "44a0398ce"),
    ),
}


def text_of(clone: str, story: Story, revision: str) -> str:
    found = subprocess.run(["git", "-C", clone, "show", f"{revision}:{story.path}"], capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"stories.py: no {revision}:{story.path} in {clone} (--clone: {story.url}, with its history): {found.stderr.strip()}")
    return found.stdout.replace(*BARRIER)


def verified(story: Story, text: str, size: Size) -> tessera.pallas.Verdict:
    jax.clear_caches()  # else a function returns the kernel of another size or mesh
    module = types.ModuleType("kernel")
    sys.modules["kernel"] = module  # for its dataclasses
    linecache.cache["kernel.py"] = (len(text), None, text.splitlines(keepends=True), "kernel.py")  # for the lines of reports
    exec(compile(text, "kernel.py", "exec"), module.__dict__)
    fn, args = story.build(module, size)
    return tessera.pallas.verify(fn, *args, numbers=False, races=100)


def findings(verdict: tessera.pallas.Verdict) -> str:
    """Kind and line of each finding; of a race with a copy also the line at which the copy is started."""
    causes = [one for one in verdict.findings if not one.consequence]
    starts = [[note.place for note in one.notes if "is started here" in note.message and note.place] for one in causes]
    return "; ".join(dict.fromkeys(" and ".join([f"{one.kind} at {one.place}", *places[:1]]) for one, places in zip(causes, starts)))


def report(story: Story, clone: str) -> None:
    for revision in story.revisions:
        text = text_of(clone, story, revision)
        proved: list[tuple[Size, tessera.pallas.Verdict]] = []
        for size in story.sizes:
            began = time.monotonic()
            verdict = verified(story, text, size)
            notes = Counter(one.kind for site in verdict.sites for one in site.uncovered)
            why = findings(verdict) or "not covered: " + ", ".join(f"{count} {kind}" for kind, count in notes.items())
            print(f"{revision}, {size}: {verdict.status}, {time.monotonic() - began:.1f} s; {why}", flush=True)
            proved += [(size, verdict)] if verdict.proved else []
        lines = text.split("\n")
        for at in (at for at, line in enumerate(lines) if line.strip() == "sync_barrier()" and proved):
            size, whole = proved[-1]
            verdict = verified(story, "\n".join([*lines[:at], lines[at].replace("sync_barrier()", "pass"), *lines[at + 1 :]]), size)
            if verdict.sites[0].kernel.text != whole.sites[0].kernel.text:  # else the kernel of this size does not have this barrier
                print(f"  without the barrier of line {at + 1}, {size}: {verdict.status} {findings(verdict)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("story", choices=(*STORIES, "growth"))
    parser.add_argument("--clone", help="git clone of the project, with its history")
    given = parser.parse_args()
    tessera.pallas.host_devices(8)
    if given.story == "growth":
        try:
            module = kernels("fused_moe.v1.kernel")
        except NotThere as missing:
            parser.error(f"{missing}: pip install --no-deps tpu-inference==0.32.0")
        print(tessera.pallas.verify(lambda experts: _moe(module, 2, 2 * experts), grow={"experts": 2}, numbers=False))
    elif given.clone:
        older_names()
        report(STORIES[given.story], given.clone)
    else:
        parser.error(f"{given.story} needs --clone: {STORIES[given.story].url}")


if __name__ == "__main__":
    main()
