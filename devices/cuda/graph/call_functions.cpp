#include "devices/cuda/graph/call_functions.h"

#include <fmt/format.h>

#include "devices/cuda/lower/source_template.h"

namespace tessera::cuda {

std::int64_t CallFunctions::number(const std::string& body, const std::string& what) {
  const auto next = static_cast<std::int64_t>(functions_.size());
  const auto [found, is_new] = numbers_.emplace(body, next);
  if (is_new) functions_.push_back({body, what});
  return found->second;
}

std::string CallFunctions::definitions() const {
  std::string text;
  for (std::size_t f = 0; f < functions_.size(); ++f)
    text += fmt::format("  // {}\n  static TESSERA_DEVICE void f{}(const Call& c) {{\n{}  }}\n",
                        functions_[f].what, f, indented(functions_[f].body, 4));
  return text;
}

std::string CallFunctions::cases() const {
  std::string text;
  for (std::size_t f = 0; f < functions_.size(); ++f)
    text += fmt::format("      case {0}: return f{0}(c);\n", f);
  return text;
}

}  // namespace tessera::cuda
