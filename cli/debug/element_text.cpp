#include "cli/debug/element_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/findings/describe.h"

namespace tessera::cli {

std::string number_text(const Element& element, bool is_real) {
  if (!element.is_defined) return "?";
  return is_real ? fmt::format("{:.6g}", element.real) : fmt::format("{}", element.integer);
}

std::string statistics(const std::vector<Element>& elements, bool is_real) {
  std::int64_t defined = 0;
  double lowest = 0, highest = 0, sum = 0;
  for (const Element& element : elements) {
    if (!element.is_defined) continue;
    const double value =
        is_real ? static_cast<double>(element.real) : static_cast<double>(element.integer);
    lowest = defined == 0 ? value : std::min(lowest, value);
    highest = defined == 0 ? value : std::max(highest, value);
    sum += value;
    ++defined;
  }
  const auto total = static_cast<std::int64_t>(elements.size());
  std::string text = fmt::format("{} of {} defined", defined, counted(total, "element"));
  if (defined == total && total > 0)
    text = fmt::format("{}, all defined", counted(total, "element"));
  if (defined > 0)
    text += fmt::format(", from {:.6g} to {:.6g}, mean {:.6g}", lowest, highest,
                        sum / static_cast<double>(defined));
  return text;
}

}  // namespace tessera::cli
