#include "core/program/broadcast.h"

#include <fmt/format.h>

#include "core/program/refs.h"

namespace tessera {

bool broadcasts_to(const Program& program, const Slice& source, const Slice& target) {
  if (is_number(program, source)) return true;
  const std::vector<int> from = kept(source), to = kept(target);
  if (from.size() > to.size()) return false;
  for (std::size_t back = 1; back <= from.size(); ++back) {
    const auto have = program.constant(
        source.size[static_cast<std::size_t>(*(from.end() - static_cast<std::ptrdiff_t>(back)))]);
    const auto want = program.constant(
        target.size[static_cast<std::size_t>(*(to.end() - static_cast<std::ptrdiff_t>(back)))]);
    if (have && want && *have != *want && *have != 1) return false;
  }
  return true;
}

std::string slice_shape_text(const Program& program, const Slice& slice) {
  std::string text;
  for (const int d : kept(slice)) {
    const auto size = program.constant(slice.size[static_cast<std::size_t>(d)]);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", size ? std::to_string(*size) : "...");
  }
  return fmt::format("({})", text);
}

std::string misfit_text(std::string_view name, std::string_view shape, std::string_view wanted) {
  const std::string_view length = shape.substr(1, shape.size() - 2);
  const bool is_column = length.find(',') == std::string_view::npos && !length.empty() &&
                         wanted.substr(1).starts_with(fmt::format("{}, ", length)) &&
                         wanted.find(',') == wanted.rfind(',');
  return fmt::format(
      "{} has shape {}, which does not fit {}: counted from the last, each dimension must be equal "
      "or 1{}",
      name, shape, wanted,
      is_column ? fmt::format("; as a column it has shape ({}, 1)", length) : "");
}

std::string operand_name(const Program& program, const Slice& slice, std::string_view what) {
  const std::string& name = program.value(slice.base).name;
  return name.empty() ? std::string(what) : fmt::format("`{}`", name);
}

}  // namespace tessera
