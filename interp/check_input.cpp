#include "interp/check_input.h"

#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/memory/layout.h"
#include "interp/observe/observer.h"

namespace tessera {
namespace {

void check_binding(const Program& program, const Binding& binding, std::size_t device,
                   Diags& diags) {
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role == Role::scratch) continue;
    const auto complain = [&](std::string message) {
      diags.push_back(
          {ErrorCode::invalid_value, program.loc(buffer.place), std::move(message), {}});
    };
    const auto it = binding.find(buffer.name);
    if (it == binding.end() || it->second == nullptr) {
      complain(fmt::format("device {} has no tensor for `{}`", device, buffer.name));
      continue;
    }
    const Tensor& tensor = *it->second;
    if (tensor.dtype() != buffer.dtype)
      complain(fmt::format("`{}` of device {} is {}, expected {}", buffer.name, device,
                           name(tensor.dtype()), name(buffer.dtype)));
    if (tensor.shape() != stored_shape(buffer))
      complain(fmt::format("`{}` of device {} has shape {}, expected {}", buffer.name, device,
                           to_string(tensor.shape()), to_string(stored_shape(buffer))));
  }
}

// Reports properties of a program that prevent a run on several cores per device. If the program
// does not use `core`, this is the only error, with the first other one as its note.
void check_cores(const Program& program, int cores, Diags& diags) {
  const std::size_t before = diags.size();
  const auto complain = [&](PlaceId place, std::string message) {
    Diag diag{ErrorCode::invalid_value, program.loc(place), std::move(message), {}};
    std::vector<FindingPlace> calls;
    add_call_chain(program, place, calls);
    for (const FindingPlace& call : calls) diag.notes.push_back({call.loc, call.message});
    diags.push_back(std::move(diag));
  };
  const auto is_own_device = [&](ValueId device) {
    const StmtId at = program.value(device).statement;
    return at && std::holds_alternative<DeviceId>(program.body[at].op);
  };
  bool asks = false;
  for (const Stmt& s : program.body) {
    asks = asks || std::holds_alternative<CoreId>(s.op);
    if (const auto* signal = std::get_if<Signal>(&s.op);
        signal != nullptr && signal->core.id == no_value && !is_own_device(signal->device)) {
      const Semaphore& sem = program.semaphores[program.value(signal->sem.base).semaphore];
      // The signals of the barrier that `expand` adds name no core. Skip them: the copies for which
      // the barrier was added are reported instead.
      if (sem.kind == SemKind::barrier && sem.collective < 0) continue;
      complain(s.place, fmt::format("signal of {} names a device and no core, and each device has "
                                    "{}: expected `on DEVICE core CORE`",
                                    sem.name, cores));
    }
    if (const auto* remote = std::get_if<StartRemote>(&s.op);
        remote != nullptr && remote->core.id == no_value)
      complain(s.place, fmt::format("the copy names a device and no core, and each device has {}: "
                                    "expected `-> DEVICE core CORE:`",
                                    cores));
  }
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role == Role::out && buffer.space != Space::hbm)
      complain(
          buffer.place,
          fmt::format(
              "result `{}` is in {}, which is separate for each of {} cores: expected it in hbm",
              buffer.name, name(buffer.space), cores));
    if (buffer.scoped && buffer.space == Space::hbm)
      complain(buffer.place,
               fmt::format("`{}` is allocated in hbm, which {} cores share: expected an unscoped "
                           "declaration in the kernel, and one call because each call has its own",
                           buffer.name, cores));
  }
  if (asks) return;
  Diag diag = error(fmt::format(
      "{} does not use `core`: each of {} cores would do all the work of its device, expected 1",
      program.name, cores));
  if (diags.size() > before)
    diag.notes.push_back({diags[before].loc, std::move(diags[before].message)});
  diags.resize(before);
  diags.push_back(std::move(diag));
}

}  // namespace

Expected<void> check_input(const Program& program, const std::vector<Binding>& bindings,
                           const RunOptions& options) {
  Diags diags;
  if (options.machine.devices < 1)
    diags.push_back(error(fmt::format("{} devices, expected at least 1", options.machine.devices)));
  else if (bindings.size() != static_cast<std::size_t>(options.machine.devices))
    diags.push_back(error(fmt::format("operands of {} devices are given, expected {}",
                                      bindings.size(), options.machine.devices)));
  if (options.machine.cores < 1)
    diags.push_back(
        error(fmt::format("{} cores per device, expected at least 1", options.machine.cores)));
  if (options.machine.loop_workers < 0)
    diags.push_back(
        error(fmt::format("{} loop workers, expected at least 0", options.machine.loop_workers)));
  const auto& observers = options.observers;
  for (const Observer* observer : observers)
    if (options.machine.loop_workers > 0 && observer->sees_events() &&
        !observer->supports_loop_workers())
      diags.push_back(
          error("an observer of this run requires cores that execute loop points in order, found "
                "loop workers"));
  const auto is_made_for = [&](int made, int run_on, std::string_view what) {
    if (made == 0 || made == run_on) return;
    diags.push_back(error(
        fmt::format("{} is instantiated for {} {}, run on {}: an extent depends on their number",
                    program.name, made, what, run_on)));
  };
  is_made_for(program.devices, options.machine.devices, "devices");
  is_made_for(program.cores, options.machine.cores, "cores");
  if (options.machine.cores > 1) check_cores(program, options.machine.cores, diags);
  // Without checks there are no events, so an analysis of the events would find nothing.
  if (!options.checks.enabled &&
      std::any_of(observers.begin(), observers.end(),
                  [](const Observer* one) { return one->sees_events(); }))
    diags.push_back(error("expected no observers for a run without checks"));
  if (options.machine.slow_device >= options.machine.devices)
    diags.push_back(error(fmt::format("slow device {}, but devices are 0 to {}",
                                      options.machine.slow_device, options.machine.devices - 1)));
  if (options.machine.profile.dma_granule < 1)
    diags.push_back(
        error(fmt::format("the dma granule of {} is {}, expected at least 1",
                          options.machine.profile.name, options.machine.profile.dma_granule)));
  for (std::size_t d = 0; d < bindings.size(); ++d) check_binding(program, bindings[d], d, diags);
  if (!diags.empty()) return diags;
  return {};
}

}  // namespace tessera
