#!/usr/bin/env bash
# All checks that require a GPU. Two steps, because the machine with the GPU may have no build tools:
#   scripts/gpu_check.sh pack FOLDER                 on this machine: copies programs, their libraries and this script
#   FOLDER/gpu_check.sh run RESULTS [PHASE...]       on the GPU machine: each phase takes less than ten minutes
# Phases: facts, correct, sanitize, time, peers. Default: all, in this order; if results are wrong, nothing is timed.
# Environment variables, with defaults:
#   SHAPES='S4 S8'      shapes to time (all)
#   SECONDS_EACH        seconds per measurement (1)
#   JOBS                number of concurrent processes that check results (8)
#   LIMIT               maximum number of seconds per process (300)
# Writes logs, JSON, a table and a plot to RESULTS. Uses compute-sanitizer, PyTorch and JAX if they are installed.
set -uo pipefail
shapes=${SHAPES:+"^(${SHAPES// /|})(_|\$)"}

pack() {
  local folder=$1 root
  root=$(cd -P "${BASH_SOURCE[0]%/*}/.." && pwd)
  local from=${BUILD:-$root/build/release}/bin
  mkdir -p "$folder/lib"
  for program in gmm-run tessera_unit_tests; do
    [ -x "$from/$program" ] || { echo "$from/$program is not there: build with -DTESSERA_TESTS=ON"; return 1; }
    cp "$from/$program" "$folder/" && strip "$folder/$program"
    # Copies all libraries except the standard C libraries and the driver, which the other machine provides.
    ldd "$from/$program" | awk '$3 ~ /^\// {print $3}' |
      grep -v -E '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|cuda))\.so' | xargs -I{} cp -Ln {} "$folder/lib/"
  done
  cp "$root/scripts/gpu_check.sh" "$root/LICENSE" "$root/THIRD_PARTY_NOTICES" "$folder/"
  cp "$root"/tests/bench/peers/{moe_frameworks,arm,cublas_lt,jax_pallas,triton_grouped}.py "$folder/"
  du -sh "$folder"
}

facts() {
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.draw,power.limit,temperature.gpu \
    --format=csv | tee "$results/gpu.csv"
  "${ours[@]}" "$here/gmm-run" list | sed -n '/^devices/,/^profiles/p'
  "${ours[@]}" "$here/gmm-run" gmm --group-sizes 100,150,50 --k 64 --n 32 --device cuda
}

# Each shard is a separate process, so that a kernel that faults or hangs does not affect the tests of other shards.
correct() {
  # Ragged groups, a thousand random problems with every configuration, poisoned results, bitwise equal repetitions.
  local shards=${JOBS:-8} outcome=0 shard
  rm -f "$results"/correct.*.log
  for shard in $(seq 0 $((shards - 1))); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard timeout -k 5 "${LIMIT:-300}" "${ours[@]}" "$here/tessera_unit_tests" \
      --gtest_filter='*CudaDevice*:*CudaGraphDevice*:CudaTuningDevice.*:CudaEmbed.*:CudaGroupedGemm.the_callers*' \
      >"$results/correct.$shard.log" 2>&1 &
  done
  for shard in $(jobs -p); do wait "$shard" || outcome=1; done
  cat "$results"/correct.*.log >"$results/correct.log"
  grep -h -E '^\[  (PASSED|FAILED)  \]' "$results/correct.log" | sort | uniq -c
  grep -q -F '[  SKIPPED ]' "$results/correct.log" && { echo "skipped: there is no GPU"; return 3; }
  [ "$(grep -c -E '^\[  PASSED  \]' "$results/correct.log")" = "$shards" ] || { echo "not every process ended"; outcome=1; }
  return $outcome
}

sanitized() {
  local log=$results/sanitize.$1.log outcome
  # shellcheck disable=SC2086
  timeout -k 5 "${LIMIT:-300}" "${ours[@]}" compute-sanitizer --tool "$2" --error-exitcode 9 \
    "$here/gmm-run" $3 --device cuda >"$log" 2>&1
  outcome=$?
  printf '%s, %s: exit %d, %s\n' "$2" "$3" "$outcome" "$(tail -n 1 "$log")"
  [ "$outcome" = 0 ] || : >"$results/sanitize.$1.failed"
}

sanitize() {
  command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer is not here"; return 0; }
  rm -f "$results"/sanitize.*
  local sizes="--group-sizes 100,150,50,0,130 --k 208 --n 520" number=0 tool operation
  for tool in memcheck racecheck synccheck; do
    for operation in "gmm --out-dtype bf16 $sizes" "gmm --transpose-rhs $sizes" "gmm --tiling 16,64,128 --buffers 6 $sizes" \
      "gmm --dtype e4m3 --transpose-rhs $sizes" "tgmm $sizes" "all-reduce --devices 4 --m 16 --n 136" \
      "ag-matmul --devices 4 --m 72 --k 256 --n 128 --tiling 24,64,64"; do
      number=$((number + 1))
      sanitized $number "$tool" "$operation" &
      while [ "$(jobs -pr | wc -l)" -ge "${JOBS:-8}" ]; do wait -n; done
    done
  done
  wait
  ! compgen -G "$results/sanitize.*.failed" >/dev/null
}

time_() {
  # Records clocks and power during the run: only ratios within one run are comparable, not times of two runs.
  nvidia-smi --query-gpu=timestamp,clocks.sm,power.draw,temperature.gpu,clocks_event_reasons.active \
    --format=csv -lms 500 >"$results/clocks.csv" 2>/dev/null &
  local watcher=$!
  # If it is interrupted, it reports the rows measured so far.
  timeout -s INT -k 30 "${LIMIT:-300}" "${ours[@]}" "$here/gmm-run" bench --suite moe --device cuda \
    --filter "$shapes" --seconds "${SECONDS_EACH:-1}" --json \
    >"$results/moe.json" 2>"$results/moe.err"
  local outcome=$?
  kill "$watcher" 2>/dev/null
  grep -q '"rows"' "$results/moe.json" || { cat "$results/moe.json" "$results/moe.err"; return $outcome; }
  "${ours[@]}" "$here/gmm-run" bench --from "$results/moe.json" --plot "$results/moe.svg" | tee "$results/moe.txt"
  return $outcome
}

peers() {
  python3 -c 'import torch' 2>/dev/null || { echo "PyTorch is not here"; return 0; }
  python3 "$here/moe_frameworks.py" --filter "$shapes" --rounds 10 --json "$results/frameworks.json" \
    2>&1 | tee "$results/frameworks.txt"
}

case ${1:-} in
  pack) pack "${2:?a folder}" ;;
  run)
    here=$(cd -P "${BASH_SOURCE[0]%/*}" && pwd)
    results=${2:?a folder for the results}
    mkdir -p "$results"
    # Only for the copied programs: their libraries may be too old for the machine's own programs.
    ours=(env "LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}")
    export TESSERA_CACHE=${TESSERA_CACHE:-$results/cache}
    shift 2
    [ $# -gt 0 ] || set -- facts correct sanitize time peers
    for phase in "$@"; do
      begin=$SECONDS
      case $phase in facts | correct | sanitize | peers) $phase ;; time) time_ ;; *) echo "no phase $phase"; exit 2 ;; esac
      outcome=$?
      printf '%s: exit %d after %d s\n' "$phase" "$outcome" $((SECONDS - begin)) | tee -a "$results/summary.txt"
      case $outcome,$phase in 0,*) ;; *,facts) exit "$outcome" ;; *,correct) echo "not timed: results are wrong"; exit "$outcome" ;; esac
    done ;;
  *) sed -n '2,/^set/{/^set/!s/^# \?//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
