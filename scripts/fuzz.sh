#!/usr/bin/env bash
# Runs the harnesses of tests/fuzz under libFuzzer, with sanitizers, on one core.
#   scripts/fuzz.sh                     all harnesses; they share one hour
#   scripts/fuzz.sh --minutes 5 NAME... the named harnesses; they share five minutes
#   scripts/fuzz.sh --minimise          also removes inputs from tests/fuzz/corpus that reach nothing new
# Steps: build; create the seeds from the tree (scripts/fuzz_seeds.sh); run; add inputs that reach new edges to the
# archives of tests/fuzz/corpus (scripts/fuzz_corpus.py); print the coverage of seeds and corpus in a build without
# sanitizers. The coverage table counts
#   branches, by llvm-cov: both outcomes of each condition in the source
#   edges, by SanitizerCoverage, in core/, interp/ and analysis/: all control flow in the compiled code, including the
#   paths that unwind an exception
# Each report is a file in build/fuzz-reports/NAME; repeat it with bin/fuzz_NAME of the build `fuzz`. The exit code is 1
# if there are reports.
set -euo pipefail
cd -P "${BASH_SOURCE[0]%/*}/.."
root=$PWD
program=fuzz.sh

minutes=60 minimise= names=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,/^set/{s/^# \?//p}' "$0"; exit 0 ;;
    --minutes) minutes=$2; shift ;;
    --minimise) minimise=1 ;;
    *) names+=("$1") ;;
  esac
  shift
done
if [ ${#names[@]} = 0 ]; then
  for source in tests/fuzz/fuzz_*.cpp; do source=${source##*/fuzz_}; names+=("${source%.cpp}"); done
fi

. scripts/setup.sh
take_lock
install_packages build test ci fuzz
build fuzz fuzz_harnesses
build coverage fuzz_coverage
release_lock

work=$root/build/fuzz-work reports=$root/build/fuzz-reports corpus=$work/corpus
rm -rf "$work"
mkdir -p "$work" "$reports"
# Many input files are created and deleted: keep them in memory if possible.
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
scripts/fuzz_seeds.sh "$work/seeds"
# Callers of allocations that may fail check the result.
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
limits=(-timeout=120 -rss_limit_mb=3000 -malloc_limit_mb=2000 -max_len=4000 -print_funcs=0)

files() { find "$1" -type f 2>/dev/null | wc -l; }

declare -A executions units found
status=0
for name in "${names[@]}"; do
  harness=$root/build/fuzz/bin/fuzz_$name  # absolute: fork mode restarts it from other folders
  mkdir -p "$corpus/$name" "$work/found/$name" "$work/kept/$name" "$work/seeds/$name" "$reports/$name"
  scripts/fuzz_corpus.py unpack "$name" "$corpus/$name"
  before=$(files "$reports/$name")
  seconds=$((minutes * 60 / ${#names[@]}))
  say "$name for $seconds s"
  "$harness" -fork=1 -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 "${limits[@]}" -max_total_time="$seconds" \
    -artifact_prefix="$reports/$name/" "$work/found/$name" "$corpus/$name" "$work/seeds/$name" >"$work/$name.log" 2>&1 || true
  executions[$name]=$(sed -n 's/^#\([0-9]*\): cov:.*/\1/p' "$work/$name.log" | tail -n 1)
  found[$name]=$(($(files "$reports/$name") - before))
  [ "${found[$name]}" = 0 ] || status=1

  # Keep inputs that reach an edge that no seed or earlier input reaches.
  cp -r "$work/seeds/$name/." "$work/kept/$name"
  others=("$work/found/$name")
  if [ -n "$minimise" ]; then
    find "$corpus/$name" -name 'report_*' -exec cp {} "$work/kept/$name" ';'
    mkdir -p "$work/old/$name"
    find "$corpus/$name" -type f ! -name 'report_*' -exec mv {} "$work/old/$name" ';'
    others+=("$work/old/$name")
  else
    cp -r "$corpus/$name/." "$work/kept/$name"
  fi
  (cd "$work/kept/$name" && ls) >"$work/$name.before"
  "$harness" -merge=1 -use_counters=0 "${limits[@]}" "$work/kept/$name" "${others[@]}" >"$work/$name.merge.log" 2>&1 || true
  units[$name]=0
  while read -r input; do
    cp "$work/kept/$name/$input" "$corpus/$name"
    units[$name]=$((units[$name] + 1))
  done < <(cd "$work/kept/$name" && ls | grep -vxF -f "$work/$name.before" || true)
  scripts/fuzz_corpus.py pack "$name" "$corpus/$name"
done

say 'counting what is reached'
counter=build/coverage/bin/fuzz_coverage
for name in "${names[@]}"; do
  mkdir -p "$work/seeds/$name"
  TESSERA_EDGES=$work/edges.$name LLVM_PROFILE_FILE=$work/$name.profraw \
    "$counter" "$name" "$work/seeds/$name" "$corpus/$name" >"$work/$name.coverage.log" 2>&1 ||
    { say "$name: the inputs do not run in the build that counts, see $work/$name.coverage.log"; status=1; }
done
llvm-profdata-14 merge -o "$work/profile" "$work"/*.profraw
cut -d ' ' -f 1 "$work/edges.${names[0]}" >"$work/addresses"
llvm-symbolizer-14 --obj="$counter" --no-inlines --functions=none --output-style=GNU <"$work/addresses" |
  sed "s|$root/build/coverage/\.\./\.\./|$root/|" >"$work/places"

rest='interp|analysis'
# edges FOLDERS NAME...: number of edges in sources of the folders (a|b) that at least one of these harnesses reaches.
edges() {
  local folder=$1 name taken=()
  shift
  for name in "$@"; do taken+=("$work/edges.$name"); done
  paste -d ' ' "${taken[@]}" |
    awk -v folders="^$root/($folder)/" -v places="$work/places" '
      { getline place <places; if (place !~ folders) next
        ++all; for (i = 2; i <= NF; i += 2) if ($i) { ++taken; break } }
      END { printf "%d of %d, %.1f %%", taken, all, all ? 100 * taken / all : 0 }'
}
# counted FOLDERS COLUMN: counts of llvm-cov. Columns 2 and 3: regions, missed regions; 11 and 12: branches, missed branches.
counted() {
  llvm-cov-14 report "$counter" -instr-profile="$work/profile" 2>/dev/null |
    awk -v folders="^($1)/" -v all="$2" '$1 ~ folders { n += $all; missed += $(all + 1) }
      END { printf "%d of %d, %.1f %%", n - missed, n, n ? 100 * (1 - missed / n) : 0 }'
}
printf '\n%-14s %11s %6s %8s  %-24s %-24s\n' harness executions kept reports 'edges of core' 'edges of the rest'
for name in "${names[@]}"; do
  printf '%-14s %11s %6s %8s  %-24s %-24s\n' "$name" "${executions[$name]:-0}" "${units[$name]}" "${found[$name]}" \
    "$(edges core "$name")" "$(edges "$rest" "$name")"
done
printf '%-14s %11s %6s %8s  %-24s %-24s\n' all '' '' '' "$(edges core "${names[@]}")" "$(edges "$rest" "${names[@]}")"
printf '%-42s  %-24s %-24s\n' 'regions, by llvm-cov' "$(counted core 2)" "$(counted "$rest" 2)"
printf '%-42s  %-24s %-24s\n' 'branches, by llvm-cov' "$(counted core 11)" "$(counted "$rest" 11)"
exit "$status"
