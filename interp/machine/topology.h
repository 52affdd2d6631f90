// Indices of the cores of all devices. Each core has its own vmem, smem and semaphores. The cores
// of a device share its hbm, which the first of them owns. With one core per device, the index of a
// core is the number of its device. Loop workers (interp/machine/loop_workers.h) have indices after
// all cores.
#pragma once
#include <cstdint>
#include <string>

#include "core/program/program.h"
#include "interp/machine/agent.h"
#include "interp/machine/core_index.h"

namespace tessera {

struct Topology {
  std::int32_t devices = 1;
  std::int32_t cores = 1;         // per device
  std::int32_t loop_workers = 0;  // per core

  std::int32_t count() const { return devices * cores; }  // number of cores
  std::int32_t all() const { return count() * (1 + loop_workers); }
  // Cores of all devices; the same with their loop workers after them.
  IdRange<CoreIndex> core_ids() const { return {CoreIndex(0), CoreIndex(count())}; }
  IdRange<CoreIndex> ids() const { return {CoreIndex(0), CoreIndex(all())}; }
  // The first core of a device.
  CoreIndex first_of(std::int32_t device) const { return CoreIndex(device * cores); }
  // Index of a core or loop worker; for a copy, of its issuer.
  CoreIndex of(const AgentId& agent) const {
    const CoreIndex core = first_of(agent.device) + agent.core;
    return agent.worker < 0 ? core : loop_worker(core, agent.worker);
  }
  CoreIndex loop_worker(CoreIndex core, std::int32_t number) const {
    return CoreIndex(count() + core.index * loop_workers + number);
  }
  bool is_loop_worker(CoreIndex core_index) const { return core_index >= CoreIndex(count()); }
  // The core of a loop worker, or the core itself.
  CoreIndex base(CoreIndex core_index) const {
    return is_loop_worker(core_index) ? CoreIndex((core_index.index - count()) / loop_workers)
                                      : core_index;
  }
  std::int32_t device(CoreIndex core_index) const { return base(core_index).index / cores; }
  std::int32_t core(CoreIndex core_index) const { return base(core_index).index % cores; }
  AgentId agent(CoreIndex core_index) const {
    const std::int32_t point =
        is_loop_worker(core_index) ? (core_index.index - count()) % loop_workers : -1;
    return {device(core_index), static_cast<std::int16_t>(core(core_index)),
            static_cast<std::int16_t>(point)};
  }
  // The core that owns a buffer in this memory space that is accessed at `core_index`: for hbm, the
  // first core of the device. For hbm, `core_index` must not be a loop worker.
  CoreIndex owner(CoreIndex core_index, Space space) const {
    return cores == 1 || space != Space::hbm ? core_index : core_index - core(core_index);
  }

  // Name of the owner of a semaphore or of core memory: "dev1", or "dev1.core0" if devices have
  // several cores; "dev1.core0.worker2" for a loop worker.
  std::string name(CoreIndex core_index) const;
  // Name of the owner of a buffer: "dev1" for hbm.
  std::string name(CoreIndex core_index, Space space) const;
};

}  // namespace tessera
