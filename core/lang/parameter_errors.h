// What is wrong with the values that a kernel's parameters are given, in one wording for the
// language and for whoever asks before it.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// "kernel `twice` has no parameter `row`; did you mean 'rows'?", or what it has instead.
std::string unknown_parameter(std::string_view kernel, std::string_view name,
                              std::span<const std::string_view> known);
// "kernel `matmul` needs values for `m`, `k`": at least one that has no default.
std::string values_needed(std::string_view kernel, std::span<const std::string> parameters);

}  // namespace tessera
