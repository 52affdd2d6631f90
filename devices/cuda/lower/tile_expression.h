// An elementwise tile op as an expression of one element.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/program/op.h"

namespace tessera::cuda {

// `read` gives the text of a source's element, a float. Nothing for an op that is not elementwise.
std::optional<std::string> tile_expression(const Op& op,
                                           const std::function<std::string(const Slice&)>& read);

// The same of the ops of integers alone, over i64; `type` is what they are computed in.
std::optional<std::string> whole_expression(const Op& op, std::string_view type,
                                            const std::function<std::string(const Slice&)>& read);

}  // namespace tessera::cuda
