// The cores of all devices, numbered: a site is one core of one device, with its vmem, smem and
// semaphores. The hbm of a device is shared by its cores and is found at the first of them. With
// one core per device a site's number is its device's. Point-cores (interp/machine/point_cores.h)
// are sites behind those of the cores.
#pragma once
#include <cstdint>
#include <string>

#include "core/program/program.h"
#include "interp/machine/agent.h"
#include "interp/machine/site.h"

namespace tessera {

struct Topology {
  std::int32_t devices = 1;
  std::int32_t cores = 1;        // of each device
  std::int32_t point_cores = 0;  // of each core

  std::int32_t count() const { return devices * cores; }  // of cores
  std::int32_t all() const { return count() * (1 + point_cores); }
  // The cores of all devices; the same and their point-cores behind them.
  IdRange<SiteId> core_ids() const { return {SiteId(0), SiteId(count())}; }
  IdRange<SiteId> ids() const { return {SiteId(0), SiteId(all())}; }
  // The first core of a device.
  SiteId first_of(std::int32_t device) const { return SiteId(device * cores); }
  SiteId of(const AgentId& agent) const {
    const SiteId core = first_of(agent.device) + agent.core;
    return agent.point < 0 ? core : point_core(core, agent.point);
  }
  SiteId point_core(SiteId core, std::int32_t number) const {
    return SiteId(count() + core.index * point_cores + number);
  }
  bool is_point_core(SiteId site) const { return site >= SiteId(count()); }
  // The core itself, or the one whose points a point-core takes.
  SiteId base(SiteId site) const {
    return is_point_core(site) ? SiteId((site.index - count()) / point_cores) : site;
  }
  std::int32_t device(SiteId site) const { return base(site).index / cores; }
  std::int32_t core(SiteId site) const { return base(site).index % cores; }
  AgentId agent(SiteId site) const {
    const std::int32_t point = is_point_core(site) ? (site.index - count()) % point_cores : -1;
    return {device(site), static_cast<std::int16_t>(core(site)), static_cast<std::int16_t>(point)};
  }
  // Where a buffer that a core reaches at `site` is kept.
  SiteId home(SiteId site, Space space) const {
    return cores == 1 || space != Space::hbm ? site : site - core(site);
  }

  // Whose a semaphore, or memory of a core, is: "dev1", or "dev1.core0" where devices have
  // several, "dev1.core0.point2" of a point-core.
  std::string name(SiteId site) const;
  // Whose a buffer is: "dev1" for hbm.
  std::string name(SiteId site, Space space) const;
};

}  // namespace tessera
