#!/usr/bin/env bash
# install_test.sh BUILD_FOLDER: installs the build, runs the installed command, builds and runs examples/embed against the package, and compiles every
# installed header there.
set -euo pipefail
build=$1
source_root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
for notice in LICENSE THIRD_PARTY_NOTICES; do test -s "$work/prefix/share/doc/tessera/$notice"; done
"$work/prefix/bin/gmm-run" gmm --group-sizes 8,8 --k 16 --n 16 >"$work/run.txt"
grep -q '^ok ' "$work/run.txt" || { cat "$work/run.txt"; exit 1; }
[ ! -e "$work/prefix/tessera" ] || { echo 'the Python module is installed, which is for pip alone'; exit 1; }
# A copy, so that no file of the source tree is found by accident.
cp -r "$source_root/examples/embed" "$work/embed"
(cd "$work/prefix/include" && find tessera -name '*.h' | LC_ALL=C sort | sed 's/.*/#include <&>/') >"$work/embed/headers.cpp"
[ "$(wc -l <"$work/embed/headers.cpp")" -gt 50 ] || { echo 'headers are not installed'; exit 1; }
printf 'add_library(headers OBJECT headers.cpp)\ntarget_link_libraries(headers PRIVATE tessera::tessera)\n' \
  >>"$work/embed/CMakeLists.txt"
cmake -S "$work/embed" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" "${@:2}"
cmake --build "$work/build"
"$work/build/embed"
