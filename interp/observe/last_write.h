// Who wrote one element of a buffer last: which rectangle, by which statement, and where that was
// in its loops. Of a block that a pipeline writes back it is who stored to the block's slot.
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
    Box box;          // that was written
    FindingPlace at;  // of a copy that the program starts: where it does
  };

  // buffer: its name in the program; index: logical.
  LastWrite(int device, std::string buffer, const Index& index)
      : device_(device), name_(std::move(buffer)), index_(index) {}
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool supports_loop_workers() const override { return true; }

  // None: nothing wrote it.
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
  Table<BufferId, bool> is_slot_;  // of blocks that are written back
  std::map<std::pair<CoreIndex, BufferId>, std::vector<Found>> stores_;  // to slots, the last ones
  std::map<Copier, FindingPlace> stored_by_;  // by copies that have read a slot: who stored it
  std::optional<Found> found_;
};

}  // namespace tessera
