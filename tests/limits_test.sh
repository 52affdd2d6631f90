#!/usr/bin/env bash
# limits_test.sh GMM_RUN SANITIZED: runs that are ended by missing memory or by signals have exit code 3 and complete JSON,
# and no output is lost. SANITIZED 1: skips memory limits, because sanitizers reserve more memory than they use.
set -euo pipefail
gmm_run=$1
sanitized=$2
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
fields=$here/json_field.cmake
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TESSERA_CACHE=$work/cache
ulimit -c 0

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# field NAME: prints a field of the JSON output.
field() {
  cmake -DFILE=out.json -DNAME="$1" -P "$fields"
}

# expect NAME CODE STATUS: checks the exit code of the last command and the status in its JSON.
expect() {
  [[ $code == "$2" ]] || fail "$1: exit code $code, expected $2: $(head -c 400 err.txt)"
  [[ $(field status) == "$3" ]] || fail "$1: status $(field status), expected $3"
}

cat >endless.tsr <<'END'
kernel k()
  out o: i64[1] smem
  sem s: count
{
  for i in 4611686018427387904 {
    signal s, 1
    wait s, 1
  }
}
END
cat >semaphores.tsr <<'END'
kernel k()
  sem s[1048576]: count
{
  signal s[0], 1
  wait s[0], 1
}
END

# A ring permute for four devices, with one task per device.
cp "$here/../examples/right_permute.tsr" permute.tsr

# sized COMMAND...: sizes beyond any memory are bad input or missing memory, never an internal error or a hang.
sized() {
  code=0
  (ulimit -v 2000000 && timeout 20 "$gmm_run" "$@" >out.json 2>err.txt) || code=$?
  [[ $code -le 3 && $code != 0 ]] || fail "$*: exit code $code: $(head -c 400 err.txt)"
}

limited() { # KIB COMMAND...: runs the command under ulimit -v
  code=0
  (ulimit -v "$1" && timeout 120 "$gmm_run" "${@:2}" --json >out.json 2>err.txt) || code=$?
}

if [[ $sanitized == 0 ]]; then
  limited 2000000 gmm --m 8192 --groups 8 --k 8192 --n 8192 --dtype f32 --interpret
  expect "operands that do not fit" 3 environment
  grep -q 'ulimit -v' out.json || fail "the limit is not named"
  limited 600000 verify endless.tsr --interpret
  expect "a record that does not fit" 3 budget
  [[ $(field verdict) == explored && $(field why) == budget ]] || fail "verdict"
  # If threads cannot be created, fewer are used. Missing memory is reported.
  for memory in 8M 10M 12M; do
    code=0
    timeout 20 "$gmm_run" run permute.tsr --devices 4 --device threads --max-memory $memory --json \
      >out.json 2>err.txt || code=$?
    [[ $code == 0 || $code == 3 ]] || fail "threads with $memory: exit code $code: $(head -c 400 err.txt)"
  done
  for kib in 70000 600000; do
    code=0
    (ulimit -v $kib && timeout 20 "$gmm_run" run permute.tsr --devices 4 --device threads --threads 64 --json \
      >out.json 2>err.txt) || code=$?
    [[ $code == 0 || $code == 3 ]] || fail "64 threads with $kib KiB: exit code $code: $(head -c 400 err.txt)"
  done
  limited 4194304 run semaphores.tsr --devices 256 --interpret
  expect "semaphores of 256 devices" 1 finding
  code=0
  timeout 120 "$gmm_run" verify endless.tsr --max-memory 400M --json >out.json 2>err.txt || code=$?
  expect "--max-memory" 3 budget
fi

# await_begin PID: waits until the process catches signals (bits 1 and 14 of the mask), and half a second longer.
await_begin() {
  until ((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status") & 0x4002)); do sleep 0.05; done
  sleep 0.5
}

# interrupted NAME COMMAND...: sends $signal once the command has begun.
interrupted() {
  "$gmm_run" "${@:2}" --json >out.json 2>err.txt &
  local pid=$!
  await_begin $pid
  kill -"$signal" $pid
  code=0
  wait $pid || code=$?
  expect "$1" 3 interrupted
}

signal=INT
interrupted "run" run endless.tsr --interpret --no-verify --save-schedule s.txt
[[ $(field findings) == "[]" ]] || fail "findings"
[[ $(field ended) == *'"by" : "signal"'* ]] || fail "what ended it: $(field ended)"
grep -q '^steps:dev0.core0\*[0-9]' s.txt || fail "the schedule is not saved as far as it went"
interrupted "verify" verify endless.tsr
[[ $(field verdict) == explored && $(field why) == interrupted ]] || fail "verdict"
interrupted "fuzz" fuzz --minutes 60
interrupted "diff" diff endless.tsr endless.tsr
interrupted "equal" equal endless.tsr endless.tsr
interrupted "graph" graph endless.tsr
interrupted "why" why endless.tsr --of 'o[0]'
interrupted "bench" bench --suite interp --seconds 60
interrupted "filling" gmm --m 8192 --groups 4 --k 8192 --n 8192 --interpret
signal=TERM
interrupted "run" run endless.tsr --interpret --no-verify --trace t.txt
grep -q 'dev0.core0' t.txt || fail "the trace is not written as far as it went"

# Progress is only shown on a terminal.
[[ ! -s err.txt ]] || fail "progress without a terminal: $(head -c 200 err.txt)"
script -qec "timeout -s INT 4 $gmm_run run endless.tsr --interpret --no-verify" /dev/null >shown.txt || true
grep -q 'running: [0-9.]* .*steps, [0-9.]* .*a second, [0-9]* s' shown.txt || fail "no progress is shown"
grep -q 'interrupted' shown.txt || fail "no report after the progress"

# A second signal ends the process immediately.
"$gmm_run" run endless.tsr --interpret >/dev/null 2>&1 &
pid=$!
await_begin $pid
kill -INT $pid
sleep 0.5
kill -INT $pid 2>/dev/null || true
code=0
wait $pid || code=$?
[[ $code == 3 || $code == 130 ]] || fail "two signals: exit code $code"

# timeout(1) sends two signals immediately after each other; they count as one request.
for _ in 1 2 3; do
  code=0
  timeout -s TERM 1 "$gmm_run" run endless.tsr --interpret --json >out.json 2>err.txt || code=$?
  [[ $code == 124 && $(field status) == interrupted ]] || fail "under timeout: exit code $code"
done
# Sizes that overflow 64 bits, in all operations, as runs and as proofs.
if [[ $sanitized == 0 ]]; then
  while read -r -a words; do
    for size in 4294967296 9223372036854775807; do
      sized "${words[@]//SIZE/$size}" --interpret
      sized verify "${words[@]//SIZE/$size}"
    done
  done <<'END'
gmm --m SIZE --k SIZE --n SIZE --groups 4 --group-sizes uniform
tgmm --m SIZE --k SIZE --n SIZE --groups 4 --group-sizes uniform
all-gather --m SIZE --n SIZE
all-reduce --m SIZE --n SIZE
reduce-scatter --m SIZE --n SIZE
right-permute --m SIZE --n SIZE
ag-matmul --m SIZE --k SIZE --n SIZE
ag-matmul --gather m --m SIZE --k SIZE --n SIZE
matmul-rs --m SIZE --k SIZE --n SIZE
ring-of-experts --m SIZE --k SIZE --n SIZE --groups 8
ring-of-experts --m 8 --k 32 --n 16 --groups SIZE
sharded-gmm --m SIZE --k SIZE --n SIZE --groups 8
ep-gmm --m SIZE --k SIZE --n SIZE --groups 8
ep-gmm --m SIZE --k SIZE --n SIZE --groups 8 --top-k 2
ragged-all-to-all --m SIZE --n SIZE
ragged-dot --lhs-shape SIZE,SIZE --rhs-shape 4,SIZE,SIZE --groups 4 --group-sizes uniform
END
fi
echo ok
