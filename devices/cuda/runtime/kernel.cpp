#include "devices/cuda/runtime/kernel.h"

#include <fmt/format.h>

#include <mutex>

#include "devices/cuda/lower/general.h"
#include "devices/cuda/lower/tile_config.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/error_word.h"

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
  if (auto problem =
          load_kernel(kernel, compiled->cubin, plan.entry, plan.is_general ? 0 : shared_limit))
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
  if (kernel->plan_.is_general)
    kernel->plan_.architecture = fmt::format("sm_{}{}", facts.major, facts.minor);
  kernel->context_ = context;
  Expected<LoadedKernel> code = loaded(context, kernel->plan_, kernel->compiler_notes_);
  if (!code) return code.diags();
  kernel->loaded_ = *code;
  const int together = kernel->plan_.blocks_together;
  kernel->blocks_ = facts.multiprocessors / together * together;
  const std::int64_t arrays = kernel->plan_.array_elements * 8;
  kernel->shared_bytes_ = kernel->plan_.shared_bytes;
  const auto tiles = static_cast<std::size_t>(kernel->plan_.tile_bytes * kernel->blocks_);
  if (kernel->plan_.is_general) {
    if (auto problem = allocate(kernel->tiles_, tiles)) return *problem;
  }
  if (!kernel->plan_.is_general && kernel->shared_bytes_ + arrays <= shared_limit) {
    kernel->shared_bytes_ += static_cast<int>(arrays);
  } else if (auto problem =
                 allocate(kernel->arrays_, static_cast<std::size_t>(arrays * kernel->blocks_))) {
    return *problem;
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
    if (!plan_.is_general) {
      if (auto problem = encode(values.left, plan_.left)) return problem;
      if (auto problem = encode(values.right, plan_.right)) return problem;
      if (auto problem = encode(values.result_map, plan_.result)) return problem;
    }
    values.tiles = tiles_;
    if (!plan_.is_general) values.result_pitch = pitch_of(program_, plan_.result, pitches);
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
