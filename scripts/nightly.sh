#!/usr/bin/env bash
# Tests that take too long for every change. They use the build of ./run-tests:
#   28,000 random programs, compared with the analysis of all schedules; three of four are small enough to explore
#   2,000 larger proved programs with 50 schedules each, and on threads; 20,000 programs with undefined data
#   100,000 programs of several pipelines, some without iterations, on threads; 5,000 on processes of each MPI library
#   and 2,000 as emulated CUDA graphs
#   every mutant of every kernel, of synchronising ops and of values at three sizes, and the labelled programs
#   random problems compared with the reference, for ten minutes
#   500 random rings, and every mutant of the collectives with a fixed number of steps, on rings of 2 to 40 devices
#   the harnesses of tests/fuzz for an hour (scripts/fuzz.sh); inputs that reach new code are kept in tests/fuzz/corpus
#   every collective on rings of 2 to 16, and 1,000 random programs, on processes of each MPI library
#   the Python tests with jax 0.7 to 0.10, and with the newest jax on the Python of Debian 13 (scripts/python_versions.sh)
#   the wheel in bare Debian and Ubuntu systems (scripts/wheel_test.sh), which requires root and debootstrap
#   the candidates of the CUDA model on emulated multiprocessors, each on about two random problems
#   1,000 random programs, every good program of tests/suite and rings of 2 to 16 as emulated CUDA graphs, in random orders
#   every test, and the quick tests of the builds by clang and with sanitizers
# scripts/nightly.sh [SEED]       the default seed is the date; give it to repeat the programs of an earlier night
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
TESSERA_RINGS=500 TESSERA_RINGS_SEED=${seed}000 "$bin/tessera_unit_tests" --gtest_filter='UnrolledRing.quiet_*'
scripts/fuzz.sh
scripts/python_versions.sh
scripts/wheel.sh
scripts/wheel_test.sh
TESSERA_EMULATED_PROBLEMS=160 TESSERA_EMULATED_SEED=$seed "$bin/tessera_unit_tests" \
  --gtest_filter='CudaEmulate.candidates_on_random_problems'
TESSERA_EMULATED_PROGRAMS=1000 TESSERA_EMULATED_PIPELINES=2000 TESSERA_EMULATED_SEED=${seed}0000 TESSERA_ALL_PROGRAMS=1 "$bin/tessera_unit_tests" --gtest_filter='CudaTaskGraph.of_*'
.ci/run --all
