#include "cli/args/output_option.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tessera::cli {

Expected<std::shared_ptr<OutputFile>> opened_output(const Arguments& arguments,
                                                    std::string_view option) {
  if (!arguments.has(option)) return std::shared_ptr<OutputFile>();
  const std::string path(arguments.text(option));
  if (path == "-") return error(fmt::format("--{} writes a file, and - names none", option));
  Expected<OutputFile> file = OutputFile::create(path, arguments.files());
  if (!file) return file.diags();
  return std::make_shared<OutputFile>(*std::move(file));
}

}  // namespace tessera::cli
