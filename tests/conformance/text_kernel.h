// Programs from text, expanded and run on operands that are small whole numbers.
#pragma once
#include <string>
#include <utility>

#include "core/lang/language.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera::testing {

// The first kernel of the text as the interpreter runs it.
inline Program expanded(const std::string& text, const Settings& settings = {}) {
  const auto structured = test::program(text, settings);
  if (!structured) {
    ADD_FAILURE() << render(structured.diags());
    return {};
  }
  auto program = expand(*structured);
  if (!program) {
    ADD_FAILURE() << render(program.diags());
    return {};
  }
  return *std::move(program);
}

// The findings of one run, "line: kind: message" each, without their notes.
inline std::string findings_of(const Program& program, const RunOptions& options) {
  std::string all;
  for (Finding finding : run_ok(program, options).findings) {
    finding.notes.clear();
    all += (all.empty() ? "" : "\n") + text(finding);
  }
  return all;
}

}  // namespace tessera::testing
