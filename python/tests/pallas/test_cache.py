"""Cached verdicts: only this user's own, unchanged entries are read; everything else is a miss and no exception."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tessera.pallas
from tessera import _tessera
from tessera.pallas import cache
from test_coverage import X, racy, twice

STRANGER = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")


class Entry:
    """The entry of a racy kernel in a folder of its own, and a forged text that says it is proved."""

    def __init__(self, home: Path):
        self.folder = home / "tessera" / "pallas"
        assert tessera.pallas.verify(racy, X).status == "refuted"
        (self.path,) = self.folder.iterdir()
        self.name = self.path.stem
        self.value, note = cache.load(self.name, dict)
        assert note == "" and self.value["status"] == "refuted"
        self.forged = self.text({**self.value, "status": "proved", "findings": [], "complete": True})

    def text(self, value: object) -> bytes:
        return self.signed(json.dumps(value).encode())

    def signed(self, text: bytes) -> bytes:
        return cache._head(self.name, text) + b"\n" + text


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Entry]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TESSERA_CACHE", raising=False)
    yield Entry(tmp_path)


def verdict_of(entry: Entry, reason: str) -> None:
    """The kernel is refuted as before, and the report names the entry that was not used."""
    verdict = tessera.pallas.verify(racy, X)
    assert verdict.status == "refuted" and not verdict.sites[0].from_cache, verdict
    assert f"note: the cache's {'folder' if 'folder' in reason else 'entry'} {entry.folder}" in str(verdict)
    assert reason.removeprefix("folder: ") in str(verdict), verdict


def test_an_entry_of_this_user_is_read(entry):
    entry.path.write_bytes(entry.forged)  # who can write it may forge it
    assert tessera.pallas.verify(racy, X).sites[0].from_cache


@needs_root
def test_an_entry_of_another_user_is_a_miss(entry):
    entry.path.write_bytes(entry.forged)
    os.chown(entry.path, STRANGER, STRANGER)
    verdict_of(entry, f"it is owned by user {STRANGER}")


def test_an_entry_that_others_may_write_is_a_miss(entry):
    entry.path.write_bytes(entry.forged)
    entry.path.chmod(0o666)
    verdict_of(entry, "other users may write to it")


def test_an_entry_in_a_folder_that_others_may_write_is_a_miss(entry):
    entry.path.write_bytes(entry.forged)
    entry.folder.chmod(0o777)
    verdict_of(entry, "folder: other users may write to it")


@needs_root
def test_an_entry_in_a_folder_of_another_user_is_a_miss(entry):
    entry.path.write_bytes(entry.forged)
    os.chown(entry.folder, STRANGER, STRANGER)
    verdict_of(entry, "folder: it is owned by user")


def test_a_link_is_a_miss(entry, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(entry.forged)
    entry.path.unlink()
    entry.path.symlink_to(elsewhere)
    verdict_of(entry, "not a regular file")
    assert elsewhere.read_bytes() == entry.forged and not entry.path.is_symlink()  # replaced, not followed


def test_a_pipe_is_a_miss_and_is_not_waited_for(entry):
    entry.path.unlink()
    os.mkfifo(entry.path)
    verdict_of(entry, "a pipe")


def test_a_folder_with_the_name_of_an_entry_is_a_miss_and_no_temporary_file_stays(entry):
    entry.path.unlink()
    entry.path.mkdir()
    verdict_of(entry, "not a regular file")
    assert list(entry.folder.iterdir()) == [entry.path] and entry.path.is_dir()


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", "7", '"x"', "null", "[" * 100_000, '{"a":' * 100_000, "NaN", "", "\xff"],
    ids=["list", "object", "number", "text", "null", "deep lists", "deep objects", "NaN", "nothing", "no JSON"],
)
@pytest.mark.parametrize("signed", [False, True], ids=["as of an older version", "with a checksum"])
def test_a_text_that_is_no_verdict_is_a_miss(entry, text, signed):
    content = text.encode("latin-1")
    entry.path.write_bytes(entry.signed(content) if signed else content)
    verdict_of(entry, "is not used: it is not a verdict of this version")


@pytest.mark.parametrize(
    "change",
    [
        {"status": "splendid"},
        {"status": 7},
        {"status": []},
        {"findings": None},
        {"findings": [None]},
        {"findings": [{}]},
        {"numbers": {}},
        {"numbers": None},
        {"conditions": [7]},
        {"what": None},
        {"certificate": []},
        {"complete": 1},
        {"more": 1},
    ],
    ids=str,
)
def test_a_member_of_another_type_is_a_miss(entry, change):
    entry.path.write_bytes(entry.text({**entry.value, **change}))
    verdict_of(entry, "is not used: it is not a verdict of this version")


def test_a_changed_or_moved_entry_is_a_miss(entry):
    whole = entry.path.read_bytes()
    for at in (0, len(whole) // 2, len(whole) - 1):
        entry.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        verdict_of(entry, "is not used: it is not a verdict of this version")
    assert tessera.pallas.verify(twice, X).proved
    other = next(path for path in entry.folder.iterdir() if path != entry.path)
    entry.path.write_bytes(other.read_bytes())
    verdict_of(entry, "is not used: it is not a verdict of this version")


def test_a_file_that_is_too_large_is_a_miss(entry):
    with entry.path.open("wb") as file:
        file.truncate(1 << 40)
    verdict_of(entry, "is not used")
    assert _tessera.write_cached("pallas", "large", bytes(17 << 20)) == "it is too large"


def test_without_a_folder_nothing_is_stored(entry, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "")
    assert _tessera.cache_path("pallas") == ""
    assert tessera.pallas.verify(racy, X).status == "refuted"


def test_the_key_tells_its_parts_apart():
    assert (
        len(
            {
                cache.key(parts)
                for parts in (["ab", "c"], ["a", "bc"], ["abc"], [np.zeros(2, np.int32)], [np.zeros(1, np.int64)], [np.zeros((1, 2), np.int32)])
            }
        )
        == 6
    )
