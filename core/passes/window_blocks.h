// Blocks of a window: the rectangles of the operand that they cover, clipped to the operand.
#pragma once
#include <cstdint>
#include <vector>

#include "core/passes/expand.h"
#include "core/passes/pipeline_parts.h"

namespace tessera {

// Block of a window at one grid point.
struct WindowBlock {
  std::vector<ValueId> start;  // for every dimension of the source
  std::vector<ValueId> size;   // clipped to the operand
  ValueId when = no_value;     // condition under which the window is used at this point
  Slice source;                // clipped rectangle

  // True if the start is constant: the block is opened once, so no earlier block must be written
  // back.
  bool stays(const Program& program) const;
};

class WindowBlocks {
 public:
  // around: values defined around the pipeline. All arguments must outlive this object.
  WindowBlocks(Expander& expander, const PipelineWindow& part, const ValueMap& around)
      : expander_(expander),
        builder_(expander.builder()),
        old_(expander.old()),
        part_(part),
        around_(around) {}

  // Returns the block with its starts and its condition; call locate() for its size and source.
  // point: values at the grid point.
  WindowBlock at(const ValueMap& point);
  // Sets size and source of the block at b.start. check: emits a check that stops the run if a
  // block with elements starts outside the operand.
  void locate(WindowBlock& b, bool check);
  // True if no located block is clipped. Dropped dimensions, and single elements of memory read in
  // place, are not considered. Requires locate().
  bool always_inside() const;
  // Returns the number of bytes of the clipped block. Requires locate().
  ValueId bytes(const WindowBlock& b);

 private:
  const Window& window() const;
  std::vector<ValueId> extents();  // per dimension of the window's source
  // Returns the size of a block clipped to the extent. block: its size.
  ValueId clipped(ValueId start, std::int64_t block, ValueId extent);
  // True if it is known that the block does not exceed the extent.
  bool divides(ValueId start, std::int64_t block, ValueId extent);
  bool may_be_empty();  // an extent of the source is only known at run time
  void check_inside(ValueId start, ValueId extent);

  Expander& expander_;
  Builder& builder_;
  const Program& old_;
  const PipelineWindow& part_;
  const ValueMap& around_;
  std::vector<bool> inside_;  // per dimension of the source: blocks never exceed it
};

}  // namespace tessera
