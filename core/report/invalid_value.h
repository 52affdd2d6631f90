// The exception of a value from outside that the library cannot represent.
#pragma once  // public
#include <exception>
#include <string>
#include <utility>

namespace tessera {

// Thrown where no Expected can be returned, for example by the constructor of a tensor whose size
// overflows. Public entries return it as a Diag of ErrorCode::invalid_value.
class InvalidValue : public std::exception {
 public:
  // text: "expected ..., found ...", without a full stop.
  explicit InvalidValue(std::string text) : text_(std::move(text)) {}
  // The text.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace tessera
