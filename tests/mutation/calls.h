// Calls of every shipped kernel at small sizes: three of each, with other tiles, and with other
// sizes, devices or flags where a kernel has no tiles. The first is the one that the kernel's own
// text says.
#pragma once
#include <string_view>
#include <vector>

#include "kernels/programs/kernels.h"

namespace tessera::test {

struct KernelCall {
  std::string_view kernel;
  std::string_view words;  // of a command line, without `gmm-run` and a command before it
};

inline constexpr KernelCall more_calls[] = {
    {"allgather_matmul", "ag-matmul --devices 4 --m 16 --k 64 --n 16 --tiling 16,16,8"},
    {"allgather_matmul", "ag-matmul --devices 6 --m 24 --k 96 --n 24 --tiling 8,16,24"},
    {"allgather_matmul_literal",
     "ag-matmul --devices 4 --m 4 --k 8 --n 12 --variant literal --dma-order fifo"},
    {"allgather_matmul_literal",
     "ag-matmul --devices 6 --m 12 --k 12 --n 6 --variant literal --dma-order fifo"},
    {"allgather_matmul_rows",
     "ag-matmul --gather m --devices 2 --m 32 --k 128 --n 256 --tiling 16,128,128"},
    {"allgather_matmul_rows",
     "ag-matmul --gather m --devices 3 --m 48 --k 256 --n 384 --tiling 16,256,128"},
    {"dequantize_mxfp8",
     "dequantize_mxfp8 --set m=32 --set n=128 --set T=f32 --set Q=e5m2 --set tm=16 --set tn=64"},
    {"dequantize_mxfp8",
     "dequantize_mxfp8 --set m=64 --set n=24 --set T=bf16 --set Q=e4m3 --set columns=1 "
     "--set tm=32 --set tn=8"},
    {"dequantize_tensor",
     "dequantize_tensor --set m=12 --set n=32 --set T=f32 --set Q=e5m2 --set tm=4 --set tn=16"},
    {"dequantize_tensor",
     "dequantize_tensor --set m=12 --set n=20 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=8"},
    {"expert_parallel_gmm",
     "expert_parallel_gmm --devices 3 --set rows=7 --set k=16 --set n=24 --set groups=6 "
     "--set ranks=3 --set capacity=10 --set T=bf16 --set tm=4 --set tk=16 --set tn=24 "
     "--in group_sizes@0=1,1,0,1,2,1 --in group_sizes@1=2,1,0,1,1,1 "
     "--in group_sizes@2=3,0,1,1,0,1"},
    {"expert_parallel_gmm",
     "expert_parallel_gmm --devices 2 --set rows=6 --set k=8 --set n=8 --set groups=2 "
     "--set ranks=2 --set capacity=12 --set T=f32 --set transpose_rhs=1 --set tm=4 --set tk=4 "
     "--set tn=4 --in group_sizes@0=2,4 --in group_sizes@1=5,1"},
    {"gmm", "gmm --group-sizes 5,0,9 --k 48 --n 16 --tiling 4,16,8"},
    {"gmm", "gmm --group-sizes 3,6,0,4 --k 24 --n 8 --tiling 16,8,4 --transpose-rhs"},
    {"grouped_gemm", "grouped-gemm --group-sizes 5,0,9 --k 48 --n 16 --tiling 4,16,8"},
    {"grouped_gemm", "grouped-gemm --group-sizes 3,6,0,4 --k 24 --n 8 --tiling 16,8,4"},
    {"grouped_gemm_wgrad",
     "grouped_gemm_wgrad --set m=14 --set k=16 --set n=16 --set groups=3 --set T=bf16 "
     "--set R=bf16 --set U=f32 --set B=f32 --set tm=4 --set tk=16 --set tn=8 "
     "--in group_sizes=5,0,9"},
    {"grouped_gemm_wgrad",
     "grouped_gemm_wgrad --set m=13 --set k=8 --set n=24 --set groups=4 --set T=f32 --set R=f32 "
     "--set U=f32 --set B=f32 --set biased=1 --set tm=16 --set tk=4 --set tn=8 "
     "--in group_sizes=3,6,0,4"},
    {"matmul_reduce_scatter", "matmul-rs --devices 4 --m 32 --k 64 --n 24 --tiling 2,16,24"},
    {"matmul_reduce_scatter", "matmul-rs --devices 2 --m 16 --k 16 --n 16 --tiling 4,4,8"},
    {"quantize_current",
     "quantize_current --set m=12 --set n=32 --set T=f32 --set Q=e5m2 --set tm=4 --set tn=16"},
    {"quantize_current",
     "quantize_current --set m=12 --set n=20 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=8"},
    {"quantize_mxfp8",
     "quantize_mxfp8 --set m=32 --set n=128 --set T=f32 --set Q=e5m2 --set tm=16 --set tn=64"},
    {"quantize_mxfp8",
     "quantize_mxfp8 --set m=64 --set n=20 --set T=bf16 --set Q=e4m3 --set columns=1 "
     "--set tm=32 --set tn=8"},
    {"quantize_tensor",
     "quantize_tensor --set m=12 --set n=32 --set T=f32 --set Q=e5m2 --set tm=4 --set tn=16"},
    {"quantize_tensor",
     "quantize_tensor --set m=12 --set n=20 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=8"},
    {"ragged_all_to_all",
     "ragged_all_to_all --devices 2 --set rows=8 --set out_rows=10 --set width=3 --set slices=2 "
     "--set ranks=2 --set T=bf16 --in input_offsets=0,3 --in send_sizes@0=3,5 "
     "--in send_sizes@1=2,4 --in output_offsets@0=0,1 --in output_offsets@1=4,6 "
     "--in recv_sizes@0=3,2 --in recv_sizes@1=5,4"},
    {"ragged_all_to_all",
     "ragged_all_to_all --devices 3 --set rows=6 --set out_rows=6 --set width=2 --set slices=3 "
     "--set ranks=3 --set T=f32 --in input_offsets=0,2,4 --in send_sizes=2,2,2 "
     "--in output_offsets@0=0,0,0 --in output_offsets@1=2,2,2 --in output_offsets@2=4,4,4 "
     "--in recv_sizes=2,2,2"},
    {"ragged_contraction",
     "ragged-dot --lhs-shape 2,14,16 --rhs-shape 2,14,16 --contracting 0,1/0,1 --ragged 1 "
     "--group-sizes 5,0,9 --tiling 4,16,8"},
    {"ragged_contraction",
     "ragged-dot --lhs-shape 3,12,8 --rhs-shape 3,12,24 --contracting 0,1/0,1 --ragged 1 "
     "--group-sizes 3,5,0,4 --tiling 16,8,8"},
    {"ragged_rows", "ragged-dot --batch 2 --group-sizes 5,0,9 --k 48 --n 16 --tiling 4,16,8"},
    {"ragged_rows", "ragged-dot --batch 3 --group-sizes 3,6,0,4 --k 24 --n 8 --tiling 16,8,4"},
    {"right_permute", "right-permute --devices 2 --m 4 --n 8"},
    {"right_permute", "right-permute --devices 3 --m 6 --n 4"},
    {"ring_all_gather", "all-gather --devices 2 --m 4 --n 8 --directions 1"},
    {"ring_all_gather", "all-gather --devices 3 --m 6 --n 4 --directions 1"},
    {"ring_all_gather_halves", "all-gather --devices 2 --m 4 --n 8"},
    {"ring_all_gather_halves", "all-gather --devices 3 --m 6 --n 4"},
    {"ring_all_reduce", "all-reduce --devices 3 --m 12 --n 136 --tile 2,136"},
    {"ring_all_reduce", "all-reduce --devices 4 --m 16 --n 8 --tile 1,8"},
    {"ring_of_experts",
     "ring-of-experts --devices 3 --m 2 --k 16 --n 24 --groups 6 --top-k 2 --tiling 4,16,24"},
    {"ring_of_experts",
     "ring-of-experts --devices 2 --m 5 --k 8 --n 8 --groups 2 --top-k 1 --tiling 4,4,4"},
    {"ring_reduce_scatter", "reduce-scatter --devices 4 --m 16 --n 136 --tile 2,136"},
    {"ring_reduce_scatter", "reduce-scatter --devices 3 --m 12 --n 8 --tile 1,8"},
    {"scaled_matmul",
     "scaled_matmul --set m=32 --set k=128 --set n=16 --set T=e4m3 --set R=e5m2 --set U=f32 "
     "--set tm=16 --set tk=64 --set tn=8"},
    {"scaled_matmul",
     "scaled_matmul --set m=12 --set k=96 --set n=8 --set T=e5m2 --set R=e4m3 --set U=bf16 "
     "--set tm=4 --set tk=32 --set tn=8"},
    {"sharded_gmm",
     "sharded_gmm --devices 3 --set m=16 --set k=16 --set n=24 --set groups=6 "
     "--set local_groups=2 --set rings=1 --set length=3 --set T=bf16 --set tm=4 --set tk=16 "
     "--set tn=24 --in group_sizes=5,0,3,4,0,4 --in group_offset@0=0 --in group_offset@1=2 "
     "--in group_offset@2=4 --in ring=0,1,2 --in position=0,1,2"},
    {"sharded_gmm",
     "sharded_gmm --devices 2 --set m=8 --set k=8 --set n=8 --set groups=2 --set local_groups=1 "
     "--set rings=1 --set length=2 --set T=f32 --set transpose_rhs=1 --set tm=4 --set tk=4 "
     "--set tn=8 --in group_sizes=3,5 --in group_offset@0=0 --in group_offset@1=1 "
     "--in ring=0,1 --in position=0,1"},
    {"tgmm", "tgmm --group-sizes 5,0,9 --k 16 --n 16 --tiling 4,16,8"},
    {"tgmm", "tgmm --group-sizes 3,6,0,4 --k 24 --n 8 --tiling 16,8,4"},
};

// Kernel by kernel, its own call first.
inline std::vector<KernelCall> kernel_calls() {
  std::vector<KernelCall> calls;
  for (const Kernel& kernel : kernels()) {
    calls.push_back({kernel.name, kernel.small_call});
    for (const KernelCall& call : more_calls)
      if (call.kernel == kernel.name) calls.push_back(call);
  }
  return calls;
}

}  // namespace tessera::test
