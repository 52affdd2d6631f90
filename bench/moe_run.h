// One shape of the moe suite on a GPU: operands in device memory, timed runs and checks.
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
  GroupedDesc product;               // with operands of equal type
  std::uint64_t seed = 0;            // for the operands
  std::unique_ptr<Workbench> bench;  // owns the operands
  // Addresses in device memory, set by prepare().
  std::uint64_t lhs = 0, rhs = 0, out = 0, group_sizes = 0;
  std::uint64_t dense_lhs = 0, dense_rhs = 0;  // bf16, for the peer
  std::int64_t out_bytes = 0;
  std::unique_ptr<Executable> kernel;

  // Returns the problem for choose_config(), which selects the configuration stored by `gmm-run
  // tune`, else the best one by the model.
  GroupedTuningProblem tuning_problem() const;
  // Creates the kernel, the operands in device memory, and memory for the result. Must be called
  // before all functions below. Fails if there is no GPU or no kernel for the product, and if
  // device memory is too small.
  Expected<void> prepare();
  // Returns the same work as dense bf16 products for the peer: one for each group with rows.
  // Requires operands of type bf16.
  std::vector<DenseProduct> products() const;
  // Enqueues our kernel.
  Expected<void> run_ours();
  // Enqueues about the same number of operations on the peer as one dense product, or as a batch of
  // equal reductions for tgmm. Requires bench->peer().
  Expected<void> run_dense();
  // Returns the time of the work that `enqueue` enqueues, in seconds, with operands in no cache.
  Expected<double> timed(const Enqueue& enqueue) { return bench->seconds(enqueue); }
  // Poisons the result, runs `enqueue`, and compares with the reference. Returns "ok", the
  // difference, or the error of the run. Checks four groups: the
  // first and the last group with rows, the longest, and one in the middle. In each, the first and
  // the last four rows; all rows if gmm has at most eight. tgmm: the first and the last four rows
  // of the block, which has at least four.
  std::string check(const Enqueue& enqueue);

 private:
  // Fills the result with invalid values, runs `enqueue` and waits for its end.
  Expected<void> run_poisoned(const Enqueue& enqueue);
  // Compare some rows of one group. Return "ok", the difference or an error. first: first row of
  // the group in lhs.
  std::string check_group(std::size_t group, std::int64_t first) const;
  std::string check_block(std::size_t group, std::int64_t first) const;
  std::string check_rows(std::size_t group, std::int64_t first) const;
};

}  // namespace tessera::bench
