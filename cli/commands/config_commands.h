// The commands about configurations, beside the operations that take them.
#pragma once
#include "cli/command.h"

namespace tessera::cli {

Command tune_command();
Command cache_command();

}  // namespace tessera::cli
