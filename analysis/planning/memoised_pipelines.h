// What pipelines do that move their blocks at once, so that a run that is planned does not do the
// same again: on another device, say, or in the next call.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "interp/machine/machine.h"
#include "interp/memory/joined_boxes.h"

namespace tessera {

// A pipeline loads no number of memory and asks for no place in the machine, so that the scalars
// around it decide what it does; and what it reads is defined, so that nothing else does. The next
// one that begins with the same scalars, where the same is defined and as much memory is taken, is
// of the same pattern: it is not run, what it reaches of the memory around it is told and counts
// as stored. Events that enter a pipeline say so: Event::token is its pattern.
class MemoisedPipelines final : public RegionPolicy {
 public:
  // Whether a run of the program can have any: one core after the other does all that it can, and
  // no values are computed.
  static bool may_be(const Program& program, const RunOptions& options);
  explicit MemoisedPipelines(Machine& machine);

  Step enter(Core& core) override;
  void leave(Core& core) override;
  void on(const Event& event) override;

 private:
  // Rectangles of one buffer, and who reached them first.
  struct Reached {
    BufferId buffer;
    StmtId statement;
    JoinedBoxes joined;
    std::vector<Box> boxes;  // when all are known
  };
  struct Pattern {
    bool is_usable = true;
    std::vector<Reached> reads, writes;  // of memory that exists before it begins
    std::vector<BufferId> allocated;     // in it
    Usage usage;                         // before it; the most is that of the pipeline
    std::int64_t steps = 0, dma_bytes = 0, flops = 0;
  };
  // The pattern that is being seen for the first time.
  struct Seen {
    std::int64_t pattern = 0;
    AgentId core{};
    Usage before{};
    std::int64_t steps = 0, dma_bytes = 0, flops = 0;
  };

  void find_regions();
  bool can_begin(Core& core, const Pattern& pattern) const;
  void tell(Core& core, const Pattern& pattern, std::int64_t number) const;
  static Reached& of(std::vector<Reached>& all, BufferId buffer, StmtId statement);
  bool is_inner(BufferId buffer) const;
  void read(const Event& event);

  Machine& machine_;
  const Program& program_;
  std::map<StmtId, std::vector<ValueId>> regions_;  // with the scalars that decide
  std::vector<Pattern> patterns_;
  std::map<std::pair<StmtId, std::vector<std::int64_t>>, std::int64_t> numbers_;
  std::optional<Seen> seen_;
};

}  // namespace tessera
