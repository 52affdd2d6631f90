// The operands of a field run: drawn by name, device and place, so that two programs get the same.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/equality/residues.h"
#include "core/data/splitmix.h"

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

  // The elements of an operand on one device, by their place, row-major.
  class Operand {
   public:
    Number operator()(std::int64_t i) const {
      std::int64_t device = device_;
      if (each_ > 0) {
        device = i / each_;
        i %= each_;
      }
      const std::uint64_t tag = name_ + SplitMix::golden * static_cast<std::uint64_t>(device);
      const auto place = static_cast<std::uint64_t>(i);
      const Number value = draw_.unknown(tag, place);
      if (change_ == nullptr || change_->device != device || i < change_->begin ||
          i >= change_->end)
        return value;
      if (!change_->adds_one) return draw_.unknown(~tag, place);
      return {draw_.p.add(value.p, 1), draw_.q.add(value.q, 1)};
    }

   private:
    friend class Inputs;
    explicit Operand(const Draw& draw) : draw_(draw) {}
    const Draw& draw_;
    std::uint64_t name_ = 0;
    std::int64_t device_ = 0, each_ = 0;
    const Change* change_ = nullptr;  // of this operand
  };

  Operand of(std::string_view name, int device) const {
    Operand operand(draw_);
    operand.name_ = SplitMix::mix(text_seed(name));  // no tag of a function
    operand.device_ = device;
    if (const auto cut = cuts_.find(name); cut != cuts_.end()) {
      operand.each_ = cut->second.each;
      if (cut->second.is_alike) operand.device_ = 0;
    }
    if (change_ && change_->operand == name) operand.change_ = &*change_;
    return operand;
  }

 private:
  const Draw& draw_;
  Cuts cuts_;
  std::optional<Change> change_;
};

}  // namespace tessera::fields
