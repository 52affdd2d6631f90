#!/usr/bin/env bash
# format_test.sh: every C++ file has the layout of clang-format 14 (.clang-format). Templates of CUDA kernels have a layout of their own.
set -euo pipefail
cd -P "${BASH_SOURCE[0]%/*}/.."
tool=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$tool" ]; then
  printf 'format: Skipped\nclang-format is not installed (the package clang-format-14)\n'
  exit
fi
find core interp analysis debugger text devices kernels bench fuzz cli python tests examples -path devices/cuda/templates -prune -o \
  \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 -n 64 -P "$(nproc)" "$tool" --dry-run -Werror
