// What a run's time depends on: for each core its work and its dealings with semaphores and copies
// in order, for each copy what it moves and whom it tells.
#pragma once
#include <cstdint>
#include <vector>

#include "core/machine/machine_profile.h"
#include "core/machine/machine_rates.h"
#include "core/program/program.h"
#include "interp/machine/topology.h"
#include "interp/observe/event.h"

namespace tessera {

class TimingRecord {
 public:
  // One act of a core. Work: `seconds`. Otherwise `object` is a copy or a cell.
  enum class Act : std::uint8_t { work, start, signal, wait, await };
  struct Step {
    Act act = Act::work;
    std::int32_t object = -1;
    std::int64_t amount = 0;
    double seconds = 0;
  };
  struct Copy {
    SiteId from{}, to{};
    bool is_remote = false, is_reading = true;
    std::int64_t read_step = -1, written_step = -1;  // in which that was told first
    double read = 0, written = 0, moved = 0;         // bytes of hbm read and written, and of all
    std::int32_t sent = -1, arrived = -1;            // cells, or -1
    std::int64_t sent_amount = 0, arrived_amount = 0;
  };
  struct Core {
    std::vector<Step> steps;
    std::vector<std::int32_t> copies;  // by the number of the copy among those of the core
    double matrix = 0, vector = 0, control = 0;
    std::int64_t last_step = -1;
    double rows_by_depth = 0;  // elements of the left operand of the product at hand
  };

  TimingRecord(const Program& program, const MachineProfile& profile, const Topology& topology,
               const MachineRates& rates);
  void on(const Event& event);

  const Table<SiteId, Core>& cores() const { return cores_; }
  const std::vector<Copy>& copies() const { return copies_; }
  std::int32_t cells() const { return cells_per_core_ * topology_.count(); }
  const Topology& topology() const { return topology_; }
  const MachineProfile& profile() const { return profile_; }
  const MachineRates& rates() const { return rates_; }

 private:
  void on_core(const Event& event);
  void on_copy(const Event& event);
  void work(Core& core, double seconds);
  void tile(Core& core, const Event& event);
  double moved_bytes(const Buffer& buffer, const Box& box) const;
  double product_seconds(const Core& core, const Matmul& op, const Event& event) const;
  std::int32_t cell(const Event& event) const;

  const Program& program_;
  MachineProfile profile_;
  MachineRates rates_;
  Table<SemaphoreId, std::int32_t> first_cell_;
  std::int32_t cells_per_core_ = 0;
  Topology topology_;
  Table<SiteId, Core> cores_;
  std::vector<Copy> copies_;
};

}  // namespace tessera
