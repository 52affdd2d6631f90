// Line starts of a text, for access to its lines in constant time.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera {

class Lines {
 public:
  // `text` must outlive this object.
  explicit Lines(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at != std::string_view::npos;) {
      starts_.push_back(at);
      at = text.find('\n', at);
      if (at != std::string_view::npos) ++at;
    }
  }

  // True if the text has line `number`, counted from 1. A newline at the end begins an empty line.
  bool has(int number) const {
    return number >= 1 && static_cast<std::size_t>(number) <= starts_.size();
  }
  // Returns line `number`, counted from 1, without its newline; a CR before it stays. Empty if
  // there is no such line. Stays valid as long as the text.
  std::string_view operator[](int number) const {
    if (!has(number)) return {};
    const auto i = static_cast<std::size_t>(number) - 1;
    const std::string_view rest = text_.substr(starts_[i]);
    return i + 1 < starts_.size() ? rest.substr(0, starts_[i + 1] - starts_[i] - 1) : rest;
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace tessera
