// The cores of all devices, numbered: a site is one core of one device, with its vmem, smem and
// semaphores. The hbm of a device is shared by its cores and is found at the first of them. With
// one core per device a site's number is its device's.
#pragma once
#include <cstdint>
#include <string>

#include "core/program.h"
#include "interp/agent.h"

namespace tessera {

struct Sites {
  std::int32_t devices = 1;
  std::int32_t cores = 1;  // of each device

  std::int32_t count() const { return devices * cores; }
  std::int32_t of(const AgentId& agent) const { return agent.device * cores + agent.core; }
  std::int32_t device(std::int32_t site) const { return site / cores; }
  std::int32_t core(std::int32_t site) const { return site % cores; }
  AgentId agent(std::int32_t site) const { return {device(site), core(site), -1}; }
  // Where a buffer that a core reaches at `site` is kept.
  std::int32_t home(std::int32_t site, Space space) const {
    return cores == 1 || space != Space::hbm ? site : site - core(site);
  }

  // Whose a semaphore, or memory of a core, is: "dev1", or "dev1.core0" where devices have several.
  std::string name(std::int32_t site) const;
  // Whose a buffer is: "dev1" for hbm.
  std::string name(std::int32_t site, Space space) const;
};

}  // namespace tessera
