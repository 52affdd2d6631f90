// Stack frames of a statement: the loops and the inlined calls around it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/program/loop_index.h"
#include "debugger/session/condition.h"
#include "interp/machine/machine.h"

namespace tessera {

// A frame: the body of the kernel or of a function, or a loop.
struct Frame {
  std::string name;  // name of the kernel or function, or of the loop's index; empty: unknown
  Loc loc;           // statement, loop, or call within the caller; may be empty
  LoopId loop;       // none for a body
  PlaceId call;      // call through which a body was inlined; none: the kernel's, or a loop
  std::optional<std::int64_t> index;  // loop index, if known
};
std::string to_string(const Frame& frame);  // "gmm", "for i = 2"

// Returns the frames, innermost first: the body that contains the statement, the loops of that
// body, the body that called it, and so on to the kernel and its loops. Empty without a statement.
// indices: the indices of the loops around the statement, as returned by Machine::loops_of().
std::vector<Frame> frames_of(const Program& program, StmtId statement,
                             const LoopIndices& indices = {});

// Holds after the core has left the innermost loop or function of the place where the movement
// began, has reached another iteration of the loops around that, or has finished. If the movement
// began in the kernel's body outside loops, holds only after the core has finished.
class FrameLeft final : public StopCondition {
 public:
  explicit FrameLeft(AgentId core) : core_(core) {}
  void begin(Machine& machine) override;
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  bool is_inside(Machine& machine, StmtId statement) const;

  AgentId core_;
  std::int64_t steps_ = 0;
  LoopId loop_;
  PlaceId call_;
  LoopIndices around_;  // indices of the outer loops
};

}  // namespace tessera
