// Records everything that the duration of a run depends on: for each core its work, copy starts and
// semaphore operations in order; for each copy its bytes and its signals.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/machine/machine_profile.h"
#include "core/machine/machine_rates.h"
#include "core/program/program.h"
#include "interp/machine/topology.h"
#include "interp/observe/event.h"

namespace tessera {

class TimingRecord {
 public:
  // A step of a core. work: takes `seconds`. Other acts: `object` is a copy or a cell.
  enum class Act : std::uint8_t { work, start, signal, wait, await };
  struct Step {
    Act act = Act::work;
    std::int32_t object = -1;
    std::int64_t amount = 0;  // work: number of its pieces, for a drawing; signal, wait: count
    double seconds = 0;
  };
  // Statement of an event, and its number among the steps of its core in the run.
  struct Origin {
    StmtId statement;
    std::int64_t number = 0;
  };
  // A part of a core's work on one unit, or a mark for drawings: the begin or the end of a trace
  // region or a lifetime.
  enum class Unit : std::uint8_t { control, vector, matrix, mark };
  struct Piece {
    Unit unit = Unit::control;
    EventKind mark = EventKind::enter;  // mark: enter, leave, alloc or release
    Origin origin{};
    double seconds = 0;
    BufferId buffer{};  // lifetime: buffer in vmem
    CoreIndex core{};   // lifetime: owner of the buffer
  };
  // times: only the times are stored. drawing: also all data for a drawing.
  enum class Detail : std::uint8_t { times, drawing };
  struct Copy {
    CoreIndex from{}, to{};
    StmtId statement;         // its start
    std::int64_t number = 0;  // among the copies that its core started
    bool is_remote = false, is_reading = true;
    std::int64_t read_step = -1, written_step = -1;  // steps of its first events
    double read = 0, written = 0, moved = 0;         // bytes read from hbm, written to hbm, moved
    std::int32_t sent = -1, arrived = -1;            // cells, or -1
    std::int64_t sent_amount = 0, arrived_amount = 0;
    BufferId source{}, target{};
  };
  struct Core {
    std::vector<Step> steps;
    std::vector<std::int32_t> copies;  // by the number of the copy at this core
    // For a drawing: all pieces of work, and the origin of each step.
    std::vector<Piece> pieces;
    std::vector<Origin> origins;
    double matrix = 0, vector = 0, control = 0;
    double products = 0;  // seconds of products without padding
    std::int64_t last_step = -1;
    double rows_by_depth = 0;  // elements of the left operand of the current product
  };

  // program: must outlive this object.
  TimingRecord(const Program& program, const MachineProfile& profile, const Topology& topology,
               const MachineRates& rates, Detail detail = Detail::times);
  // Records the next event of the run.
  void on(const Event& event);

  const Table<CoreIndex, Core>& cores() const { return cores_; }
  const std::vector<Copy>& copies() const { return copies_; }
  // Bytes that copies read from a device's buffer in hbm, and wrote to it. Repeated accesses count.
  struct Traffic {
    double read = 0, written = 0;
  };
  // By device and buffer.
  const std::map<std::pair<std::int32_t, BufferId>, Traffic>& traffic() const { return traffic_; }
  // Number of semaphore cells of all cores. The ids of cells are below it, equally many per core.
  std::int32_t cells() const { return cells_per_core_ * topology_.count(); }
  const Topology& topology() const { return topology_; }
  const MachineProfile& profile() const { return profile_; }
  const MachineRates& rates() const { return rates_; }
  const Program& program() const { return program_; }
  // Returns the name of a cell in reports, for example "arrived[1]". cell: less than cells().
  std::string cell_name(std::int32_t cell) const;
  // True if the cell counts bytes.
  bool counts_bytes(std::int32_t cell) const;
  // Returns the name of a `trace` region; empty for other statements.
  std::string region_name(StmtId statement) const;

 private:
  void on_core(const Event& event);
  void on_copy(const Event& event);
  void work(Core& core, const Piece& piece);
  void step(Core& core, const Step& step, const Origin& origin);
  void mark(const Event& event);
  void tile(Core& core, const Event& event);
  // Bytes that a copy of the rectangle moves, in whole tiles of (sublanes, lanes).
  double moved_bytes(const Buffer& buffer, const Box& box) const;
  // Seconds of the product that `event` ends. is_padded: padded to tiles of the matrix unit.
  double product_seconds(const Core& core, const Matmul& op, const Event& event,
                         bool is_padded) const;
  // Returns the cell of a semaphore event.
  std::int32_t cell(const Event& event) const;
  // Returns the first semaphore with the cell of a core; none if there is no such cell.
  SemaphoreId semaphore_of(std::int32_t own_cell) const;

  const Program& program_;
  MachineProfile profile_;
  MachineRates rates_;
  Detail detail_;
  Table<SemaphoreId, std::int32_t> first_cell_;
  std::int32_t cells_per_core_ = 0;
  Topology topology_;
  Table<CoreIndex, Core> cores_;
  std::vector<Copy> copies_;
  std::map<std::pair<std::int32_t, BufferId>, Traffic> traffic_;
};

}  // namespace tessera
