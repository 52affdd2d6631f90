// Options that name a file to write.
#pragma once
#include <memory>
#include <string_view>

#include "cli/args/options.h"
#include "core/host/output_file.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Opens the file of the option; null if the option is not given. Fails for `-`, and like
// OutputFile::create() with the files that the command reads.
Expected<std::shared_ptr<OutputFile>> opened_output(const Arguments& arguments,
                                                    std::string_view option);

}  // namespace tessera::cli
