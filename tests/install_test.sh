#!/usr/bin/env bash
# install_test.sh BUILD_FOLDER: installs the build, then builds and runs examples/embed against the package.
set -euo pipefail
build=$1
source_root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
for notice in LICENSE THIRD_PARTY_NOTICES; do test -s "$work/prefix/share/doc/tessera/$notice"; done
# A copy, so that nothing of the source tree is found by accident.
cp -r "$source_root/examples/embed" "$work/embed"
cmake -S "$work/embed" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" "${@:2}"
cmake --build "$work/build"
"$work/build/embed"
