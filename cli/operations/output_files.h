// The files of --out: results, and operands for use in other programs.
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
  // Reads --out FILE, which is short for out=FILE, and --out NAME=FILE. Files without a hole in the
  // name are opened immediately, before operands are created. Fails if one cannot be opened.
  static Expected<OutputFiles> open(const Arguments& arguments);
  // Opens the files with a hole in the name. Fails if the call has no tensor of a name, if the hole
  // is of the other kind, if a file cannot be opened, is an input of the call or is named twice.
  Expected<void> settle(const OperationCall& call);
  // Writes operands of the call and results of its run; returns the errors. Requires settle(call);
  // call it at most once.
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
