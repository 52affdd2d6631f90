#!/usr/bin/env bash
# Everything that waits for a GPU, in one go: scripts/gpu_check.sh FOLDER [FILTER]
# Correctness first (ragged groups, every layout and type, against the reference), then the sanitizer, then
# times beside the peers. Results and logs go to FOLDER; the last lines are a summary. FILTER chooses the
# shapes that are timed, for instance 'S(4|8|10|24)_'.
set -uo pipefail
cd -P "${BASH_SOURCE[0]%/*}/.."
folder=${1:?a folder for the results} filter=${2:-}
program=${GMM_RUN:-build/release/bin/gmm-run}
mkdir -p "$folder"
nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu --format=csv | tee "$folder/gpu.csv"

passed=0 failed=0
try() {
  if "$program" "$@" --device cuda --json >>"$folder/cases.jsonl" 2>>"$folder/cases.err"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: gmm-run %s --device cuda\n' "$*" | tee -a "$folder/failed.txt"
  fi
}
sizes=("128,256" "100,150,50" "5,0,130,64,1,0,63" "0,0,0" "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
  "0,1,7,8,15,16,17,63,64,65,127,128,129,255,256,257" "300" "0,0,700,0")
for list in "${sizes[@]}"; do
  for k in 64 72 200 1416; do
    for n in 8 136 256 1408; do
      for fill in integers normal; do
        shape=(--group-sizes "$list" --k "$k" --n "$n" --fill "$fill")
        try gmm "${shape[@]}" --out-dtype bf16
        try gmm "${shape[@]}" --transpose-rhs
        try tgmm "${shape[@]}"
      done
    done
  done
  try gmm --group-sizes "$list" --k 200 --n 136 --dtype f16 --out-dtype f16 --existing-out accumulate
  try gmm --group-sizes "$list" --k 200 --n 136 --existing-out overwrite
  for tiling in 16,64,128 32,64,128 64,64,256 128,64,128 256,64,128; do
    try gmm --group-sizes "$list" --k 328 --n 264 --tiling "$tiling" --buffers 3 --fill integers
  done
done
for seed in $(seq 1 40); do
  try gmm --m 3000 --groups 40 --group-sizes zipf:1.2 --k 392 --n 520 --seed "$seed" --fill integers
  try tgmm --m 3000 --groups 40 --group-sizes multinomial --k 136 --n 264 --seed "$seed" --fill integers
done
printf 'correctness: %d passed, %d failed\n' "$passed" "$failed"

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" gmm --group-sizes 100,150,50 --k 200 --n 264 \
      --out-dtype bf16 --device cuda >"$folder/$tool.log" 2>&1
    printf '%s: exit %d, %s\n' "$tool" $? "$(tail -n 1 "$folder/$tool.log")"
  done
else
  echo "compute-sanitizer is not here"
fi

[ "$failed" = 0 ] || { echo "not timed: results are wrong"; exit 1; }
"$program" bench --suite moe --device cuda --filter "$filter" --seconds 2 --json >"$folder/moe.json" 2>"$folder/moe.err"
printf 'bench: exit %d\n' $?
python3 tests/bench/peers/moe_frameworks.py --filter "${filter//_/\$}" --json "$folder/frameworks.json" >"$folder/frameworks.txt" 2>&1
printf 'frameworks: exit %d\n' $?
python3 - "$folder" <<'END'
import json, sys
try:
    rows = json.load(open(sys.argv[1] + "/moe.json"))["rows"]
except (OSError, ValueError) as problem:
    sys.exit(f"no table: {problem}")
for row in rows:
    ours = row["seconds"]["median"]
    peers = ", ".join(f"{name} {t['median'] / ours:.3f}" for name, t in row["peers"].items())
    print(f"{row['name']:8} {ours * 1e3:9.3f} ms {row['rate']:6.0f} TFLOP/s; peers' time over ours: {peers}; {row['check']}")
END
