#include "devices/cuda/runtime/kernel.h"

#include <fmt/format.h>

#include <mutex>

#include "devices/cuda/lower/general.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/error_word.h"
#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {
namespace {

constexpr std::size_t word_bytes = 16;  // the error word, then the counters of templates/take.cuh

// Machine code stays loaded for the life of the process: one copy for each context and source.
Expected<LoadedKernel> loaded(Context context, const LoweredKernel& plan,
                              std::vector<std::string>& notes) {
  static std::mutex mutex;
  static std::map<std::pair<Context, std::string>, LoadedKernel> kernels;
  const std::scoped_lock lock(mutex);
  const std::pair key(context, plan.architecture + plan.source);
  if (const auto found = kernels.find(key); found != kernels.end()) return found->second;
  const Expected<CompiledKernel> compiled = compile_cached(plan);
  if (!compiled) return compiled.diags();
  notes = compiled->notes;
  LoadedKernel kernel;
  if (auto problem = load_kernel(kernel, compiled->cubin, plan.entry,
                                 plan.general() != nullptr ? 0 : shared_limit))
    return *problem;
  kernels.emplace(key, kernel);
  return kernel;
}

}  // namespace

Expected<std::shared_ptr<Kernel>> Kernel::make(const Program& program, const PrepareOptions& how) {
  const Support here = driver_available();
  if (!here.ok) return error(ErrorCode::environment, here.reason);
  if (const Support fits = compiler_fits_driver(); !fits.ok)
    return error(ErrorCode::environment, fits.reason);
  Context context = nullptr;
  if (auto problem = use_device(context)) return *problem;
  const DeviceFacts& facts = device_facts();
  if (std::string reason = facts.refusal(); !reason.empty())
    return error(ErrorCode::environment, std::move(reason));
  Expected<LoweredKernel> plan = lower_as(program, how, facts.has_fast_kernels());
  if (!plan) return plan.diags();
  std::shared_ptr<Kernel> kernel(new Kernel());
  kernel->program_ = program;
  kernel->plan_ = *std::move(plan);
  const LoweredKernel& lowered = kernel->plan_;
  if (lowered.general() != nullptr)
    kernel->plan_.architecture = fmt::format("sm_{}{}", facts.major, facts.minor);
  kernel->context_ = context;
  Expected<LoadedKernel> code = loaded(context, kernel->plan_, kernel->compiler_notes_);
  if (!code) return code.diags();
  kernel->loaded_ = *code;
  const std::int64_t arrays = lowered.array_elements * 8;
  bool has_room = false;  // for the arrays in shared memory
  if (const TensorCorePlan* plan = lowered.tensor_core()) {
    kernel->blocks_ = facts.multiprocessors / plan->cluster * plan->cluster;
    has_room = plan->shared_bytes + arrays <= shared_limit;
    kernel->shared_bytes_ = plan->shared_bytes + (has_room ? static_cast<int>(arrays) : 0);
  } else {
    kernel->blocks_ = facts.multiprocessors;
    const std::int64_t tiles = lowered.general()->tile_bytes * kernel->blocks_;
    if (auto problem = allocate(kernel->tiles_, static_cast<std::size_t>(tiles))) return *problem;
  }
  if (!has_room) {
    const auto bytes = static_cast<std::size_t>(arrays * kernel->blocks_);
    if (auto problem = allocate(kernel->arrays_, bytes)) return *problem;
  }
  if (auto problem = allocate(kernel->error_, word_bytes)) return *problem;
  if (auto problem = set_bytes(kernel->error_, 0, word_bytes, nullptr)) return *problem;
  if (auto problem = synchronise(nullptr)) return *problem;
  return kernel;
}

Kernel::~Kernel() {
  if (error_ == 0 && arrays_ == 0 && tiles_ == 0) return;
  const ContextScope own(context_);
  if (error_ != 0) release(error_);
  if (arrays_ != 0) release(arrays_);
  if (tiles_ != 0) release(tiles_);
}

Problem Kernel::launch(const DeviceOperands& operands, void* stream, const Pitches& pitches) {
  const ContextScope own(context_);
  if (own.problem()) return own.problem();
  if (operands != bound_ || pitches != pitches_ || arguments_.empty()) {
    const auto address = [&](int buffer) -> std::uint64_t {
      const auto found = operands.find(program_.buffers[static_cast<std::size_t>(buffer)].name);
      return found == operands.end() ? 0 : found->second;
    };
    if (auto problem = check_operands(program_, operands)) return problem;
    if (auto problem = check_pitches(program_, plan_, pitches)) return problem;
    LaunchValues values{};
    const auto encode = [&](EncodedMap& map, const MapPlan& plan) {
      return encode_map(map, plan, program_.buffers[static_cast<std::size_t>(plan.buffer)].dtype,
                        address(plan.buffer), strides_of(plan, pitch_of(program_, plan, pitches)));
    };
    if (const TensorCorePlan* plan = plan_.tensor_core()) {
      if (auto problem = encode(values.left, plan->left)) return problem;
      if (auto problem = encode(values.right, plan->right)) return problem;
      if (auto problem = encode(values.result_map, plan->result)) return problem;
      values.result_pitch = pitch_of(program_, plan->result, pitches);
    }
    values.tiles = tiles_;
    values.arrays = arrays_;
    values.error = error_;
    values.taken = error_ + 8;
    for (int buffer = 0; buffer < static_cast<int>(program_.buffers.size()); ++buffer)
      values.operands.push_back(address(buffer));
    arguments_ = kernel_arguments(plan_.arguments, values);
    bound_ = operands;
    pitches_ = pitches;
  }
  return cuda::launch(loaded_, blocks_, plan_.threads, shared_bytes_, stream, arguments_);
}

Expected<std::optional<Finding>> Kernel::finding() {
  const ContextScope own(context_);
  if (own.problem()) return *own.problem();
  std::int64_t found = 0;
  if (auto problem = to_host(&found, error_, sizeof found)) return *problem;
  if (found == 0) return std::optional<Finding>();
  // Streams of the caller's may not wait for the default one: the next launch must find it done.
  if (auto problem = set_bytes(error_, 0, sizeof found, nullptr)) return *problem;
  if (auto problem = synchronise(nullptr)) return *problem;
  return finding_of(program_, plan_, found);
}

Problem Kernel::check() {
  const Expected<std::optional<Finding>> found = finding();
  if (!found) return found.diags().front();
  if (!*found) return std::nullopt;
  return as_error(**found);
}

}  // namespace tessera::cuda
