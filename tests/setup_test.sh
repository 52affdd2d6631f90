#!/usr/bin/env bash
# A tool that is too old is reported with the required version before the build fails.
set -euo pipefail
root=$(cd -P "${BASH_SOURCE[0]%/*}/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\necho cmake version 3.22.1\n' >"$work/cmake"
chmod +x "$work/cmake"

program=run-tests log=$work/log
. "$root/scripts/setup.sh"
check_versions build
outcome=0
said=$(PATH=$work:$PATH check_versions build 2>&1) || outcome=$?
[ "$outcome" = 3 ] || { echo "exit code $outcome, expected 3"; exit 1; }
[ "$said" = 'run-tests: cmake 3.22.1 is here, 3.25 is needed' ] || { echo "it said: $said"; exit 1; }

# ./gmm-run builds once, even if a source is dated in the future, and again after that source has changed.
mkdir -p "$work/tree"/{scripts,build/release/bin,cmake,docs/reference}
touch "$work/tree"/{CMakePresets.json,scripts/packages.txt,docs/reference/findings.md}
cp "$root/CMakeLists.txt" "$work/tree"
for folder in $(sed -n 's/^add_subdirectory(\(.*\))$/\1/p' "$root/CMakeLists.txt"); do mkdir -p "$work/tree/$folder"; done
cp "$root/gmm-run" "$work/tree/gmm-run"
cat >"$work/tree/scripts/setup.sh" <<'END'
take_lock() { :; }
release_lock() { :; }
install_packages() { :; }
build() {
  echo built >>"$root/builds"
  printf '#!/bin/sh\necho ran\n' >"$binary"
  chmod +x "$binary"
}
END
builds() { wc -l <"$work/tree/builds"; }
touch -d 'now + 2 days' "$work/tree/core/later.cpp"
for expected in 1 1 2 2 3 4; do
  [ "$("$work/tree/gmm-run")" = ran ] || { echo "./gmm-run did not run the program"; exit 1; }
  [ "$(builds)" = "$expected" ] || { echo "./gmm-run built $(builds) times, expected $expected"; exit 1; }
  case $expected-$(builds)-${last:-} in
    1-1-1) touch -d 'now + 3 days' "$work/tree/core/later.cpp" ;;
    2-2-2) sleep 0.02 && touch "$work/tree/cli/now.cpp" ;;
    3-3-*) sleep 0.02 && touch "$work/tree/analysis/now.cpp" ;;
  esac
  last=$expected
done
echo ok
