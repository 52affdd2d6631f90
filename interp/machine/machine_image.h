// State of a machine between two steps. It refers to storages, statements and instructions of the
// machine that saved it.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "interp/dma/copies_image.h"
#include "interp/machine/machine.h"

namespace tessera {

struct MachineImage {
  struct OfCore {
    Core::Image core;
    Semaphores::Image semaphores;
    Table<BufferId, std::int64_t> lives;
    Usage usage;
    std::vector<Storage::SharedImage> storages;  // only buffers that the core owns
  };
  struct Numbers {
    std::int64_t step = 0, passed = 0, limits_look = 0, starts = 0, turn_steps = 0;
    bool is_begun = false, is_checked_at_end = false, is_stopped = false;
    RunEnd end = RunEnd::program;
  };

  std::vector<OfCore> cores{};
  Copies::Image copies{};
  Ready ready{};
  std::vector<CoreIndex> blocked{};
  std::unique_ptr<Scheduler> scheduler{};
  TraceHash hash{};
  Numbers numbers{};
  std::optional<Turn> turn{};
  std::optional<Diag> refused{};
  std::vector<Finding> findings{};
  std::vector<ScheduleItem> recorded{};
  RunStats stats{};
  std::optional<HeldBytes::Share> held{};  // approximate size without memory images
};

}  // namespace tessera
