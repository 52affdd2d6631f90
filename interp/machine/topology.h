// The cores of all devices, numbered: a site is one core of one device, with its vmem, smem and
// semaphores. The hbm of a device is shared by its cores and is found at the first of them. With
// one core per device a site's number is its device's. Point-cores (interp/machine/point_cores.h)
// are sites behind those of the cores.
#pragma once
#include <cstdint>
#include <string>

#include "core/program/program.h"
#include "interp/machine/agent.h"

namespace tessera {

struct Topology {
  std::int32_t devices = 1;
  std::int32_t cores = 1;        // of each device
  std::int32_t point_cores = 0;  // of each core

  std::int32_t count() const { return devices * cores; }  // of cores
  std::int32_t all() const { return count() * (1 + point_cores); }
  std::int32_t of(const AgentId& agent) const {
    const std::int32_t core = agent.device * cores + agent.core;
    return agent.point < 0 ? core : point_core(core, agent.point);
  }
  std::int32_t point_core(std::int32_t core, std::int32_t number) const {
    return count() + core * point_cores + number;
  }
  bool is_point_core(std::int32_t site) const { return site >= count(); }
  // The core itself, or the one whose points a point-core takes.
  std::int32_t base(std::int32_t site) const {
    return is_point_core(site) ? (site - count()) / point_cores : site;
  }
  std::int32_t device(std::int32_t site) const { return base(site) / cores; }
  std::int32_t core(std::int32_t site) const { return base(site) % cores; }
  AgentId agent(std::int32_t site) const {
    const std::int32_t point = is_point_core(site) ? (site - count()) % point_cores : -1;
    return {device(site), static_cast<std::int16_t>(core(site)), static_cast<std::int16_t>(point)};
  }
  // Where a buffer that a core reaches at `site` is kept.
  std::int32_t home(std::int32_t site, Space space) const {
    return cores == 1 || space != Space::hbm ? site : site - core(site);
  }

  // Whose a semaphore, or memory of a core, is: "dev1", or "dev1.core0" where devices have
  // several, "dev1.core0.point2" of a point-core.
  std::string name(std::int32_t site) const;
  // Whose a buffer is: "dev1" for hbm.
  std::string name(std::int32_t site, Space space) const;
};

}  // namespace tessera
