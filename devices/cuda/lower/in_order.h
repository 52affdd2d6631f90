// Text of a generated kernel. What its holes are filled with numbers the arguments of the kernel as
// they are first named, so it is evaluated from left to right, whichever compiler built this:
// InOrder{"{} + {}", code.text(a), code.text(b)}. The braces see to that; parentheses would not.
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
