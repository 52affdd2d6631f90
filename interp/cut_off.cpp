#include "interp/cut_off.h"

#include <fmt/format.h>

#include "core/report/check.h"
#include "core/report/expected.h"

namespace tessera {
namespace {

std::string_view words(RunEnd end) {
  switch (end) {
    case RunEnd::stop:
      return "was interrupted";
    case RunEnd::steps:
      return "reached its limit of steps";
    case RunEnd::events:
      return "reached its limit of recorded events";
    case RunEnd::memory:
      return "reached its limit of memory";
    case RunEnd::program:
      break;
  }
  return {};
}

}  // namespace

Diag cut_off(RunEnd end, std::string_view work) {
  CHECK(end != RunEnd::program);
  return error(ErrorCode::interrupted, fmt::format("{} {} before it was done", work, words(end)));
}

}  // namespace tessera
