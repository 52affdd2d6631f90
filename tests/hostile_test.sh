#!/usr/bin/env bash
# hostile_test.sh GMM_RUN [CASE...]: checks commands with hostile files, names, folders and signals: the exit code, JSON on
# standard output, and that no file is lost. Default: all cases.
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
# Takes too long to run, so a command that ends in time has not run it.
long=(gmm --m 1000000 --groups 4 --k 4096 --n 65536 --interpret)

fail() {
  echo "FAILED: $case_name: $*"
  failures=$((failures + 1))
}

# expect CODE COMMAND...: runs the command for at most 60 s; its output is in the files out and err.
expect() {
  local wanted=$1 code=0
  shift
  timeout 60 "$@" >out 2>err </dev/null || code=$?
  [ "$code" = "$wanted" ] || fail "exit code $code, not $wanted, of ${*:0:200}: $(head -c 300 out err)"
}

# says TEXT: the output of the last command contains the text.
says() { grep -qF -- "$1" out err || fail "it does not say '$1': $(head -c 600 out err)"; }

# says_status WORD: standard output is one JSON object with this status. The unit tests check that it is valid JSON.
says_status() {
  [ "$(head -c 1 out)$(tail -c 2 out)" = "{}" ] || fail "standard output is no object: $(head -c 300 out)"
  grep -q "^  \"status\": \"$1\"" out || fail "the status is not $1: $(head -c 300 out)"
}

# many COUNT TEXT: prints the text COUNT times.
many() { awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; ++i) printf "%s", text }'; }

# numbered COUNT FORMAT: prints the format with 0, 1, ...
numbered() { awk -v count="$1" -v format="$2" 'BEGIN { for (i = 0; i < count; ++i) printf format, i }'; }

# holds FILE TEXT: the file still contains the text.
holds() { [ "$(cat "$1" 2>&1)" = "$2" ] || fail "$1 is not what it was: $(head -c 200 "$1" 2>&1)"; }

# only FILE...: there are no other files in this folder.
only() {
  local found
  found=$(find . -mindepth 1 -maxdepth 1 ! -name out ! -name err ! -name cache -printf '%f\n' | sort | tr '\n' ' ')
  [ "$found" = "$(printf '%s\n' "$@" | sort | sed '/^$/d' | tr '\n' ' ')" ] || fail "there are also: $found"
}

# Creates a tuned cache entry for the small problem; sets `entry` to its name.
tuned_entry() {
  expect 0 "$gmm_run" tune gmm --m 256 --groups 2 --k 64 --n 64 --interpret
  entry=$(ls cache/configurations/*.json)
}

nested_json() {
  local deep
  deep=$(many 100000 "[")$(many 100000 "]")
  echo "{\"block_m\": $deep}" >deep.json
  expect 2 "$gmm_run" "${small[@]}" --json --config deep.json
  says_status bad_input
  says "it nests deeper than 64"
  tuned_entry
  echo "\"q\": $deep," >member
  sed -i '/"config": {/r member' "$entry"
  expect 0 "$gmm_run" cache list --json
  says_status ok
  says "it nests deeper than 64"
  expect 0 "$gmm_run" "${small[@]}"
  says "it nests deeper than 64"
}

clear_takes_its_own() {
  tuned_entry
  echo thesis >cache/configurations/thesis.txt
  echo thesis >cache/thesis
  expect 0 "$gmm_run" cache clear
  says "removed 1 configuration and 0 compiled kernels"
  holds cache/configurations/thesis.txt thesis
  holds cache/thesis thesis
}

outputs_come_first() {
  local option
  for option in --out=/nodir/y.npy --trace=/nodir/t --save-schedule=/nodir/s; do
    expect 3 "$gmm_run" "${long[@]}" --json "$option"
    says_status environment
  done
  expect 2 "$gmm_run" "${long[@]}" --json --out y.txt
  says_status bad_input
  expect 2 "$gmm_run" "${long[@]}" --out y.npy --trace y.npy
  says "--out and --trace both write y.npy"
  only
}

misfits() {
  local change
  tuned_entry
  # Like an entry of another user or an older version. The changed entry does not match its checksum.
  for change in 's/"block_m": 128/"block_m": 1099511627776/' 's/"num_stages": 2/"num_stages": 1024/'; do
    cp "$entry" good
    sed -i "$change" "$entry"
    expect 0 "$gmm_run" "${small[@]}"
    says "$entry is not used"
    mv good "$entry"
  done
}

strange_entries() {
  tuned_entry
  rm "$entry"
  mkfifo "$entry"
  expect 0 "$gmm_run" "${small[@]}"
  says "it is a pipe, not a regular file"
  expect 0 "$gmm_run" cache list --json
  rm "$entry"
  ln -s /dev/zero "$entry"
  expect 0 "$gmm_run" "${small[@]}"
  says "it is a symbolic link, not a regular file"
  rm "$entry"
  echo precious >victim
  ln -s "$work/victim" "$entry"
  expect 0 "$gmm_run" tune gmm --m 256 --groups 2 --k 64 --n 64 --interpret
  holds victim precious
  expect 0 "$gmm_run" "${small[@]}"
  says "from persistent"
  chmod 777 cache/configurations
  expect 0 "$gmm_run" "${small[@]}"
  says "other users may write to it, its mode is 0777"
  expect 3 "$gmm_run" tune gmm --m 256 --groups 2 --k 64 --n 64 --interpret
}

# A run that is killed while it writes: the old file stays complete, and no temporary file is left.
ended_while_writing() {
  local signal pid
  echo old >y.npy
  for signal in TERM HUP KILL; do
    "$gmm_run" gmm --m 4096 --groups 2 --k 8 --n 16384 --dtype f32 --interpret --check none --out y.npy \
      >out 2>err </dev/null &
    pid=$!
    # The file is open from the start but has no name yet. It grows while it is written.
    while kill -0 $pid 2>/dev/null && [ -z "$(find -L /proc/$pid/fd -maxdepth 1 -type f -size +1M 2>/dev/null)" ]; do
      sleep 0.01
    done
    kill -$signal $pid 2>/dev/null || fail "it ended before it wrote: $(head -c 300 out err)"
    { wait $pid; } 2>/dev/null
    only y.npy
    [ -s y.npy ] || fail "y.npy is gone"
  done
}

program_stays() {
  printf 'kernel k()\n  out o: i64[1] smem\n{\n  o[0] = 1\n}\n' >p.tsr
  cp p.tsr kept
  expect 2 "$gmm_run" run p.tsr --interpret --json --trace p.tsr
  says_status bad_input
  says "--trace would replace p.tsr, which the command reads"
  holds p.tsr "$(cat kept)"
}

many_kernels() {
  numbered 20000 'kernel k%d()\n{\n}\n' >m.tsr
  expect 0 timeout 20 "$gmm_run" check m.tsr
  (echo 'kernel k()' && numbered 50000 '  in a%d: f32[8, 128] hbm\n' && printf '{\n}\n') >o.tsr
  expect 0 timeout 20 "$gmm_run" check o.tsr
}

long_filter() {
  expect 2 "$gmm_run" bench --json --filter "$(many 100000 a)"
  says_status bad_input
}

full_disk() {
  (printf 'kernel k()\n  out o: i64[1] smem\n{\n' && many 400 'if device {o[0]=1}\n' && echo '}') >a.tsr
  cp a.tsr kept
  (
    ulimit -f 4
    expect 3 "$gmm_run" fmt --json --write a.tsr
    exit $failures
  )
  failures=$?
  says_status environment
  holds a.tsr "$(cat kept)"
  only a.tsr kept
}

strange_programs() {
  expect 3 "$gmm_run" check /dev/zero --json
  says_status environment
  expect 3 "$gmm_run" check . --json
  says_status environment
  mkfifo pipe
  expect 3 "$gmm_run" verify pipe --json
  says_status environment
  truncate -s 3G large.tsr
  expect 2 "$gmm_run" check large.tsr --json
  says_status bad_input
}

# A program from standard input, also for commands that read it more than once.
standard_input() {
  printf 'kernel k(n = 2)\n  out o: i64[n] smem\n{\n  for i in n { o[i] = i }\n}\n' >k
  expect 0 bash -c '"$0" run - --set n=3 --interpret <k' "$gmm_run"
  says "o i64(3,) = 0 1 2"
  expect 0 bash -c '"$0" verify - --mutants <k' "$gmm_run"
  expect 2 bash -c 'echo "kernel (" | "$0" check -' "$gmm_run"
  says "<standard input>:1:"
  expect 2 bash -c 'head -c 20000000 /dev/zero | "$0" check - --json' "$gmm_run"
  says_status bad_input
  expect 3 bash -c '"$0" check - --json <&-' "$gmm_run"
  says_status environment
}

completes() {
  expect 0 bash -c '. <("$0" completion bash); COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)); _gmm_run; echo "[${COMPREPLY[*]}]"' \
    "$gmm_run" "$@"
  says "[$1]"
}

completion() {
  completes "gmm" gmm-run gm
  completes "--copy-granularity" gmm-run run --copy-g
  completes "whole partial" gmm-run run --copy-granularity ""
  touch kernel.tsr
  completes "kernel.tsr" gmm-run run ker
  expect 0 "$gmm_run" completion zsh
  expect 0 "$gmm_run" completion fish
  says "__fish_seen_subcommand_from verify"
}

cases=(nested_json clear_takes_its_own outputs_come_first misfits strange_entries ended_while_writing program_stays
  many_kernels long_filter full_disk strange_programs standard_input completion)
[ $# -gt 1 ] && cases=("${@:2}")
for case_name in "${cases[@]}"; do
  rm -rf -- "$work"/*
  "$case_name"
done
[ $failures = 0 ] && echo "ok: ${#cases[@]} cases"
exit $((failures > 0))
