#!/usr/bin/env bash
# --device mpi on one MPI library, seen from outside.
#   mpi_test.sh openmpi|mpich programs|command|endings FOLDER    where gmm-run and tessera_mpi_tests are
#   mpi_test.sh openmpi|mpich pipelines FOLDER SEED COUNT        random programs of several pipelines
#   mpi_test.sh openmpi|mpich sweep FOLDER SEED [COUNT]          rings of 2 to 16, and random programs, of which
#                                                           some 40 in 100 have a graph
set -uo pipefail
export NO_COLOR=1
# What the libraries of MPI do not give back is not ours.
export ASAN_OPTIONS=detect_leaks=0
library=$1 part=$2 bin=$3
here=${BASH_SOURCE[0]%/*}

skip() { printf 'mpi: Skipped\n%s\n' "$1"; exit 0; }
command -v "mpirun.$library" >/dev/null || skip "there is no mpirun.$library (Debian: openmpi-bin, mpich)"
[ -e "$bin/libtessera_$library.so" ] || skip "the plug-in was not built: there is no lib$library-dev"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { printf 'FAILED: %s\n' "$1"; failed=1; }

# together PROCESSES WORD...: on this machine, whatever its cores.
together() {
  local count=$1
  shift
  if [ "$library" = openmpi ]; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
      mpirun.openmpi --oversubscribe --bind-to none -n "$count" "$@"
  else
    mpirun.mpich -n "$count" "$@"
  fi
}

# shows TEXT FILE: the text stands in the file, so often as the third word says.
shows() {
  local count
  count=$(grep -cF -- "$1" "$2")
  [ "$count" = "${3:-1}" ] || { fail "\"$1\" $count times, expected ${3:-1}"; cat "$2"; }
}

programs() {
  local cases=$here/cases.txt
  for words in "2 cases $cases" "4 --seed 1 cases $cases random 100 10" \
    "8 --seed 2 --delay 200 --limits 96,2,3 cases $cases random 300 10" "3 --seed 4 pipelines 1 100" "2 --seed 3 --limits 40,1,2 random 200 20 cases $cases"; do
    together ${words%% *} "$bin/tessera_mpi_tests" ${words#* } >"$work/out" 2>&1 || fail "$words"
    cat "$work/out"
  done
  awk 'NR % 3 == 0' "$cases" >"$work/few"  # each is run four times
  for words in "2 --check-nodes cases $work/few" "4 --seed 5 --check-nodes cases $work/few random 100 5"; do
    together ${words%% *} "$bin/tessera_mpi_tests" ${words#* } >"$work/out" 2>&1 || fail "$words"
    cat "$work/out"
  done
  ahead
}

# Every collective on rings of 2 to 16 and in an order of its own, and random programs, on 2, 4 and 8 processes.
sweep() {
  local seed=$1 n
  for n in $(seq 2 16); do
    printf '%s --fill integers\n' "right-permute --devices $n --m 8 --n 8 --calls 2" \
      "all-gather --devices $n --m 6 --n 8 --calls 2" "all-gather --devices $n --m 6 --n 8 --directions 1" \
      "all-reduce --devices $n --m $((2 * n)) --n 8" "reduce-scatter --devices $n --m $((2 * n)) --n 8" \
      "ag-matmul --devices $n --m 16 --k $((16 * n)) --n 16 --tiling 8,16,16" \
      "matmul-rs --devices $n --m $((8 * n)) --k $((16 * n)) --n 16 --tiling 4,8,8" \
      "ag-matmul --rings $(seq 0 $((n - 1)) | shuf --random-source=<(yes "$seed") | paste -sd,) --m 8 --k $((8 * n)) --n 8 --tiling 8,8,8"
  done >"$work/sweep"
  for n in 2 4 8; do
    together "$n" "$bin/tessera_mpi_tests" --seed "$seed" --delay 50 cases "$here/cases.txt" cases "$work/sweep" \
      random "${seed}0000" "${2:-1200}" || fail "on $n processes"
    together "$n" "$bin/tessera_mpi_tests" --seed "$seed" --check-nodes cases "$here/cases.txt" random "${seed}5000" 60 ||
      fail "node by node, on $n processes"
  done
}

# Programs of several pipelines, some without iterations: COUNT in all.
pipelines() {
  local n
  for n in 2 3; do
    together "$n" "$bin/tessera_mpi_tests" --seed "$1" pipelines "${1}0000" $(($2 / 2)) || fail "pipelines on $n processes"
  done
}

# A sender that is 20,000 messages ahead: its receiver begins late, and takes next to no memory.
ahead() {
  together 2 "$bin/tessera_mpi_tests" --late 1,2000 call "$here/ahead.tsr --devices 2" >"$work/out" 2>&1 ||
    fail "a sender that is ahead"
  cat "$work/out"
  if [ "${TESSERA_SANITIZED:-0}" = 1 ]; then return; fi  # which keeps what was given back
  local taken
  taken=$(sed -n 's/^process 1 took \(-*[0-9]*\) KiB more$/\1/p' "$work/out")
  [ "${taken:-99999999}" -le 8192 ] || fail "its receiver took $taken KiB"
}

command_line() {
  local call=(ag-matmul --devices 4 --m 16 --k 64 --n 16 --tiling 8,16,16 --device mpi)
  together 2 "$bin/gmm-run" "${call[@]}" --out "$work/y.npy" >"$work/out" 2>&1 || fail "a run"
  shows '2 processes, 2 devices each' "$work/out"
  shows 'ok ' "$work/out"
  "$bin/gmm-run" "${call[@]/mpi/interpreter}" --out "$work/z.npy" >/dev/null
  cmp "$work/y.npy" "$work/z.npy" || fail "results are not those of the interpreter"
  together 2 "$bin/gmm-run" "${call[@]}" --check-nodes >"$work/out" 2>&1 || fail "a checked run"
  shows 'nodes compared with the interpreter: ' "$work/out"
  # Pipelines without iterations, through the command, which memoises pipelines.
  together 2 "$bin/gmm-run" ring-of-experts --devices 2 --m 1 --k 1 --n 1 --groups 2 --dtype f32 --device mpi --check-nodes >"$work/out" 2>&1 || fail "empty pipelines"
  together 2 "$bin/gmm-run" reduce-scatter --devices 4 --m 4 --n 4 --device mpi --check-nodes >"$work/out" 2>&1 || fail "blocks of one row"
  together 3 "$bin/gmm-run" "${call[@]}" --json >"$work/out" 2>&1 || fail "--json"
  shows '"status": "ok"' "$work/out"
  shows '2 devices each on 1 of 3 processes, 1 on the others' "$work/out"
  together 2 "$bin/gmm-run" run "$here/../../kernels/programs/right_permute.tsr" --set rows=8 --set cols=8 --set T=i32 \
    --set rings=1 --set length=2 --in ring=0,1 --in position=0,1 --devices 2 --device mpi --out out="$work/p.npy" >"$work/out" 2>&1 || fail "run FILE.tsr"
  shows '2 messages between processes, 512 bytes' "$work/out"
  # Every process tells of the same mistake once, and all leave.
  together 2 "$bin/gmm-run" "${call[@]/64/63}" >"$work/out" 2>&1 && fail "a wrong shape passes"
  shows 'error: ' "$work/out"
  together 6 "$bin/gmm-run" "${call[@]}" >"$work/out" 2>&1 && fail "too many processes pass"
  shows '6 processes for a run on 4 devices: each process needs at least one' "$work/out"
}

endings() {
  # Operands of one process are others: the graph is the same, so that is allowed; another size is not.
  cat >"$work/other" <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
exec "$1" all-gather --devices 2 --m $((4 + rank)) --n 8 --device mpi
END
  chmod +x "$work/other"
  together 2 "$work/other" "$bin/gmm-run" >"$work/out" 2>&1 && fail "other programs pass"
  shows 'process 1 has another program than process 0' "$work/out"
  # A mistake of one process is told, and ends the others.
  cat >"$work/alone" <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
[ "$rank" = 0 ] || more=--fill=nothing
exec "$1" all-gather --devices 2 --m 4 --n 8 --device mpi $more
END
  chmod +x "$work/alone"
  together 2 "$work/alone" "$bin/gmm-run" >"$work/out" 2>&1 && fail "a process that fails passes"
  shows 'process 1 ended the work' "$work/out"
  killed
}

# A process that is killed in the middle of a run ends the others.
killed() {
  local begin=$SECONDS pid
  together 3 "$bin/tessera_mpi_tests" --delay 20000 cases "$here/cases.txt" >"$work/out" 2>&1 &
  local launcher=$!
  for _ in $(seq 100); do
    pid=$(pgrep -n -P "$(descendants $launcher)" tessera_mpi 2>/dev/null)
    [ -n "$pid" ] && break
    sleep 0.1
  done
  [ -n "$pid" ] || { fail "no process to kill"; return; }
  sleep 1
  kill -KILL "$pid"
  begin=$SECONDS
  wait "$launcher" && fail "a killed process passes"
  [ $((SECONDS - begin)) -le 10 ] || fail "the others ended after $((SECONDS - begin)) s"
  grep -qiE 'killed|terminat|signal 9' "$work/out" || { fail "nothing says why"; cat "$work/out"; }
}

descendants() {
  local all=$1 next=$1
  while next=$(pgrep -d, -P "$next"); do all=$all,$next; done
  printf '%s' "$all"
}

case $part in
  programs) programs ;;
  command) command_line ;;
  endings) endings ;;
  pipelines) pipelines "$4" "$5" ;;
  sweep) sweep "${4:-1}" "${5:-1200}" ;;
esac
exit "$failed"
