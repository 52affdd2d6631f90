// One shape of the moe suite on a GPU: its operands in the device's memory, and what is run and
// checked on them.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "devices/workbench.h"
#include "kernels/grouped_matmul/on_gpu.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera::bench {

struct MoeRun {
  GroupedDesc product;               // both operands are of one type
  std::uint64_t seed = 0;            // of the operands
  std::unique_ptr<Workbench> bench;  // holds the operands
  std::uint64_t lhs = 0, rhs = 0, out = 0, group_sizes = 0;
  std::uint64_t dense_lhs = 0, dense_rhs = 0;  // bf16, for the peer
  std::int64_t out_bytes = 0;
  std::unique_ptr<Executable> kernel;

  // For the chain that chooses: what `gmm-run tune` kept, else the model's first.
  GroupedTuningProblem tuning_problem() const;
  // The kernel, the operands in memory of the device, and the result's place.
  Expected<void> prepare();
  // One product for each group that has rows.
  std::vector<DenseProduct> products() const;
  Expected<void> run_ours();
  // As many operations in one dense product, or in a batch of equal reductions.
  // By the peer.
  Expected<void> run_dense();
  // Seconds of what `enqueue` enqueues.
  Expected<double> timed(const Enqueue& enqueue) { return bench->seconds(enqueue); }
  // What `enqueue` computes in a poisoned result, against the reference: "ok", or why not. Of the
  // first and the last group with rows, the longest and one in the middle, it checks the first and
  // the last rows (tgmm: rows of the block).
  std::string check(const Enqueue& enqueue);

 private:
  Expected<void> run_poisoned(const Enqueue& enqueue);
  // first: the group's first row of lhs.
  std::string check_group(std::size_t group, std::int64_t first) const;
  std::string check_block(std::size_t group, std::int64_t first) const;
  std::string check_rows(std::size_t group, std::int64_t first) const;
};

}  // namespace tessera::bench
