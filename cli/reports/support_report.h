// The support table as Markdown and as JSON.
#pragma once
#include <string>

#include "cli/reports/console.h"
#include "kernels/operation/support.h"

namespace tessera::cli {

// Returns a Markdown table, which is part of docs/reference/support.md. Options of an operation
// with equal answers share a row, and so do operations with equal options and answers. The reasons
// of the answers are numbered below the table.
std::string support_page(const SupportTable& table);
// Returns one object per row, with the answer and its reason for each execution.
Json to_json(const SupportTable& table);

}  // namespace tessera::cli
