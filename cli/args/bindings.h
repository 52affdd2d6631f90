// The operands and results of a program on each device: from files, given in words, or filled by
// seed.
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
  // One for each device; they point into this object.
  std::vector<DeviceBinding> views();
  // Writes the results and operands that --out names; their files are open since bind().
  Diags save_results();

  // How operands that no --in names came to be; which results there are.
  std::string operand_lines() const;
  std::string result_lines() const;
  Json results_json() const;

 private:
  friend Expected<Bindings> bind(const Program& program, const Arguments& arguments, int devices);
  struct Bound {
    const Buffer* buffer;
    int device;
    Tensor tensor;
    std::string origin{};   // of an operand: a file, "given", "filled", "zeros"
    std::string unknown{};  // of a result: why its values are not known; empty where they are
    std::string file{};     // where a result goes
    std::optional<TensorOutput> output = std::nullopt;
    bool is_stacked = false;  // the file is for all devices, and open here for the first
  };
  std::vector<Bound> bound_;
  int devices_ = 1;
};

Options binding_options();
// Why an option about the values of a result is refused that `opaque` leaves unknown.
Diag unknown_result(const Buffer& buffer, std::string_view option, std::string_view why);
// `program` must outlive the result.
Expected<Bindings> bind(const Program& program, const Arguments& arguments, int devices);

}  // namespace tessera::cli
