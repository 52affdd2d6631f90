#include "devices/profiles/profile_data.h"

namespace tessera {

// A profile describes one core, which is a device of the interpreter. TPU figures:
// jax/_src/tpu_info.py and the published chip pages. GPU figures: data sheets of the vendors.
// Figures that are not published are marked as assumed.
const std::string_view profile_data = R"(
# TPUs. Semaphores are assumed; about 20 to 30 barrier ids exist. 128 lanes, 8 sublanes, smem 1 MiB. Times: vmem is
# about 22 times as fast as hbm and a hop takes about 1 us (jax-ml.github.io/scaling-book); speeds of i8 and fp8 are
# ratios of the published rates, 1 where none is published. Assumed: f32 as six bf16 products (the highest precision
# of XLA), a copy's latency, and 20 ns for each op of the scalar core. Scoped vmem is what a Pallas kernel gets unless it
# asks for more (tpu-inference#3194, jax#38988).
profile v4
  vmem 16 MiB
  smem 1 MiB
  hbm 32 GB
  semaphores 1024
  barrier_ids 32
  lanes 128
  sublanes 8
  matrix_unit 128
  matmul_flops 2.75e14
  hbm_bandwidth 1.23e12
  link_bandwidth 4.5e10
  f32_speed 0.1667
  vmem_bandwidth 2.7e13
  copy_latency 5e-7
  link_latency 1e-6
  op_overhead 2e-8

profile v5e
  like v4
  vmem 128 MiB
  scoped_vmem 32 MiB
  hbm 16 GB
  power_of_two_routes yes
  matmul_flops 1.97e14
  hbm_bandwidth 8.2e11
  i8_speed 2
  vmem_bandwidth 1.8e13

# A TPU as Mosaic, the compiler of Pallas, uses it: the blocks of results go back whole, stored elements or not. Only a v5e
# has a limit of routes (docs/pallas/tpu/distributed.md of JAX, "Routing").
profile mosaic
  like v5e
  power_of_two_routes no
  block_write_backs yes

profile mosaic_v5e
  like mosaic
  power_of_two_routes yes

profile v5p
  like v4
  vmem 64 MiB
  scoped_vmem 32 MiB
  hbm 96 GB
  matmul_flops 4.59e14
  hbm_bandwidth 2.46e12
  link_bandwidth 9e10
  i8_speed 2
  vmem_bandwidth 5.4e13

profile v6e
  like v4
  vmem 128 MiB
  scoped_vmem 32 MiB
  matrix_unit 256
  matmul_flops 9.2e14
  hbm_bandwidth 1.64e12
  link_bandwidth 9e10
  i8_speed 2
  vmem_bandwidth 3.6e13

# Each of the two cores is a device with half the chip's memory; the link's rate is not published.
profile 7x
  like v4
  vmem 64 MiB
  scoped_vmem 64 MB
  hbm 96 GiB
  matrix_unit 256
  matmul_flops 1.155e15
  hbm_bandwidth 3.7e12
  link_bandwidth 0
  fp8_speed 2
  vmem_bandwidth 8.1e13

# GPUs. vmem is the shared memory that one block may use, smem a constant bank, a semaphore an 8-byte mbarrier in
# shared memory. Remote copies reach device memory only. Times: rates are those of the whole chip, so a run is timed as
# if all multiprocessors worked as one; shared memory at 128 bytes a clock of each; a hop with its fences takes about
# 6 us (docs/pallas/gpu/collective_matmul.md of JAX). f32 is computed without TF32. Assumed: a copy's latency.
profile h100
  vmem 227 KiB
  smem 64 KiB
  hbm 80 GB
  semaphores 29056
  barrier_ids 32
  remote_vmem no
  remote_smem no
  matmul_flops 9.9e14
  hbm_bandwidth 3.4e12
  link_bandwidth 4.5e11
  one_port yes
  tiling 64,64,64
  i8_speed 2
  fp8_speed 2
  f32_speed 0.068
  vmem_bandwidth 3e13
  copy_latency 6e-7
  link_latency 6e-6
  op_overhead 2e-8

profile h200
  like h100
  hbm 141 GB
  hbm_bandwidth 4.8e12

profile b200
  like h100
  hbm 192 GB
  matmul_flops 2.3e15
  hbm_bandwidth 8e12
  link_bandwidth 9e11
  f32_speed 0.035
)";

}  // namespace tessera
