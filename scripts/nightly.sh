#!/usr/bin/env bash
# What takes too long for every change, against what ./run-tests has built:
#   28,000 random programs beside the analysis of all schedules; three of four are small enough to explore
#   2,000 larger ones that are proved, 50 schedules each, and on threads; 20,000 with undefined data
#   100,000 programs of several pipelines, some without iterations, on threads, 5,000 on processes of each MPI library and 2,000
#   as CUDA graphs, emulated
#   every mutant of every kernel, of synchronising ops and of values at three sizes, and the labelled programs
#   random problems against the reference for ten minutes
#   the harnesses of tests/fuzz for an hour (scripts/fuzz.sh); inputs that reach new code stay in tests/fuzz/corpus
#   every collective on rings of 2 to 16 and 1,000 random programs on processes of each MPI library
#   the tests of Python with jax 0.7 to 0.10, and with the newest one and Debian 13's Python (scripts/python_versions.sh)
#   the candidates of the CUDA model on emulated multiprocessors, each on about two random problems
#   1,000 random programs, every good program of tests/suite and rings of 2 to 16 as CUDA graphs, emulated, in random orders
# scripts/nightly.sh [SEED]       every day has programs of its own; the seed repeats a night
#   every test, and the quick ones of the builds by clang and with sanitizers
set -euo pipefail
cd -P "${BASH_SOURCE[0]%/*}/.."
bin=build/release/bin
seed=${1:-$(date +%y%j)}
echo "nightly.sh $seed"
"$bin/fuzz_schedules" --seed "${seed}00000" --count 28000
"$bin/fuzz_larger" --seed "${seed}00000" --count 2000 --schedules 50
"$bin/fuzz_engines" --seed "${seed}000000" --count 100000
"$bin/fuzz_undefined" --seed "${seed}00000" --count 20000
"$bin/tessera_suite"
"$bin/tessera_mutants"
"$bin/gmm-run" fuzz --seed "$seed" --minutes 10
for library in openmpi mpich; do
  tests/mpi/mpi_test.sh "$library" sweep "$bin" "$seed"
  tests/mpi/mpi_test.sh "$library" pipelines "$bin" "$seed" 5000
done
scripts/fuzz.sh
scripts/python_versions.sh
TESSERA_EMULATED_PROBLEMS=160 TESSERA_EMULATED_SEED=$seed "$bin/tessera_unit_tests" \
  --gtest_filter='CudaEmulate.candidates_on_random_problems'
TESSERA_EMULATED_PROGRAMS=1000 TESSERA_EMULATED_PIPELINES=2000 TESSERA_EMULATED_SEED=${seed}0000 TESSERA_ALL_PROGRAMS=1 "$bin/tessera_unit_tests" --gtest_filter='CudaTaskGraph.of_*'
.ci/run --all
