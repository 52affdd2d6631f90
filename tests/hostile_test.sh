#!/usr/bin/env bash
# hostile_test.sh GMM_RUN [CASE...]: what the command line makes of hostile files, names, folders and signals, as a
# shell sees it: the exit code, JSON on standard output, and that nothing is lost. All cases without names.
set -uo pipefail
gmm_run=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TESSERA_CACHE=$work/cache
umask 022
ulimit -c 0
failures=0
small=(gmm --m 256 --groups 2 --k 64 --n 64 --interpret --no-math)
# So long that whoever ends in time did not run it.
long=(gmm --m 1000000 --groups 4 --k 4096 --n 65536 --interpret)

fail() {
  echo "FAILED: $case_name: $*"
  failures=$((failures + 1))
}

# expect CODE COMMAND...: runs it for at most 60 s; what it says is in out and err.
expect() {
  local wanted=$1 code=0
  shift
  timeout 60 "$@" >out 2>err </dev/null || code=$?
  [ "$code" = "$wanted" ] || fail "exit code $code, not $wanted, of ${*:0:200}: $(head -c 300 out err)"
}

# says TEXT: in what the last command wrote.
says() { grep -qF -- "$1" out err || fail "it does not say '$1': $(head -c 600 out err)"; }

# says_status WORD: standard output is one JSON object with this status. That it is valid JSON, the unit tests ask a parser.
says_status() {
  [ "$(head -c 1 out)$(tail -c 2 out)" = "{}" ] || fail "standard output is no object: $(head -c 300 out)"
  grep -q "^  \"status\": \"$1\"" out || fail "the status is not $1: $(head -c 300 out)"
}

# many COUNT TEXT: the text as often.
many() { awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; ++i) printf "%s", text }'; }

# numbered COUNT FORMAT: the format with 0, 1, ...
numbered() { awk -v count="$1" -v format="$2" 'BEGIN { for (i = 0; i < count; ++i) printf format, i }'; }

# holds FILE TEXT: the file is what it was.
holds() { [ "$(cat "$1" 2>&1)" = "$2" ] || fail "$1 is not what it was: $(head -c 200 "$1" 2>&1)"; }

# only FILE...: nothing else lies in this folder.
only() {
  local found
  found=$(find . -mindepth 1 -maxdepth 1 ! -name out ! -name err ! -name cache -printf '%f\n' | sort | tr '\n' ' ')
  [ "$found" = "$(printf '%s\n' "$@" | sort | sed '/^$/d' | tr '\n' ' ')" ] || fail "there are also: $found"
}

many_kernels() {
  numbered 20000 'kernel k%d()\n{\n}\n' >m.tsr
  expect 0 timeout 20 "$gmm_run" check m.tsr
  (echo 'kernel k()' && numbered 50000 '  in a%d: f32[8, 128] hbm\n' && printf '{\n}\n') >o.tsr
  expect 0 timeout 20 "$gmm_run" check o.tsr
}

cases=(many_kernels)
[ $# -gt 1 ] && cases=("${@:2}")
for case_name in "${cases[@]}"; do
  rm -rf -- "$work"/*
  "$case_name"
done
[ $failures = 0 ] && echo "ok: ${#cases[@]} cases"
exit $((failures > 0))
