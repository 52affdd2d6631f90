#include "devices/cuda/runtime/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/report/try.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/error_word.h"
#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {
namespace {

// Loads a kernel, once per context and source; it stays loaded for the lifetime of the process.
Expected<LoadedKernel> loaded(Context context, const LoweredKernel& plan,
                              std::vector<std::string>& notes) {
  static std::mutex mutex;
  static std::map<std::pair<Context, std::string>, LoadedKernel> kernels;
  const std::scoped_lock lock(mutex);
  const std::pair key(context, plan.architecture + plan.source);
  if (const auto found = kernels.find(key); found != kernels.end()) return found->second;
  const CompiledKernel compiled = TRY(compile_cached(plan));
  notes = compiled.notes;
  LoadedKernel kernel;
  TRY(load_kernel(kernel, compiled.cubin, plan.entry,
                  plan.general() != nullptr ? 0 : shared_limit));
  kernels.emplace(key, kernel);
  return kernel;
}

Expected<void> without_finding(Expected<std::optional<Finding>> asked) {
  const std::optional<Finding> found = TRY(std::move(asked));
  if (found) return as_error(*found);
  return {};
}

}  // namespace

Expected<std::shared_ptr<Kernel>> Kernel::make(const Program& program, const PrepareOptions& how) {
  const Support here = driver_available();
  if (!here.ok) return error(ErrorCode::environment, here.reason);
  if (const Support fits = compiler_fits_driver(); !fits.ok)
    return error(ErrorCode::environment, fits.reason);
  Context context = nullptr;
  TRY(use_device(context));
  const DeviceFacts& facts = device_facts();
  if (std::string reason = facts.refusal(); !reason.empty())
    return error(ErrorCode::environment, std::move(reason));
  std::shared_ptr<Kernel> kernel(new Kernel());
  kernel->program_ = program;
  kernel->plan_ = TRY(lower_as(program, how, facts.has_fast_kernels()));
  if (kernel->plan_.general() != nullptr)
    kernel->plan_.architecture = fmt::format("sm_{}{}", facts.major, facts.minor);
  kernel->context_ = context;
  kernel->loaded_ = TRY(loaded(context, kernel->plan_, kernel->compiler_notes_));
  TRY(kernel->lay_out(facts));
  return kernel;
}

// Sets the grid to one CTA per SM and computes the sizes of the launch memory.
Expected<void> Kernel::lay_out(const DeviceFacts& facts) {
  const std::int64_t arrays = plan_.array_elements * 8;
  bool are_shared = false;
  ctas_ = facts.multiprocessors;
  if (const TensorCorePlan* plan = plan_.tensor_core()) {
    ctas_ = ctas_ / plan->cluster * plan->cluster;
    are_shared = plan->shared_bytes + arrays <= shared_limit;
    shared_bytes_ = plan->shared_bytes + (are_shared ? static_cast<int>(arrays) : 0);
  } else {
    sizes_.tiles = static_cast<std::size_t>(plan_.general()->tile_bytes * ctas_);
  }
  if (!are_shared) sizes_.arrays = static_cast<std::size_t>(arrays * ctas_);
  spare_ = TRY(LaunchMemory::make(sizes_));
  return {};
}

Kernel::~Kernel() {
  if (slots_.empty() && spare_ == nullptr) return;
  const ContextScope own(context_);
  slots_.clear();
  spare_.reset();
}

Expected<Kernel::Slot*> Kernel::slot_of(void* stream) {
  const bool is_captured = TRY(is_capturing(stream));
  std::uint64_t id = 0;
  // A captured launch always gets a new slot: its graph may run concurrently with any other launch.
  if (!is_captured) {
    id = TRY(stream_id(stream));
    for (const std::unique_ptr<Slot>& slot : slots_)
      if (slot->stream == id && !slot->is_captured) return slot.get();
  }
  std::unique_ptr<LaunchMemory> memory = std::move(spare_);
  if (memory == nullptr) memory = TRY(LaunchMemory::make(sizes_));
  slots_.push_back(std::make_unique<Slot>(Slot{
      .handle = stream, .stream = id, .is_captured = is_captured, .memory = std::move(memory)}));
  return slots_.back().get();
}

Expected<std::vector<std::byte>> Kernel::arguments_of(const LaunchMemory& memory,
                                                      const DeviceOperands& operands,
                                                      const Pitches& pitches) const {
  TRY(check_operands(program_, operands));
  TRY(check_pitches(program_, plan_, pitches));
  LaunchValues values{};
  for (const Buffer& buffer : program_.buffers) {
    const auto found = operands.find(buffer.name);
    values.operands.add(buffer.role == Role::scratch || found == operands.end() ? 0
                                                                                : found->second);
  }
  const auto encode = [&](EncodedMap& map, const MapPlan& plan) {
    return encode_map(map, plan, program_.buffers[plan.buffer].dtype, values.operands[plan.buffer],
                      strides_of(plan, pitch_of(program_, plan, pitches)));
  };
  if (const TensorCorePlan* plan = plan_.tensor_core()) {
    TRY(encode(values.left, plan->left));
    TRY(encode(values.right, plan->right));
    TRY(encode(values.result_map, plan->result));
    values.result_pitch = pitch_of(program_, plan->result, pitches);
  }
  values.arrays = memory.arrays();
  values.error = memory.error();
  values.taken = memory.taken();
  values.tiles = memory.tiles();
  return kernel_arguments(plan_.arguments, values);
}

Expected<void> Kernel::launch(const DeviceOperands& operands, void* stream,
                              const Pitches& pitches) {
  const ContextScope own(context_);
  TRY(own.entered());
  const std::scoped_lock lock(mutex_);
  Slot& slot = *TRY(slot_of(stream));
  if (operands != slot.operands || pitches != slot.pitches || slot.arguments.empty()) {
    slot.arguments = TRY(arguments_of(*slot.memory, operands, pitches));
    slot.operands = operands;
    slot.pitches = pitches;
  }
  return cuda::launch(loaded_, ctas_, plan_.threads, shared_bytes_, stream, slot.arguments);
}

Expected<std::unique_ptr<LaunchMemory>> Kernel::node_memory() const {
  const ContextScope own(context_);
  TRY(own.entered());
  return LaunchMemory::make(sizes_);
}

Expected<KernelNode> Kernel::node(const LaunchMemory& memory,
                                  const DeviceOperands& operands) const {
  const ContextScope own(context_);
  TRY(own.entered());
  return KernelNode{.kernel = loaded_,
                    .ctas = ctas_,
                    .threads = plan_.threads,
                    .shared_bytes = shared_bytes_,
                    .arguments = TRY(arguments_of(memory, operands, {}))};
}

// Launch memories of one stream, or of all streams. Their addresses are stable, so the lock is not
// held while a stream is synchronised, and other launches can continue.
Expected<std::vector<const LaunchMemory*>> Kernel::memories(std::optional<void*> stream) {
  const std::uint64_t id = stream ? TRY(stream_id(*stream)) : 0;
  const std::scoped_lock lock(mutex_);
  std::vector<const LaunchMemory*> found;
  for (const std::unique_ptr<Slot>& slot : slots_)
    if (!stream || slot->is_of(*stream, id)) found.push_back(slot->memory.get());
  return found;
}

Expected<std::optional<Finding>> Kernel::finding_in(const LaunchMemory& memory,
                                                    void* stream) const {
  std::int64_t word = 0;
  TRY(read_after(stream, &word, memory.error(), sizeof word));
  if (word == 0) return std::optional<Finding>();
  // Ordered before all work enqueued on the stream later.
  TRY(set_bytes(memory.error(), 0, sizeof word, stream));
  return finding_of(program_, plan_, word);
}

Expected<std::optional<Finding>> Kernel::finding(void* stream) {
  const ContextScope own(context_);
  TRY(own.entered());
  for (const LaunchMemory* memory : TRY(memories(stream))) {
    std::optional<Finding> found = TRY(finding_in(*memory, stream));
    if (found) return found;
  }
  return std::optional<Finding>();
}

Expected<std::optional<Finding>> Kernel::finding() {
  const ContextScope own(context_);
  TRY(own.entered());
  for (const LaunchMemory* memory : TRY(memories(std::nullopt))) {
    Expected<std::optional<Finding>> found = finding_in(*memory, nullptr);
    if (found && !*found) continue;
    // The caller's streams may not synchronise with the default stream, so the reset must complete
    // before the next launch.
    TRY(synchronise(nullptr));
    return found;
  }
  return std::optional<Finding>();
}

Expected<void> Kernel::check(void* stream) { return without_finding(finding(stream)); }
Expected<void> Kernel::check() { return without_finding(finding()); }

}  // namespace tessera::cuda
