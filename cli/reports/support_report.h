// The support table as Markdown and as JSON.
#pragma once
#include <string>

#include "cli/reports/console.h"
#include "kernels/operation/support.h"

namespace tessera::cli {

// A Markdown table; options of one operation with equal answers share a row, and the reasons of
// refusals are numbered below it. README.md holds it.
std::string support_page(const SupportTable& table);
Json to_json(const SupportTable& table);

}  // namespace tessera::cli
