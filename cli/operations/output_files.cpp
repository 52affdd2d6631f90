#include "cli/operations/output_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/args/file_use.h"
#include "core/report/near.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

constexpr std::string_view result = "out";

const NamedTensors* operand_of(const OperationCall& call, std::string_view name) {
  const auto found =
      std::find_if(call.operands.begin(), call.operands.end(),
                   [&](const NamedTensors& tensors) { return tensors.name == name; });
  return found == call.operands.end() ? nullptr : &*found;
}

}  // namespace

Expected<OutputFiles> OutputFiles::open(const Arguments& arguments) {
  OutputFiles files;
  files.files_ = arguments.files();
  for (const std::string& given : arguments.all("out")) {
    const NamedFile file = named_file(given);
    Output output{file.name.empty() ? std::string(result) : file.name, file.file};
    if (!has_hole(output.spec)) {
      output.parts = TRY(PartsOutput::open({output.spec}, files.files_));
    }
    files.outputs_.push_back(std::move(output));
  }
  return files;
}

Expected<void> OutputFiles::settle(const OperationCall& call, Output& output) {
  const NamedTensors* const operand = operand_of(call, output.name);
  if (operand == nullptr && output.name != result) {
    std::vector<std::string_view> names = {result};
    for (const NamedTensors& tensors : call.operands) names.push_back(tensors.name);
    return error(fmt::format("--out: there is no {}{}; there are {}", output.name,
                             did_you_mean(output.name, names), fmt::join(names, ", ")));
  }
  const Per per = operand == nullptr ? Per::device : operand->per;
  const std::size_t count = operand == nullptr
                                ? static_cast<std::size_t>(call.request.options.machine.devices)
                                : operand->parts.size();
  output.stacks = call.has_devices && !has_hole(output.spec);
  if (output.parts) return {};
  std::vector<std::string> names = {output.spec};
  if (call.has_devices) names = TRY(part_files(output.spec, per, count));
  output.parts = TRY(PartsOutput::open(std::move(names), files_));
  return {};
}

Expected<void> OutputFiles::settle(const OperationCall& call) {
  std::vector<FilePlace> read, written;
  for (const auto& [by, file] : call.files_read) read.push_back(file_place(by, file, files_));
  for (Output& output : outputs_) {
    TRY(settle(call, output));
    for (const std::string& file : output.parts->files())
      written.push_back(file_place("--out", file, files_));
  }
  return check_places(read, written);
}

Diags OutputFiles::write(const OperationCall& call, const OperationRun& run) {
  Diags diags;
  for (Output& output : outputs_) {
    const NamedTensors* const operand = operand_of(call, output.name);
    const NamedTensors results{output.name, Per::device, run.results};
    collect(diags, output.parts->write(operand == nullptr ? results : *operand, output.stacks));
  }
  return diags;
}

}  // namespace tessera::cli
