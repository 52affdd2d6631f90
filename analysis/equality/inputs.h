// Operands of a run over a field. They are drawn by name, device and index, so that two programs
// get the same values.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/equality/residues.h"
#include "core/data/splitmix.h"

namespace tessera::fields {

// Change of some elements of an operand on one device, to find values that depend on them.
struct Change {
  std::string operand;
  int device = 0;
  std::int64_t begin = 0, end = 0;  // [begin, end), row-major
  bool adds_one = false;            // false: new random values
};

// Distribution of an operand over devices, if it is distributed differently in the other program.
struct Cut {
  // Elements per device, for an operand that is a stack for all devices; 0: no stack.
  std::int64_t each = 0;
  bool is_alike = false;  // all devices have the same values
};
// By operand; other operands are different on each device.
using Cuts = std::map<std::string, Cut, std::less<>>;

class Inputs {
 public:
  // draw: must outlive this object.
  Inputs(const Draw& draw, Cuts cuts, std::optional<Change> change)
      : draw_(draw), cuts_(std::move(cuts)), change_(std::move(change)) {}

  // Elements of an operand on one device, by row-major index.
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
    const Change* change_ = nullptr;  // only for this operand
  };

  // Returns the elements of an operand, which need not exist in a program. The result refers to
  // this object.
  Operand of(std::string_view name, int device) const {
    Operand operand(draw_);
    operand.name_ = SplitMix::mix(text_seed(name));  // different from tags of functions
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
