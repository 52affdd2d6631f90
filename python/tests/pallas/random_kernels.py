"""Random kernels of reads, stores, branches and loops, which JAX traces and which NumPy runs one statement at a time."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ROWS, COLUMNS, WORDS = 8, 4, 4
Statement = tuple[Any, ...]


class Maker:
    """Draws programs: a tile is an int32 of (8, 4), `refs` are tiles in memory, `words` integers in smem."""

    def __init__(self, seed: int):
        self.draw = random.Random(seed)

    def tile(self, names: list[str], depth: int = 0) -> Any:
        kind = self.draw.randrange(9 if depth < 3 else 4)
        if kind < 2 and names:
            return ("name", self.draw.choice(names))
        if kind < 4:
            return ("read", self.draw.randrange(2))
        if kind == 4:
            return ("fill", self.integer([], depth + 1))
        if kind == 5:
            return ("roll", self.tile(names, depth + 1), self.draw.randrange(1, ROWS))
        if kind == 6:
            return ("row", self.tile(names, depth + 1), self.draw.choice(["max", "col"]))
        if kind == 7:
            return ("where", self.tile(names, depth + 1), self.tile(names, depth + 1), self.tile(names, depth + 1))
        return (self.draw.choice(["+", "-", "max"]), self.tile(names, depth + 1), self.tile(names, depth + 1))

    def integer(self, names: list[str], depth: int = 0) -> Any:
        kind = self.draw.randrange(6 if depth < 3 else 3)
        if kind == 0 and names:
            return ("name", self.draw.choice(names))
        if kind <= 1:
            return ("word", self.draw.randrange(WORDS))
        if kind == 2:
            return ("number", self.draw.randrange(-3, 9))
        return (self.draw.choice(["+", "-", "max", "%"]), self.integer(names, depth + 1), self.integer(names, depth + 1))

    def block(self, tiles: list[str], integers: list[str], depth: int = 0) -> list[Statement]:
        tiles, integers = list(tiles), list(integers)
        found: list[Statement] = []
        for _ in range(self.draw.randrange(2, 6)):
            kind = self.draw.randrange(10 if depth < 2 else 7)
            if kind < 2:
                name = self._new(tiles, "v")
                found.append(("tile", name, self.tile(tiles)))
                tiles.append(name)
            elif kind == 2:
                name = self._new(integers, "n")
                found.append(("integer", name, self.integer(integers)))
                integers.append(name)
            elif kind == 3:
                found.append(("word", self.draw.randrange(WORDS), self.integer(integers)))
            elif kind < 6:
                found.append(("store", self.draw.randrange(2), self.tile(tiles)))
            elif kind == 6:
                found.append(("rows", self.draw.randrange(2), self.integer(integers), self.tile(tiles)))
            elif kind < 9:
                found.append(
                    (
                        "if",
                        self.integer(integers),
                        self.block(tiles, integers, depth + 1),
                        self.block(tiles, integers, depth + 1) if self.draw.random() < 0.6 else [],
                    )
                )
            else:
                found.append(("for", self.draw.randrange(1, 4), self.block(tiles, integers, depth + 1)))
        return found

    def _new(self, names: list[str], letter: str) -> str:
        """A new name, or one that is there: what a branch or a loop then hands on."""
        mine = [n for n in names if n.startswith(letter)]
        if mine and self.draw.random() < 0.5:
            return self.draw.choice(mine)
        return f"{letter}{self.draw.randrange(10**6)}"


def assigned(block: list[Statement]) -> set[str]:
    found: set[str] = set()
    for statement in block:
        if statement[0] in ("tile", "integer"):
            found.add(statement[1])
        elif statement[0] == "if":
            found |= assigned(statement[2]) | assigned(statement[3])
        elif statement[0] == "for":
            found |= assigned(statement[2])
    return found


class Runner:
    """Runs a program on refs; `xp` is numpy, which branches, or jax.numpy, which traces."""

    def __init__(self, xp: Any, refs: list[Any], words: Any):
        self.xp, self.refs, self.words = xp, refs, words

    def tile(self, e: Any, names: dict[str, Any]) -> Any:
        xp, kind = self.xp, e[0]
        if kind == "name":
            return names[e[1]]
        if kind == "read":
            return self.refs[e[1]][...] if xp is jnp else self.refs[e[1]].copy()
        if kind == "fill":
            return xp.zeros((ROWS, COLUMNS), np.int32) + self.integer(e[1], names)
        if kind == "roll":
            x = self.tile(e[1], names)
            return xp.concatenate([x[e[2] :], x[: e[2]]], 0)
        if kind == "row":
            return xp.zeros((ROWS, COLUMNS), np.int32) + xp.max(self.tile(e[1], names), axis=1 if e[2] == "max" else 0, keepdims=True)
        parts = [self.tile(part, names) for part in e[1:]]
        if kind == "where":
            return xp.where(parts[0] > 3, parts[1], parts[2])
        return parts[0] + parts[1] if kind == "+" else parts[0] - parts[1] if kind == "-" else xp.maximum(*parts)

    def integer(self, e: Any, names: dict[str, Any]) -> Any:
        xp, kind = self.xp, e[0]
        if kind == "name":
            return names[e[1]]
        if kind == "word":
            return self.words[e[1]]
        if kind == "number":
            return jnp.int32(e[1]) if xp is jnp else np.int32(e[1])
        a, b = (self.integer(part, names) for part in e[1:])
        if kind == "%":
            return a % xp.maximum(b, 1)
        return a + b if kind == "+" else a - b if kind == "-" else xp.maximum(a, b)

    def block(self, block: list[Statement], names: dict[str, Any]) -> None:
        for statement in block:
            kind = statement[0]
            if kind == "tile":
                names[statement[1]] = self.tile(statement[2], names)
            elif kind == "integer":
                names[statement[1]] = self.integer(statement[2], names)
            elif kind == "word":
                self.words[statement[1]] = self.integer(statement[2], names)
            elif kind == "store":
                self.refs[statement[1]][...] = self.tile(statement[2], names)
            elif kind == "rows":
                at = self.integer(statement[2], names) % ROWS
                self.refs[statement[1]][at] = self.tile(statement[3], names)[2]
            elif kind == "if":
                self._branch(statement, names)
            else:
                self._loop(statement, names)

    def _handed(self, names: dict[str, Any], *blocks: list[Statement]) -> list[str]:
        return sorted(set().union(*map(assigned, blocks)) & set(names))

    def _after(self, block: list[Statement], names: dict[str, Any], handed: list[str]) -> Callable[[], Any]:
        def run() -> Any:
            inner = dict(names)
            self.block(block, inner)
            return tuple(inner[n] for n in handed)

        return run

    def _branch(self, statement: Statement, names: dict[str, Any]) -> None:
        handed = self._handed(names, statement[2], statement[3])
        yes, no = (self._after(b, names, handed) for b in statement[2:4])
        asked = self.integer(statement[1], names) > 2
        found = lax.cond(asked, yes, no) if self.xp is jnp else (yes if asked else no)()
        names.update(zip(handed, found))

    def _loop(self, statement: Statement, names: dict[str, Any]) -> None:
        handed = self._handed(names, statement[2])

        def turn(i: Any, carried: Any) -> Any:
            return self._after(statement[2], {**names, **dict(zip(handed, carried)), "i": i}, handed)()

        carried = tuple(names[n] for n in handed)
        if self.xp is jnp:
            carried = lax.fori_loop(0, statement[1], turn, carried)
        else:
            for i in range(statement[1]):
                carried = turn(np.int32(i), carried)
        names.update(zip(handed, carried))


def kernel_of(program: list[Statement]) -> Callable[..., None]:
    def kernel(words_in, x_ref, a_ref, b_ref, words_ref):
        for at in range(WORDS):
            words_ref[at] = words_in[at]
        a_ref[...] = x_ref[...]
        b_ref[...] = x_ref[...] * 2
        Runner(jnp, [a_ref, b_ref], words_ref).block(program, {})

    return kernel


def by_hand(program: list[Statement], words: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    refs, kept = [x.copy(), x * 2], words.copy()
    with np.errstate(over="ignore"):
        Runner(np, refs, kept).block(program, {})
    return [*refs, kept]


__all__ = ["Maker", "by_hand", "jax", "kernel_of"]
