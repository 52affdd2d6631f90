#include "devices/mpi/mpi_device.h"

#include <fmt/format.h>

#include <utility>

#include "core/lang/language.h"
#include "core/passes/purpose.h"
#include "core/report/try.h"
#include "devices/mpi/mpi_program.h"

namespace tessera {
namespace {

class MpiDevice final : public Device {
 public:
  std::string_view name() const override { return "mpi"; }

  Support available() const override {
    const Expected<void> can = mpi::is_ready();
    return can ? Support{} : Support{false, can.diags().front().message};
  }

  Support supports(const Program&, const PrepareOptions& how) const override {
    if (how.may_ignore_hints || how.hints == MachineHints{}) return {};
    return takes_hints(how.hints);
  }

  Support takes_hints(const MachineHints& hints) const override {
    return {false, fmt::format("hints ({}) are for the CUDA kernels, and this runs on mpi",
                               hints_text(hints))};
  }

  Fp8Products fp8_products(const GroupedDesc&) const override { return Fp8Products::emulated; }

  std::string version_key(const DeviceOptions&) const override { return processes(); }

  std::string time_source(const DeviceOptions&) const override {
    return "measured on " + processes();
  }

  bool supports_multiple_devices() const override { return true; }

  Expected<std::unique_ptr<Executable>> prepare(const Program& structured,
                                                const PrepareOptions& how) const override {
    if (const Support can = supports(structured, how); !can.ok)
      return error(ErrorCode::unsupported, can.reason);
    mpi::World* const world = TRY(mpi::world());
    Program silent = without(structured, Purpose::show);
    Program expanded = TRY(expand(silent));
    return mpi::mpi_program(*world, std::move(silent), std::move(expanded));
  }

 private:
  static std::string processes() {
    const Expected<mpi::World*> world = mpi::world();
    if (!world) return "processes of MPI";
    return fmt::format("{} of {}", mpi::counted_processes((*world)->size()), (*world)->library());
  }
};

}  // namespace

const Device& mpi_device() {
  static const MpiDevice device;
  return device;
}

}  // namespace tessera
