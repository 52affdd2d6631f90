// Finds the last write to one element of a buffer: its rectangle, statement and loop indices. For a
// block that a pipeline writes back, this is the store to the slot of the block.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/report/finding.h"
#include "interp/machine/topology.h"
#include "interp/memory/view.h"
#include "interp/observe/observer.h"

namespace tessera {

class LastWrite : public Observer {
 public:
  struct Found {
    Box box;          // written rectangle
    FindingPlace at;  // for a copy that the program starts: its start
  };

  // buffer: its name in the program; index: logical.
  LastWrite(int device, std::string buffer, const Index& index)
      : device_(device), name_(std::move(buffer)), index_(index) {}
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool supports_loop_workers() const override { return true; }

  // Last write so far; none if the element was not written, or the program has no such buffer.
  const std::optional<Found>& found() const { return found_; }

 private:
  using Copier = std::tuple<std::int32_t, std::int16_t, std::int16_t, std::int64_t>;
  static Copier copier(const AgentId& agent) {
    return {agent.device, agent.core, agent.worker, agent.dma};
  }
  Found found(const Event& event) const;
  void follow_slot(const Event& event);

  int device_;
  std::string name_;
  Index index_;
  const Program* program_ = nullptr;
  Topology topology_;
  BufferId buffer_;
  Table<BufferId, bool> is_slot_;  // slot of a block that is written back
  std::map<std::pair<CoreIndex, BufferId>, std::vector<Found>> stores_;  // last stores to slots
  std::map<Copier, FindingPlace> stored_by_;  // by copy that read a slot: the store to the slot
  std::optional<Found> found_;
};

}  // namespace tessera
