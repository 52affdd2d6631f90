// Exception for an external value that the library cannot represent.
#pragma once  // public
#include <exception>
#include <string>
#include <utility>

namespace tessera {

// Thrown if no Expected can be returned, for example by the constructor of a tensor with an
// overflowing size. Public functions return it as a Diag with ErrorCode::invalid_value.
class InvalidValue : public std::exception {
 public:
  // text: "expected ..., found ...", without a full stop.
  explicit InvalidValue(std::string text) : text_(std::move(text)) {}
  // Returns the text.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace tessera
