// What stands around a statement: the loops and the calls that it was inlined from, as a debugger
// shows a stack.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/program/loop_index.h"
#include "debugger/session/condition.h"
#include "interp/machine/machine.h"

namespace tessera {

// The body of the kernel or of a function, or a loop of the source.
struct Frame {
  std::string name;  // of the kernel or the function, or of the loop's index
  Loc loc;           // the statement, the loop, or the call in the function around; may be empty
  LoopId loop;       // none: a body
  PlaceId call;      // from which a body was inlined; none: the kernel's, or a loop
  std::optional<std::int64_t> index;  // of a loop, where it is known
};
std::string to_string(const Frame& frame);  // "gmm", "for i = 2"

// From the inside: the body that the statement stands in, the loops of that body, the body that it
// was called from, and so on to the kernel and its loops. Empty of no statement. indices: of the
// loops around it, as loops_of() of the machine gives them.
std::vector<Frame> frames_of(const Program& program, StmtId statement,
                             const LoopIndices& indices = {});

// A core stands outside the innermost loop or function around where the movement began, in another
// turn of the loops around that, or has ended. Of a statement of the kernel itself: it has ended.
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
  LoopIndices around_;  // of the loops outside
};

}  // namespace tessera
