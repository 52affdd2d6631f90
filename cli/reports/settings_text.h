// The parameters of a kernel with their values, for reports.
#pragma once
#include <string>

#include "core/program/program.h"
#include "text/json.h"

namespace tessera::cli {

std::string settings_text(const Program& program);  // " m=300 T=f32"; empty without parameters
Json settings_json(const Program& program);         // by name, numbers as numbers

}  // namespace tessera::cli
