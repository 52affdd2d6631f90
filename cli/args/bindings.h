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
  // Returns one binding per device. They point into this object.
  std::vector<DeviceBinding> views();
  // Writes the results and operands named by --out. bind() has opened the files.
  Diags save_results();

  // Lines of the report: origins of the operands, and summaries of the results.
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
// `program` must outlive the result.
Expected<Bindings> bind(const Program& program, const Arguments& arguments, int devices);

}  // namespace tessera::cli
