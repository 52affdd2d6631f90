// Messages about the values of a kernel's parameters, shared by the language and by callers that
// check them earlier.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// Returns "kernel `twice` has no parameter `row`; did you mean 'rows'?", or the known parameters
// instead of a suggestion.
std::string unknown_parameter(std::string_view kernel, std::string_view name,
                              std::span<const std::string_view> known);
// Returns "kernel `matmul` needs values for `m`, `k`". parameters: at least one, without defaults.
std::string values_needed(std::string_view kernel, std::span<const std::string> parameters);

}  // namespace tessera
