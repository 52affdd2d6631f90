#include "analysis/running_error/bound.h"

#include <algorithm>

namespace tessera::running_error {

Bound Reasons::unknown(const std::string& text, StmtId statement) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Reason& reason) {
    return reason.statement == statement && reason.text == text;
  });
  const auto number = static_cast<std::uint32_t>(found - all_.begin());
  if (found == all_.end()) all_.push_back({text, statement});
  return unknown_for(number);
}

}  // namespace tessera::running_error
