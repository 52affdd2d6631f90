#!/usr/bin/env python3
"""The inputs of the fuzz harnesses: tests/fuzz/corpus/NAME.zip, one archive per harness.

    scripts/fuzz_corpus.py add NAME FILE...       adds files under their own names
    scripts/fuzz_corpus.py pack NAME FOLDER       replaces all inputs by the files of a folder
    scripts/fuzz_corpus.py unpack NAME FOLDER     writes all inputs into a folder

Archives depend on the inputs only: entries are sorted, without times or owners.
"""

import sys
import zipfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "tests/fuzz/corpus"


def inputs_of(archive):
    if not archive.exists():
        return {}
    with zipfile.ZipFile(archive) as entries:
        return {name: entries.read(name) for name in entries.namelist()}


def inputs_in(files):
    return {file.name: file.read_bytes() for file in files}


def write(archive, inputs):
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as entries:
        for name, data in sorted(inputs.items()):
            entry = zipfile.ZipInfo(name)  # dated 1980-01-01
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            entries.writestr(entry, data)


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in ("add", "pack", "unpack"):
        sys.exit(__doc__)
    command, name, *paths = arguments
    archive = CORPUS / f"{name}.zip"
    folder = Path(paths[0])
    if command == "add":
        write(archive, inputs_of(archive) | inputs_in(map(Path, paths)))
    elif command == "pack":
        write(archive, inputs_in(folder.iterdir()))
    else:
        folder.mkdir(parents=True, exist_ok=True)
        for entry, data in inputs_of(archive).items():
            (folder / entry).write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1:])
