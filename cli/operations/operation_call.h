// An operation that is ready to run, whichever it is: each command makes one of its arguments, and
// what one launch of it came to.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/operand_values.h"
#include "cli/args/run_request.h"
#include "cli/operations/device_files.h"
#include "core/data/tensor.h"
#include "core/kernel/tiling.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/check_grouped.h"
#include "text/json.h"

namespace tessera::cli {

using Words = std::vector<std::pair<std::string, std::string>>;

struct OperationRun {
  DeviceReport report;
  std::string kernel;              // "gmm_128x128x128_transpose_rhs"
  std::optional<Tiling> tiling;    // none: the kernel has none
  Words tuning;                    // names and values of the kernel's tuning parameters
  std::vector<std::string> notes;  // what the caller should know: conversions, precision
  Loc result_place;                // where the kernel's text declares `out`
  std::vector<std::shared_ptr<const Tensor>> results;  // of each device
};
// Of one device, with `buffers` slots a window.
OperationRun operation_run(GroupedMatmulRun run, std::int64_t buffers);

// What it needs stays alive in its functions.
struct OperationCall {
  RunRequest request;
  std::string title;        // what `verify` says that it verifies
  std::string kernel_note;  // behind the kernel's name: "2 buffers"
  Words lines;              // of the report, before the device: "shape" and "m 300, k 64, n 32" ...
  Json fields = Json::object();  // of its object: shape, parameters, ...
  DType dtype = DType::bf16, out_dtype = DType::f32;
  Words sides;                // of the tile that is known before it runs: "tm" and "64", ...
  std::int64_t flops = 0;     // on all devices
  std::int64_t launches = 1;  // of which a trace, a schedule, a time or a proof is of one
  OperandValues values;       // how its operands were made
  std::uint64_t seed = 0;
  std::vector<std::string> notes;

  bool has_devices = false;            // operands and results are of several devices
  std::vector<NamedTensors> operands;  // by the names of their options
  Words files_read;                    // of several devices: "--lhs" and the file's name

  // Where the configuration came from, of the operations for which one is chosen: the lines of the
  // report, and the object where there is something to tell.
  std::optional<std::string> config_lines;
  std::optional<Json> config;
  bool has_given_config = false;  // of the others: the command line gives it

  std::function<Expected<OperationRun>(const RunOptions&)> launch;
  std::function<Verdict(const OperationRun&, const CheckOptions&)> judge;
  // For `verify`, again and again: what was made ready is kept, results stay as they are. None:
  // `launch` does it.
  std::function<Expected<RunResult>(const RunOptions&)> simulate;
};

using PrepareOperation = Expected<OperationCall> (*)(const Arguments&);

}  // namespace tessera::cli
