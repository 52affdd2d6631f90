// A collective that is ready to run: operands on every device, one launch and a verdict over all
// devices.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/operand_values.h"
#include "cli/args/run_request.h"
#include "cli/operations/device_files.h"
#include "cli/operations/operation_command.h"
#include "core/data/dtype.h"
#include "core/kernel/tiling.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::cli {

// A call of a collective, ready to run.
struct Collective {
  using Tensors = std::vector<Tensor>;
  using Judge = std::function<Verdict(const Launch&, const CheckOptions&)>;

  RunRequest request;
  CollectiveOptions options;     // its `run` is set for each launch
  std::deque<Tensors> operands;  // storage for the inputs of the launch
  // Operands that --out can save.
  struct Named {
    std::string name;
    Per per = Per::device;
    const Tensors* tensors = nullptr;
  };
  std::vector<Named> named;
  Words files_read;  // options and file names: "--lhs" and "x0.npy"
  std::optional<Launch> launch;
  Json shape = Json::object();
  std::string types;                     // "bf16 . bf16 -> f32"
  const Tensors* group_sizes = nullptr;  // one per device or ring; null: no groups
  DType dtype = DType::bf16;             // element type of the operands
  std::int64_t flops = 0;                // on all devices
  OperandValues values;                  // origin of the operand values
  bool has_given_config = false;
  std::vector<std::string> notes;
  Judge judge;
};

// Returns a judge that calls check(operands..., launch, extra, options). The operands must be
// stored in the collective: the judge refers to them.
template <typename Check, typename Extra, typename... Operands>
Collective::Judge judge_with(Check check, const Extra& extra, const Operands&... operands) {
  return [check, extra, &operands...](const Launch& done, const CheckOptions& how) {
    return check(operands..., done, extra, how);
  };
}

// Returns the call of a collective with this launch; `judge` checks its results. Fails with the
// errors of `launch` if the launch was rejected.
Expected<OperationCall> as_call(Collective collective, Expected<Launch> launch,
                                Collective::Judge judge);

}  // namespace tessera::cli
