// Operands and results of a program on each device. Operands are read from files, given as numbers
// on the command line, or filled from a seed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "cli/reports/console.h"
#include "core/data/tensor.h"
#include "core/data/tensor_file.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera::cli {

class Bindings {
 public:
  // Returns one binding per device: the operands and results by name. They point to the tensors in
  // this object.
  std::vector<DeviceBinding> views();
  // Writes the results and operands named by --out, to files that bind() has opened; returns the
  // errors. Call it at most once, after the run.
  Diags save_results();

  // Return the report: the operands with their origins, and, after the run, the results with
  // summaries of their values.
  std::string operand_lines() const;
  std::string result_lines() const;
  Json results_json() const;

 private:
  friend Expected<Bindings> bind(const Program& program, const Arguments& arguments, int devices);
  struct Bound {
    const Buffer* buffer;
    int device;
    Tensor tensor;
    std::string origin{};   // operand: a file, "given", "filled" or "zeros"
    std::string unknown{};  // result: reason why its values are unknown; empty: known
    std::string file{};     // output file; empty: none
    std::optional<TensorOutput> output = std::nullopt;
    bool is_stacked = false;  // one file for all devices, opened for device 0
  };
  std::vector<Bound> bound_;
  int devices_ = 1;
};

Options binding_options();
// Returns the error for an option that needs a result with unknown values. why: the op that makes
// them unknown.
Diag unknown_result(const Buffer& buffer, std::string_view option, std::string_view why);
// Binds the operands and results of all devices: reads the files and numbers of --in, fills other
// operands by --fill and --seed (integers in smem: zeros), allocates the results as zeros, and
// opens the files of --out. Fails for wrong values of these options, and for a file that cannot be
// read or written or is both. Fails with ErrorCode::environment if host memory is too small, and
// with ErrorCode::unsupported if --out names a result with unknown values.
// `program` and the files of `arguments` must outlive the result.
Expected<Bindings> bind(const Program& program, const Arguments& arguments, int devices);

}  // namespace tessera::cli
