#include "devices/threads/threads_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "devices/profiles/profile.h"
#include "devices/thread_count.h"
#include "devices/threads/planned_program.h"

namespace tessera {
namespace {

// A task computes one tile of the result, with as much of the contraction as fits: one product of
// the library, which does its own blocking for caches.
constexpr std::int64_t largest_tile = 512, min_tile = 64;
// Minimum number of tiles per thread, so that no thread waits long for the last tile.
constexpr std::int64_t tiles_per_thread = 8;

// True if windows and sums take at most half of vmem. A program that does not fit has no graph.
bool fits(const GroupedDesc& desc, const KernelConfig& config, std::int64_t vmem_bytes) {
  const Tiling& t = config.tiling;
  const std::int64_t a = t.m * t.k, b = desc.is_tgmm() ? t.m * t.n : t.k * t.n,
                     out = desc.is_tgmm() ? t.k * t.n : t.m * t.n;
  const std::int64_t windows = config.buffers * (a * size_of(desc.lhs) + b * size_of(desc.rhs));
  return windows + out * (4 + 2 * size_of(desc.out)) <= vmem_bytes / 2;
}

KernelConfig configuration(const ConfigQuery& query, std::int64_t vmem_bytes) {
  const GroupedDesc& desc = query.desc;
  KernelConfig config;
  config.buffers = query.buffers.value_or(config.buffers);
  Tiling& tiling = config.tiling;
  tiling = {largest_tile, desc.is_tgmm() ? largest_tile : desc.k, largest_tile};
  // rows: rows of a result tile. terms: terms of the contraction that are summed at a time.
  std::int64_t &rows = desc.is_tgmm() ? tiling.k : tiling.m,
               &terms = desc.is_tgmm() ? tiling.m : tiling.k;
  const std::int64_t all_rows = desc.is_tgmm() ? desc.k : desc.m;
  const auto tiles = [&] {
    return (all_rows + rows - 1) / rows * ((desc.n + tiling.n - 1) / tiling.n);
  };
  const auto larger_side = [&]() -> std::int64_t& { return rows > tiling.n ? rows : tiling.n; };
  while (tiles() < tiles_per_thread * thread_count() && larger_side() > min_tile)
    larger_side() /= 2;
  while (!fits(desc, config, vmem_bytes) && std::max(terms, larger_side()) > min_tile)
    (terms > larger_side() ? terms : larger_side()) /= 2;
  return clamped(config, desc.k, desc.n);
}

class Threads final : public Device {
 public:
  std::string_view name() const override { return "threads"; }
  Support available() const override { return {}; }
  Support supports(const Program&, const PrepareOptions& how) const override {
    if (how.may_ignore_hints || how.hints == MachineHints{}) return {};
    return takes_hints(how.hints);
  }
  Support takes_hints(const MachineHints& hints) const override {
    return {false, fmt::format("hints ({}) are for the CUDA kernels, and this runs on threads",
                               hints_text(hints))};
  }
  Fp8Products fp8_products(const GroupedDesc&) const override { return Fp8Products::emulated; }
  std::optional<std::string> precision_note(Precision precision) const override {
    if (precision == Precision::Default) return {};
    return "threads compute every precision in f32";
  }

  ConfigChoice default_config(const ConfigQuery& query,
                              const DeviceOptions& options) const override {
    const MachineProfile machine = profile_of(options.profile).machine;
    return {configuration(query, machine.vmem_bytes), {}, "a product of the library for each tile"};
  }

  std::string version_key(const DeviceOptions&) const override {
    return fmt::format("threads {}", thread_count());
  }
  std::string time_source(const DeviceOptions&) const override {
    return fmt::format("measured on {} threads of this machine", thread_count());
  }
  bool supports_multiple_devices() const override { return true; }

  Expected<std::unique_ptr<Executable>> prepare(const Program& structured,
                                                const PrepareOptions& how) const override {
    if (const Support can = supports(structured, how); !can.ok)
      return error(ErrorCode::unsupported, can.reason);
    return std::unique_ptr<Executable>(std::make_unique<PlannedProgram>(structured));
  }
};

}  // namespace

const Device& threads_device() {
  static const Threads device;
  return device;
}

}  // namespace tessera
