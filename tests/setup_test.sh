#!/usr/bin/env bash
# An old tool is named with the version that is needed, before the build fails over it.
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
