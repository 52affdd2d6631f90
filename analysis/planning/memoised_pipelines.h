// Memoises pipelines that move their blocks synchronously. A planned run executes only the first of
// several equal pipelines, for example if another device or a later call repeats one.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "interp/machine/machine.h"
#include "interp/memory/joined_boxes.h"

namespace tessera {

// A pipeline can be memoised if scalars from outside decide its actions: it loads no scalars from
// memory, does not query its device or core, and reads only defined elements. A later pipeline has
// the same pattern if these scalars are equal, the elements that it reads are defined, and the same
// amount of memory is in use. It is not run: its accesses to outer memory are reported, and its
// writes count as stored. Event::token of `enter` and `leave` is the pattern.
class MemoisedPipelines final : public RegionPolicy {
 public:
  // True if a run with these options can memoise pipelines of the program: the program moves blocks
  // synchronously, cores take turns in order, no values are computed, and checks are enabled.
  static bool may_be(const Program& program, const RunOptions& options);
  // Requires may_be() for the machine's program and options. machine must outlive this object.
  explicit MemoisedPipelines(Machine& machine);

  // Emits the event `enter`. Returns Step::skip if the region repeats a pipeline: its accesses and
  // `leave` were emitted, too, and its effects on memory, usage and statistics applied. Otherwise
  // returns Step::next, and records the pipeline if it is new and no other one is being recorded.
  Step enter(Core& core) override;
  void leave(Core& core) override;
  void on(const Event& event) override;

 private:
  // Rectangles of one buffer, and the statement that accesses them first.
  struct Reached {
    BufferId buffer;
    StmtId statement;
    JoinedBoxes joined;
    std::vector<Box> boxes;  // set when all are known
  };
  struct Pattern {
    bool is_usable = true;
    std::vector<Reached> reads, writes;  // in memory that exists before the pipeline begins
    std::vector<BufferId> allocated;     // by the pipeline
    Usage usage;                         // before the pipeline; the peaks include it
    std::int64_t steps = 0, dma_bytes = 0, flops = 0;
  };
  // The pattern that is being recorded.
  struct Seen {
    std::int64_t pattern = 0;
    AgentId core{};
    Usage before{};
    std::int64_t steps = 0, dma_bytes = 0, flops = 0;
  };

  void find_regions();
  // True if a later pipeline with this pattern need not run.
  bool can_begin(Core& core, const Pattern& pattern) const;
  // Emits the events of a pipeline that is not run. number: id of the pattern.
  void tell(Core& core, const Pattern& pattern, std::int64_t number) const;
  // Returns the entry of a buffer, which stays valid until the next call for this list. If there is
  // none, it is added with this statement.
  static Reached& of(std::vector<Reached>& all, BufferId buffer, StmtId statement);
  // True if the recorded pipeline allocated the buffer.
  bool is_inner(BufferId buffer) const;
  // Adds a read to the recorded pattern.
  void read(const Event& event);

  Machine& machine_;
  const Program& program_;
  std::map<StmtId, std::vector<ValueId>> regions_;  // with the scalars that decide their actions
  std::vector<Pattern> patterns_;
  std::map<std::pair<StmtId, std::vector<std::int64_t>>, std::int64_t> numbers_;
  std::optional<Seen> seen_;
};

}  // namespace tessera
