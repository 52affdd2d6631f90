#include "interp/findings/elements_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/findings/describe.h"

namespace tessera {
namespace {

// Maximum number of rows and columns in the text.
constexpr std::int64_t shown_rows = 8, shown_columns = 8;

}  // namespace

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

std::string rows_text(const std::vector<Element>& elements, std::int64_t columns, bool is_real,
                      const std::vector<bool>& is_marked) {
  std::string text;
  const std::int64_t rows =
      static_cast<std::int64_t>(elements.size()) / std::max<std::int64_t>(1, columns);
  for (std::int64_t r = 0; r < std::min(rows, shown_rows); ++r) {
    text += " ";
    for (std::int64_t c = 0; c < std::min(columns, shown_columns); ++c) {
      const auto at = static_cast<std::size_t>(r * columns + c);
      const bool has_mark = !is_marked.empty() && is_marked[at];
      text += fmt::format(" {:>10}", (has_mark ? "*" : "") + number_text(elements[at], is_real));
    }
    text += columns > shown_columns ? "  ...\n" : "\n";
  }
  if (rows > shown_rows) text += fmt::format("  ... {} rows more\n", rows - shown_rows);
  return text;
}

std::int64_t columns_of(const Box& box) {
  std::int64_t columns = 1;
  for (int d = 0; d < box.rank; ++d)
    if (box.keeps(d)) columns = box.size[Box::at(d)];
  return columns;
}

}  // namespace tessera
