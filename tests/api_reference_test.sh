#!/usr/bin/env bash
# api_reference_test.sh WORK: checks a header with all kinds of comments. Exactly the declarations without a comment must be
# reported.
set -euo pipefail
work=$1
source_root=$(cd -P "${BASH_SOURCE[0]%/*}/.." && pwd)
if ! command -v doxygen >/dev/null; then
  printf 'api_reference: Skipped\nDoxygen is not here (the package doxygen)\n'
  exit
fi
rm -rf "$work"
mkdir -p "$work/core" "$work/docs"
cp -r "$source_root/docs/api" "$work/docs"
printf '// Not public.\n#pragma once\nint inner();\n' >"$work/core/inner.h"
cat >"$work/core/sample.h" <<'END'
// A sample.
#pragma once  // public
#include "core/inner.h"
namespace tessera {
// Both of *these*, <b> and @all; `code` too.
int first();
int second(int a = 1);

int missing_function();
// A type.
struct Sample {
  int a = 0, b = 0;  // each
  int missing_field = 0;
  // Written below.
  int c =
      1;
  Sample() = default;
  // With a body.
  int sum() const {
    // Inside.
    int result = a + b;
    return result + c;
  }

  int missing_member() const { return 0; }  // NOLINT
  // Values x and y.
  enum class Kind { x, y } kind = Kind::x;

 private:
  int hidden_ = 0;
};
enum class missing_kind { x, y };
}  // namespace tessera
END
outcome=0
cmake "-DSOURCE=$work" "-DOUTPUT=$work/api" -DVERSION=1 -P "$source_root/cmake/api_reference.cmake" \
  >"$work/log" 2>&1 || outcome=$?
[ "$outcome" != 0 ] || { echo 'nothing is missing'; exit 1; }
named=$(sed -nE 's/.*sample\.h:([0-9]+): error: Member (missing_[a-z]+).* is not documented.*/\1 \2/p' "$work/log" | sort -n)
expected='9 missing_function
13 missing_field
25 missing_member
32 missing_kind'
[ "$named" = "$expected" ] || { cat "$work/log"; exit 1; }
[ "$(grep -c ': error: ' "$work/log")" = 4 ] || { cat "$work/log"; exit 1; }
[ ! -e "$work/api/html/inner_8h.html" ] || { echo 'a header that is not public is in the reference'; exit 1; }
