#!/usr/bin/env bash
# scripts/fuzz_seeds.sh FOLDER: writes seeds for the harnesses of tests/fuzz, created from files of the tree.
# FOLDER/program: every program of a .tsr file, once per RUN line, after that line and without the expected output.
# FOLDER/command_line: the commands of the RUN lines. scripts/fuzz.sh also uses the inputs in tests/fuzz/corpus.
set -euo pipefail
out=$(mkdir -p "$1" && cd -P "$1" && pwd)
cd -P "${BASH_SOURCE[0]%/*}/.."
mkdir -p "$out/program" "$out/command_line"

find tests examples kernels/programs -name '*.tsr' -print0 | sort -z |
  xargs -0 awk -v out="$out" '
    function write(folder, number, text,   path) {
      path = sprintf("%s/%s/%05d", out, folder, number)
      printf "%s", text > path
      close(path)
    }
    # Writes a program of the file once per command. A program without commands uses the commands of the first program.
    function finish(   i, count, command, takes_program) {
      count = commands > 0 ? commands : first_commands
      for (i = 1; i <= count || i == 1; ++i) {
        command = commands > 0 ? run[i] : first_run[i]
        if (count == 0) command = "run"
        if (program !~ /kernel|function/) break
        write("program", ++programs, "// RUN: " command "\n" (command ~ /^fmt/ ? commented : program))
      }
      if (part == 1) first_commands = commands
      for (i = 1; i <= commands; ++i) {
        if (part == 1) first_run[i] = run[i]
        if (run[i] in told) continue
        told[run[i]] = 1
        takes_program = run[i] ~ /%s|^(run|check|expand|fmt|verify)( -|$)/
        write("command_line", ++lines, run[i] "\n" (takes_program ? program : ""))
      }
      program = commented = ""; commands = in_output = 0; ++part
    }
    FNR == 1 { if (NR > 1) finish(); part = 1; first_commands = 0 }
    /^ *\/\/ -----$/ { finish(); next }
    /^ *\/\/ RUN: / { in_output = 0; sub(/^ *\/\/ RUN: /, ""); run[++commands] = $0; next }
    /^ *\/\/ EXIT: / { next }
    /^ *\/\/ OUT$/ { in_output = 1; next }
    in_output && /^ *\/\// { next }
    { in_output = 0; commented = commented $0 "\n" }
    # Comments only matter for `fmt`, and inputs should be short.
    /^ *\/\// { next }
    { sub(/ *\/\/ .*$/, ""); if (program != "" || $0 != "") program = program $0 "\n" }
    END { finish() }'

# input FOLDER NAME: writes standard input as one input of the harness FOLDER.
input() { mkdir -p "$out/$1" && cat >"$out/$1/$2"; }
npy() { # npy DESCR ORDER SHAPE BYTES
  local dict="{'descr': '$1', 'fortran_order': $2, 'shape': $3, }"
  printf 'n\x0f\x93NUMPY\x01\x00%b\x00%s' "$(printf '\\x%02x' ${#dict})" "$dict"
  head -c "$4" /dev/zero | tr '\0' '\101'
}
npy '<f4' False '(2, 3)' 24 | input operands npy_f4
npy '<f2' True '(2, 3)' 12 | input operands npy_fortran
npy '|i1' False '(5,)' 5 | input operands npy_i1
npy '<i8' False '()' 8 | input operands npy_i8
npy '|V2' False '(2, 2)' 8 | input operands npy_raw
npy '<u4' True '(2, 1, 2)' 16 | input operands npy_u4
safetensors() { # safetensors JSON BYTES
  printf 's\x0f%b\x00\x00\x00\x00\x00\x00\x00%s' "$(printf '\\x%02x' ${#1})" "$1"
  head -c "$2" /dev/zero | tr '\0' '\102'
}
safetensors '{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]}}' 22 |
  input operands safetensors_two
safetensors '{"__metadata__":{"k":"v"},"x":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}}' 4 | input operands safetensors_metadata
safetensors '{"i":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}' 8 | input operands safetensors_scalar
for sizes in 100,150,50 uniform multinomial zipf:1.2 onehot empty:50 jitter:30; do
  printf 'g?%s\n' "$sizes" | input operands "sizes_${sizes%%[:,]*}"
done

printf 'config\n{"block_m": 16, "block_n": 8, "block_k": 16, "num_stages": 3, "platform": "interpreter"}\n' | input configuration config
printf 'config\n{"platform": "cuda", "backend": "gpu", "num_warps": 8, "bypass_xla_tiling": false, "align": 8}\n' | input configuration config_cuda
printf 'config\n{"block_m": 128, "hints": {"pairing": "rows", "alternate": true, "dynamic": true, "band": 4, "left": "first", "right": "last"}}\n' |
  input configuration config_hints
sed -n '/R"(/,/^)"/{s/.*R"(//;/^)"/d;p}' devices/profiles/profile_data.cpp | awk -v out="$out/configuration" '
  /^profile/ { file = sprintf("%s/profile_%s", out, $2); print "profile" > file }
  file != "" && !/^#/ { print > file }'

printf 'entry\n{"build": "tessera 0.1.0", "device": "interpreter v5e|1", "operation": "grouped_matmul@v1", "call": "m=8 k=8 n=8", "config": {"block_m": 8}, "source": "autotune", "seconds": 0.5, "measure": "simulated", "checksum": "0"}\n' |
  input cache entry
printf 'kernel\n0123456789abcdef\n' | input cache kernel
printf 'edit\n\x00\x10x\x02' | input cache edit

for place in l d p w g f F s 0; do printf 'place\n%s{"build": "other"}' "$place" | input cache "place_$place"; done
for place in 0 d p l o m r r1; do printf 'p?%s' "$place" | input operands "place_$place"; done

number=0
for how in 0 1 2 3 0p 0pf 1s 2p; do
  for schedule in eager lazy lifo random:7 pct:3:2 'steps:dev0.core0*3,dev1.core0' \
    'steps:order:5,dev0.core0*4,dev0.core0/dma#0:r8,dev0.core0/dma#0:w8,dev1.core0*9' \
    'steps:dev0.core0/dma#1@2:r4,dev0.core0/dma#1:w2'; do
    number=$((number + 1))
    printf '%s\n%s' "$how" "$schedule" | input schedule "$number"
  done
done

# Programs that are missing in the golden tests for some types: tile arithmetic, casts and scaled products. Also
# programs of the tree with options of the harness: mutants, necessity, time model, other strategies, failing
# allocations.
types='f32 f16 bf16 i8 i32 i64 u32 e4m3 e5m2 e8m0'
tile_program() { # tile_program TYPE RESULT STATEMENT [SHAPE]
  printf '// RUN: run --math exact\nkernel k()\n  in a: %s[8, 8] hbm\n  in b: %s[8, 8] hbm\n  out o: %s[%s] hbm\n' "$1" "$1" "$2" "${4:-8, 8}"
  printf '  vmem x: %s[8, 8]\n  vmem y: %s[8, 8]\n  vmem z: %s[%s]\n{\n  copy a -> x\n  copy b -> y\n  %s\n  copy z -> o\n}\n' \
    "$1" "$1" "$2" "${4:-8, 8}" "$3"
}
number=0
for type in $types; do
  for statement in 'z = x + y' 'z = x - y' 'z = x * y' 'z = x / y' 'z = min(x, y)' 'z = max(x, y)' 'z = x < y' 'z = x <= y' \
    'tile_eq(z, x, y)' 'z = select(x < y, x, y)' 'z = exp(x)' 'z = tanh(x)' 'z = erf(x)' 'z = log(x)' 'z = rsqrt(x)' 'tile_iota(z, 1)' \
    'z = transpose(x)' 'z = x . y' 'z = 3' 'z[0 +: 4, :] = x[4 +: 4, :] + y[0, :]'; do
    number=$((number + 1))
    tile_program "$type" "$type" "$statement" | input program "tile_$number"
  done
  for result in $types; do
    tile_program "$type" "$result" 'z = cast(x)' | input program "cast_${type}_$result"
  done
  tile_program "$type" f32 'z = x . y' | sed 's/ --math exact//' | input program "product_$type"
  tile_program "$type" f32 'z = row_sum(x)' '8, 1' | input program "row_sum_$type"
  tile_program "$type" "$type" 'z = row_max(x)' '8, 1' | input program "row_max_$type"
  tile_program "$type" f32 'z = col_sum(x)' '1, 8' | input program "col_sum_$type"
  tile_program "$type" "$type" 'z = col_max(x)' '1, 8' | input program "col_max_$type"
done
number=0
for file in "$out"/program/0*; do
  number=$((number + 1))
  case $((number % 8)) in
    0) words='--mutants --timing' ;;
    1) words='--necessity --timing' ;;
    2) words="--schedule pct:$number:3 --timing" ;;
    3) words='--copy-granularity partial --schedule lifo --slow-device 0' ;;
    4) words="--stop $((number % 60))" ;;
    *) words="--fail $((number * 37 % 3000))" ;;
  esac
  sed "1s/\$/ $words/" "$file" | input program "with_${file##*/}"
done
