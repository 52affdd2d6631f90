// Where the blocks of a window are: what of the operand they cover, clipped to it.
#pragma once
#include <cstdint>
#include <vector>

#include "core/passes/expand.h"
#include "core/passes/pipeline_parts.h"

namespace tessera {

// Where a window stands at one point of the grid.
struct WindowBlock {
  std::vector<ValueId> start;  // of every dimension of the source
  std::vector<ValueId> size;   // clipped to the operand
  ValueId when = no_value;
  Slice source;  // the clipped rectangle

  // It is opened once: no earlier block has to go back before it.
  bool stays(const Program& program) const;
};

class WindowBlocks {
 public:
  // around: what is defined around the pipeline.
  WindowBlocks(Expander& expander, const PipelineWindow& part, const ValueMap& around)
      : expander_(expander),
        builder_(expander.builder()),
        old_(expander.old()),
        part_(part),
        around_(around) {}

  // Its starts and whether it is there; `locate` says the rest.
  WindowBlock at(const ValueMap& point);
  // The rectangle of the operand that a block starting at b.start covers. With `check`, a block
  // that has nothing inside the operand ends the run.
  void locate(WindowBlock& b, bool check);
  // No block that was located can leave the operand.
  bool always_inside() const;
  ValueId bytes(const WindowBlock& b);

 private:
  const Window& window() const;
  std::vector<ValueId> extents();
  ValueId clipped(ValueId start, std::int64_t block, ValueId extent);
  bool divides(ValueId start, std::int64_t block, ValueId extent);
  bool may_be_empty();
  void check_inside(ValueId start, ValueId extent);

  Expander& expander_;
  Builder& builder_;
  const Program& old_;
  const PipelineWindow& part_;
  const ValueMap& around_;
  std::vector<bool> inside_;  // by dimension of the source: a block never leaves it
};

}  // namespace tessera
