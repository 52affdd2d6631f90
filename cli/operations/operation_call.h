// Common form of all operations: a call, which each command creates from its arguments, and the
// outcome of one launch.
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
  std::optional<Tiling> tiling;    // none: the kernel has no tiling
  Words tuning;                    // names and values of the kernel's tuning parameters
  std::vector<std::string> notes;  // on conversions and precision
  Loc result_place;                // declaration of `out` in the kernel
  std::vector<std::shared_ptr<const Tensor>> results;  // per device
};
// Converts the result of a run on one device. On the reference it has no tiling and no tuning
// parameters. buffers: slots per window, for the tuning parameters.
OperationRun operation_run(GroupedMatmulRun run, std::int64_t buffers);

// A call of an operation. Its functions own the data that they use.
struct OperationCall {
  RunRequest request;
  std::string title;        // for the report of `verify`
  std::string kernel_note;  // suffix of the kernel name in reports: "2 buffers"
  Words lines;              // report lines before the device: "shape" and "m 300, k 64, n 32" ...
  Json fields = Json::object();  // members of the JSON report: shape, parameters, ...
  DType dtype = DType::bf16, out_dtype = DType::f32;
  Words sides;                // tile sides that are known before the run: "tm" and "64", ...
  std::int64_t flops = 0;     // on all devices
  std::int64_t launches = 1;  // traces, schedules, times and proofs require 1
  OperandValues values;       // origin of the operand values
  std::uint64_t seed = 0;
  std::vector<std::string> notes;

  bool has_devices = false;            // true: operands and results have parts per device
  std::vector<NamedTensors> operands;  // by option name
  Words files_read;                    // with has_devices: "--lhs" and the file name

  // Origin of the configuration, for operations that choose one by choose_config(): lines of the
  // text report, and the member of the JSON report if required.
  std::optional<std::string> config_lines;
  std::optional<Json> config;
  bool has_given_config = false;  // for other operations: set by the command line

  // Runs the call with these options; may be called repeatedly. Fails if it cannot run; findings
  // and limits that ended a run are in the report of the result.
  std::function<Expected<OperationRun>(const RunOptions&)> launch;
  // Checks the results of the latest launch(), which must be complete.
  std::function<Verdict(const OperationRun&, const CheckOptions&)> judge;
  // Repeatable run for `verify`: prepares the program only once, and does not reset results before
  // a run. Empty: `launch` is used instead.
  std::function<Expected<RunResult>(const RunOptions&)> simulate;
};

// Creates the call from a command line, without running it: reads the options and files. Fails for
// wrong options, files and operands.
using PrepareOperation = Expected<OperationCall> (*)(const Arguments&);

}  // namespace tessera::cli
