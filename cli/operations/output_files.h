// The files of --out: results, and operands to compute with elsewhere.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "cli/operations/device_files.h"
#include "cli/operations/operation_call.h"

namespace tessera::cli {

class OutputFiles {
 public:
  // What --out FILE and --out NAME=FILE name; FILE alone is the result `out`. A file whose name is
  // complete is opened at once, before the operands cost anything.
  static Expected<OutputFiles> open(const Arguments& arguments);
  // Opens those of each device. A name that the call does not have, and a file that it reads or
  // that is named twice, are errors.
  Expected<void> settle(const OperationCall& call);
  // The operands of the call and the results of its run.
  [[nodiscard]] Diags write(const OperationCall& call, const OperationRun& run);

 private:
  struct Output {
    std::string name, spec;
    std::optional<PartsOutput> parts{};
    bool stacks = false;
  };
  Expected<void> settle(const OperationCall& call, Output& output);

  std::vector<Output> outputs_;
  Files* files_ = nullptr;
};

}  // namespace tessera::cli
