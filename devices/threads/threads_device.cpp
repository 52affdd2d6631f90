#include "devices/threads/threads_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "devices/thread_count.h"
#include "devices/threads/planned_program.h"

namespace tessera {
namespace {

// A tile of the result for each task, with the whole contraction: one product of the library, which
// blocks for the caches by itself.
constexpr std::int64_t largest_tile = 512, smallest_tile = 64;

KernelConfig configuration(const GroupedDesc& desc) {
  KernelConfig config;
  config.tiling = {std::clamp(desc.m, smallest_tile, largest_tile), desc.k,
                   std::clamp(desc.n, smallest_tile, largest_tile)};
  return clamped(config, desc.m, desc.k, desc.n);
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
    return {false, fmt::format("hints ({}) are of the CUDA kernels, and this runs on threads",
                               hints_text(hints))};
  }
  Fp8Products fp8_products(const GroupedDesc&) const override { return Fp8Products::emulated; }
  std::optional<std::string> note_of(Precision precision) const override {
    if (precision == Precision::Default) return {};
    return "threads compute every precision in f32";
  }

  ConfigChoice choose(const ConfigQuery& query, const DeviceOptions&) const override {
    ConfigChoice choice{configuration(query.desc), {}, "a product of the library for each tile"};
    choice.config.buffers = query.buffers.value_or(choice.config.buffers);
    return choice;
  }

  std::string identity(const DeviceOptions&) const override {
    return fmt::format("threads {}", thread_count());
  }
  std::string clock(const DeviceOptions&) const override {
    return fmt::format("measured on {} threads of this machine", thread_count());
  }
  bool runs_on_several() const override { return true; }

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
