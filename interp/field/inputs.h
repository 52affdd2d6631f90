// The operands of a field run: drawn by name, device and place, so that two programs get the same.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/splitmix.h"
#include "interp/field/residues.h"

namespace tessera::fields {

// Some elements of an operand on one device, changed to see what depends on them.
struct Change {
  std::string operand;
  int device = 0;
  std::int64_t begin = 0, end = 0;  // row-major
  bool adds_one = false;            // else they are drawn anew
};

class Inputs {
 public:
  explicit Inputs(const Draw& draw, std::optional<Change> change = std::nullopt)
      : draw_(draw), change_(std::move(change)) {}

  Number at(std::string_view operand, int device, std::int64_t i) const {
    const std::uint64_t tag = text_seed(operand) + SplitMix::golden * static_cast<unsigned>(device);
    const auto place = static_cast<std::uint64_t>(i);
    Number value = draw_.unknown(tag, place);
    if (!change_ || change_->operand != operand || change_->device != device ||
        i < change_->begin || i >= change_->end)
      return value;
    if (!change_->adds_one) return draw_.unknown(~tag, place);
    return {draw_.p.add(value.p, 1), draw_.q.add(value.q, 1)};
  }

 private:
  const Draw& draw_;
  std::optional<Change> change_;
};

}  // namespace tessera::fields
