// Extent or element type given by several options and files, which must agree.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/dtype.h"
#include "core/report/expected.h"

namespace tessera::cli {

template <typename T>
struct Agreed {
  std::string_view option;
  std::optional<T> value;
  std::string by;  // source of `value`: the option or a file

  explicit Agreed(std::string_view name, std::optional<T> given = std::nullopt)
      : option(name), value(given), by(fmt::format("--{}", name)) {}

  // Sets the value. Adds an error that names both sources if a different value was set before.
  void say(T other, const std::string& source, Diags& diags) {
    if (value && *value != other) {
      diags.push_back(error(fmt::format("{} gives {} = {}, and {} gives {}", by, option,
                                        shown(*value), source, shown(other))));
    } else if (!value) {
      value = other;
      by = source;
    }
  }
  static std::string shown(std::int64_t extent) { return std::to_string(extent); }
  static std::string shown(DType dtype) { return std::string(name(dtype)); }
};

}  // namespace tessera::cli
