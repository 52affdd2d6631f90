// The entry: checks what comes from outside, builds the machine, runs it.
#include "interp/run.h"

#include <fmt/format.h>

#include "core/host/host_memory.h"
#include "core/lang/language.h"
#include "core/report/guarded.h"
#include "interp/certificate/conditions.h"
#include "interp/certificate/mutation/mutants.h"
#include "interp/certificate/record/fingerprint.h"
#include "interp/findings/describe.h"
#include "interp/machine/idle.h"
#include "interp/machine/machine.h"
#include "interp/machine/point_sharing.h"
#include "interp/memory/host_need.h"
#include "interp/observe/observer.h"

namespace tessera {
namespace {

// The tensor's shape: that of the buffer, dimensions in storage order.
Shape stored_shape(const Buffer& buffer) {
  if (buffer.order.empty()) return buffer.shape;
  Shape shape;
  for (const int d : buffer.order) shape.push_back(buffer.shape[static_cast<std::size_t>(d)]);
  return shape;
}

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

// What a program leaves open, or cannot have, that is to run on several cores per device.
void check_cores(const Program& program, int cores, Diags& diags) {
  const std::size_t before = diags.size();
  const auto complain = [&](std::int32_t place, std::string message) {
    Diag diag{ErrorCode::invalid_value, program.loc(place), std::move(message), {}};
    std::vector<FindingPlace> calls;
    add_call_chain(program, place, calls);
    for (const FindingPlace& call : calls) diag.notes.push_back({call.loc, call.message});
    diags.push_back(std::move(diag));
  };
  const auto is_own_device = [&](ValueId device) {
    const std::int32_t at = program.value(device).statement;
    return at >= 0 &&
           std::holds_alternative<DeviceId>(program.body[static_cast<std::size_t>(at)].op);
  };
  bool asks = false;
  for (const Stmt& s : program.body) {
    asks = asks || std::holds_alternative<CoreId>(s.op);
    if (const auto* signal = std::get_if<Signal>(&s.op);
        signal != nullptr && signal->core.id == no_value && !is_own_device(signal->device)) {
      const auto index = static_cast<std::size_t>(program.value(signal->sem.base).index);
      const Semaphore& sem = program.semaphores[index];
      // The barrier that `expand` added: what it is there for names no core either.
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
      complain(buffer.place, fmt::format("result `{}` is in {}, of which each of {} cores has its "
                                         "own: expected it in hbm",
                                         buffer.name, name(buffer.space), cores));
    if (buffer.scoped && buffer.space == Space::hbm)
      complain(buffer.place,
               fmt::format("`{}` is allocated in hbm, which {} cores share: expected the kernel to "
                           "declare it, unscoped, and one call, for each call has its own",
                           buffer.name, cores));
  }
  if (asks) return;
  Diag diag =
      error(fmt::format("{} never asks for `core`: each of {} cores would do the work of "
                        "its device, expected 1",
                        program.name, cores));
  if (diags.size() > before)
    diag.notes.push_back({diags[before].loc, std::move(diags[before].message)});
  diags.resize(before);
  diags.push_back(std::move(diag));
}

Diags check_input(const Program& program, const std::vector<Binding>& bindings,
                  const RunOptions& options) {
  Diags diags;
  if (options.devices < 1)
    diags.push_back(error(fmt::format("{} devices, expected at least 1", options.devices)));
  else if (bindings.size() != static_cast<std::size_t>(options.devices))
    diags.push_back(error(fmt::format("operands of {} devices are given, expected {}",
                                      bindings.size(), options.devices)));
  if (options.cores < 1)
    diags.push_back(error(fmt::format("{} cores per device, expected at least 1", options.cores)));
  if (options.point_cores < 0)
    diags.push_back(error(fmt::format("{} point-cores, expected at least 0", options.point_cores)));
  for (const Observer* observer : options.observers)
    if (options.point_cores > 0 && !observer->takes_point_cores())
      diags.push_back(
          error("an observer of this run follows cores that do their points one after "
                "the other, and it has point-cores"));
  const auto is_made_for = [&](int made, int run_on, std::string_view what) {
    if (made == 0 || made == run_on) return;
    diags.push_back(
        error(fmt::format("{} is made for {} {}, run on {}: an extent names their number",
                          program.name, made, what, run_on)));
  };
  is_made_for(program.devices, options.devices, "devices");
  is_made_for(program.cores, options.cores, "cores");
  if (options.cores > 1) check_cores(program, options.cores, diags);
  // Nothing would be told, and an analysis of nothing finds nothing.
  if (!options.checked && !options.observers.empty())
    diags.push_back(error("a run without checks tells its observers nothing, expected none"));
  if (options.slow_device >= options.devices)
    diags.push_back(error(fmt::format("slow device {}, but devices are 0 to {}",
                                      options.slow_device, options.devices - 1)));
  if (options.profile.dma_granule < 1)
    diags.push_back(error(fmt::format("the dma granule of {} is {}, expected at least 1",
                                      options.profile.name, options.profile.dma_granule)));
  for (std::size_t d = 0; d < bindings.size(); ++d) check_binding(program, bindings[d], d, diags);
  return diags;
}

}  // namespace

void Machine::bind(const std::vector<Binding>& bindings) {
  const Checks checks = options_.checked ? Checks::on : Checks::off;
  // With checks and arithmetic undefined elements are poisoned before anybody reads them.
  const Contents others = options_.math == Math::none ? Contents::kept
                          : options_.checked          ? Contents::plain
                                                      : Contents::zeroed;
  const std::vector<bool> idle = idle_buffers(program_, options_);
  for (std::int32_t s = 0; s < cores(); ++s) {
    Site& owner = site(s);
    const Binding& binding = bindings[static_cast<std::size_t>(numbers_.device(s))];
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const Buffer& buffer = program_.buffers[i];
      owner.lives.push_back(0);
      if (const std::int32_t home = numbers_.home(s, buffer.space); home != s) {
        owner.storages.push_back(site(home).storages[i]);
      } else if (buffer.role != Role::scratch) {
        Tensor& tensor = *binding.find(buffer.name)->second;
        owner.storages.push_back(std::make_shared<Storage>(
            buffer, tensor, checks, idle[i] ? Contents::idle : Contents::zeroed));
      } else {
        const Contents contents = idle[i] ? Contents::idle : others;
        owner.storages.push_back(std::make_shared<Storage>(buffer, checks, contents));
        if (!buffer.scoped) owner.storages.back()->allocate(buffer.place);
      }
      if (!buffer.scoped) owner.usage.take(buffer.space, owner.storages.back()->bytes());
    }
    for (const Semaphore& semaphore : program_.semaphores)
      if (semaphore.kind != SemKind::barrier &&
          (!semaphore.scoped || !options_.profile.shares_scoped_semaphores))
        owner.usage.take_semaphores(elements(semaphore.shape));
  }
}

namespace {

// What an eager run of the program counts. Results are written again by the run that follows.
std::int64_t count_steps(const Program& expanded, const std::vector<Binding>& bindings,
                         RunOptions options) {
  options.observers.clear();
  options.math = Math::none;
  options.schedule = "eager";
  const auto result = run(expanded, bindings, options);
  return result ? result->stats.steps : 0;
}

}  // namespace

namespace {

// Which cells points share is seen where each is complete before the next begins.
Expected<SharedCells> find_shared_cells(const Program& per_point,
                                        const std::vector<Binding>& bindings, RunOptions options) {
  SharedCells cells;
  if (!has_open_cells(per_point) || options.launch_only) return cells;
  options.point_cores = 0;
  options.schedule = "eager";
  options.landing = Landing::whole;
  options.dma_order = DmaOrder::unordered;
  options.slow_device = -1;
  options.record_schedule = options.hash_results = false;
  options.checked = true;
  options.uninitialised = Uninitialised::poison;
  options.observers = {&cells};
  if (!control_needs_arithmetic(per_point)) options.math = Math::none;
  const Expected<RunResult> result = run(per_point, bindings, options);
  if (!result) return result.diags();
  return cells;
}

// The same run without the arithmetic that nobody looks at, where it can do without.
bool may_leave_out_values(const Program& expanded, const RunOptions& options) {
  return !options.wants_values && options.math != Math::none && !options.hash_results &&
         options.uninitialised != Uninitialised::poison && !control_needs_arithmetic(expanded);
}

RunIdentity identify(const Program& expanded, const std::vector<Binding>& bindings,
                     const RunOptions& options) {
  RunIdentity identity{text_hash(print(expanded)), {}};
  const std::vector<bool> idle = idle_buffers(expanded, options);
  for (std::size_t device = 0; device < bindings.size(); ++device) {
    for (std::size_t i = 0; i < expanded.buffers.size(); ++i) {
      const Buffer& buffer = expanded.buffers[i];
      if (buffer.role != Role::in || idle[i]) continue;
      const Tensor& tensor = *bindings[device].find(buffer.name)->second;
      identity.inputs.push_back(
          {static_cast<int>(device), buffer.name,
           bytes_hash({tensor.data(), static_cast<std::size_t>(tensor.bytes())})});
    }
  }
  return identity;
}

}  // namespace

Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                        const RunOptions& options) try {
  const StopScope listens(options.stop);
  if (options.mutant != nullptr) {
    RunOptions as_it_is = options;
    as_it_is.mutant = nullptr;
    return run(mutated(expanded, *options.mutant), bindings, as_it_is);
  }
  if (Diags diags = check_input(expanded, bindings, options); !diags.empty()) return diags;
  if (options.identify_only) {
    RunResult result;
    result.identity = identify(expanded, bindings, options);
    return result;
  }
  if (may_leave_out_values(expanded, options)) {
    RunOptions protocol = options;
    protocol.math = Math::none;
    return run(expanded, bindings, protocol);
  }
  auto schedule = parse_schedule(options.schedule);
  if (!schedule) return schedule.diags();
  if (Diags diags = check_scratch(expanded, options); !diags.empty()) return diags;
  auto code = compile(expanded, schedule->order, options.tells_private);
  if (!code) return code.diags();
  const std::int64_t steps = schedule->strategy == "pct" && !options.launch_only
                                 ? count_steps(expanded, bindings, options)
                                 : 0;
  // Observers analyse when the memory of the simulated machine is free again.
  auto machine = std::make_unique<Machine>(expanded, options, *schedule, *std::move(code), steps);
  if (options.point_cores > 0) {
    auto cells = find_shared_cells(expanded, bindings, options);
    if (!cells) return cells.diags();
    machine->split_points(*std::move(cells));
  }
  machine->bind(bindings);
  Expected<RunResult> result = machine->run();
  machine.reset();
  constexpr std::int64_t many_steps = 1'000'000;  // what they left is worth the search for it
  if (result && result->stats.steps > many_steps) return_free_memory();
  if (!result) return result;
  if (options.progress != nullptr && !options.observers.empty())
    options.progress(options.progress_context, Phase::analysing, result->stats.steps);
  for (Observer* observer : options.observers) observer->end(*result);
  return result;
} catch (...) {
  return given_up("running the program");
}

}  // namespace tessera
