// Operands and results in a report.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "cli/args/bindings.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t shown_elements = 16;  // max elements for which all values are shown

std::string summary(const Tensor& tensor, const std::string& unknown) {
  if (!unknown.empty())
    return fmt::format("{}{} unknown, {} makes it", name(tensor.dtype()), to_string(tensor.shape()),
                       unknown);
  const std::int64_t count = tensor.elements();
  std::string text = fmt::format("{}{}", name(tensor.dtype()), to_string(tensor.shape()));
  if (count <= shown_elements) {
    text += " =";
    for (std::int64_t i = 0; i < count; ++i) text += fmt::format(" {:.6g}", tensor.at(i));
    return text;
  }
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = tensor.at(i);
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  return text + fmt::format(" from {:.6g} to {:.6g}, mean {:.6g}", least, most,
                            sum / static_cast<double>(count));
}

}  // namespace

std::string Bindings::operand_lines() const {
  std::string text;
  const auto add = [&](const Bound& bound, const std::string& devices) {
    std::string origin = bound.origin;
    if (origin == "zeros") origin = fmt::format("zeros (--in {}=... gives it)", bound.buffer->name);
    text +=
        fmt::format("{:<10}{}{} {}{}, {}\n", text.empty() ? "operands" : "", bound.buffer->name,
                    devices, name(bound.buffer->dtype), to_string(bound.tensor.shape()), origin);
  };
  for (const Bound& first : bound_) {
    if (first.buffer->role != Role::in || first.device != 0) continue;
    std::vector<const Bound*> each;  // in the order of the devices
    for (const Bound& bound : bound_)
      if (bound.buffer == first.buffer) each.push_back(&bound);
    // Consecutive devices with the same origin share a line. The line names no devices if it is for
    // all of them.
    for (std::size_t begin = 0, end; begin < each.size(); begin = end) {
      for (end = begin + 1; end < each.size() && each[end]->origin == each[begin]->origin;) ++end;
      add(*each[begin], end - begin == each.size() ? ""
                        : end - begin == 1         ? fmt::format("@{}", begin)
                                                   : fmt::format("@{}..{}", begin, end - 1));
    }
  }
  return text;
}

std::string Bindings::result_lines() const {
  std::string text;
  for (const Bound& bound : bound_) {
    if (bound.buffer->role != Role::out) continue;
    const std::string device = devices_ > 1 ? fmt::format("@{}", bound.device) : "";
    text += fmt::format("{:<10}{}{} {}\n", text.empty() ? "results" : "", bound.buffer->name,
                        device, summary(bound.tensor, bound.unknown));
  }
  return text;
}

Json Bindings::results_json() const {
  Json results = Json::array();
  for (const Bound& bound : bound_) {
    if (bound.buffer->role != Role::out) continue;
    Json row = {{"name", bound.buffer->name},
                {"device", bound.device},
                {"dtype", name(bound.buffer->dtype)},
                {"shape", bound.tensor.shape()},
                {"summary", summary(bound.tensor, bound.unknown)}};
    row["file"] = bound.file.empty() ? Json() : Json(bound.file);
    results.push_back(std::move(row));
  }
  return results;
}

}  // namespace tessera::cli
