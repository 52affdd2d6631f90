// The operands of a field run: drawn by name, device and place, so that two programs get the same.
#pragma once
#include <cstdint>
#include <map>
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

// How an operand is cut over devices, where the other program has it cut otherwise.
struct Cut {
  std::int64_t each = 0;  // this one stands for all devices, with so many elements of each; 0: not
  bool is_alike = false;  // all devices have the same
};
using Cuts = std::map<std::string, Cut, std::less<>>;  // by operand; others are each device's own

class Inputs {
 public:
  Inputs(const Draw& draw, Cuts cuts, std::optional<Change> change)
      : draw_(draw), cuts_(std::move(cuts)), change_(std::move(change)) {}

  Number at(std::string_view operand, int device, std::int64_t i) const {
    if (const auto cut = cuts_.find(operand); cut != cuts_.end()) {
      if (cut->second.is_alike) device = 0;
      if (cut->second.each > 0) device = static_cast<int>(i / cut->second.each);
      if (cut->second.each > 0) i %= cut->second.each;
    }
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
  Cuts cuts_;
  std::optional<Change> change_;
};

}  // namespace tessera::fields
