// Formatted text of a generated kernel. Kernel arguments are numbered in the order in which the
// text names them, so the operands must be evaluated from left to right with every compiler:
// InOrder{"{} + {}", code.text(a), code.text(b)}. Braces guarantee this order; parentheses do not.
#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>

namespace tessera::cuda {

class InOrder {
 public:
  template <typename... Args>
  explicit InOrder(fmt::format_string<Args...> text, Args&&... args)
      : text_(fmt::format(text, std::forward<Args>(args)...)) {}
  operator std::string() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace tessera::cuda
