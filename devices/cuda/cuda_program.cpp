#include "devices/cuda/cuda_program.h"

#include <mutex>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/cuda/graph/checked_run.h"
#include "devices/cuda/graph/graph_program.h"
#include "devices/cuda/runtime/operand_memory.h"

namespace tessera::cuda {
namespace {

class CudaProgram final : public Executable {
 public:
  CudaProgram(const Program& program, std::shared_ptr<Kernel> kernel)
      : program_(program), kernel_(std::move(kernel)) {}

  std::vector<std::string> notes() const override {
    const std::string& note = kernel_->plan().note;
    return note.empty() ? std::vector<std::string>() : std::vector{note};
  }

  Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& options) override try {
    if (bindings.size() != 1) return several().run(bindings, options);
    const ContextScope own(kernel_->context());
    TRY(own.entered());
    OperandMemory memory(kernel_->context());
    TRY(memory.add_all(program_, bindings[0]));
    DeviceReport report;
    report.sum_error = sum_error();
    report.warnings = kernel_->compiler_notes();
    const auto launch = [&]() -> Expected<void> {
      TRY(timed([&] { return kernel_->launch(memory.addresses(), nullptr); }, report.wall_seconds));
      std::optional<Finding> found = TRY(kernel_->finding());
      if (!found) return memory.take_results(program_, bindings[0]);
      report.findings.push_back(*std::move(found));
      return {};
    };
    if (graph::NodeCheckReport* const checked = graph::NodeCheckReport::of(options.interpreter)) {
      TRY(run_checked(program_, bindings[0], options, sum_error(), launch, *checked, report));
    } else {
      TRY(launch());
    }
    return report;
  } catch (...) {
    return given_up("running on the GPU");
  }

  Expected<void> launch(const DeviceAddresses& operands, void* stream,
                        const Pitches& pitches) override {
    return kernel_->launch(operands, stream, pitches);
  }

  Expected<void> launch_all(const std::vector<DeviceAddresses>& operands,
                            const std::vector<DeviceBinding>& control, void* stream) override {
    if (operands.size() == 1) return launch(operands.front(), stream, {});
    return several().launch_all(operands, control, stream);
  }

  Expected<std::optional<Finding>> finding(std::optional<void*> stream) override {
    return stream ? kernel_->finding(*stream) : kernel_->finding();
  }

  double sum_error() const override { return kernel_->plan().sum_error; }

 private:
  Executable& several() {
    const std::lock_guard lock(mutex_);
    if (several_ == nullptr)
      several_ = make_graph_program(program_, "the program runs on several devices");
    return *several_;
  }

  Program program_;
  std::shared_ptr<Kernel> kernel_;
  std::mutex mutex_;                     // protects several_
  std::unique_ptr<Executable> several_;  // for runs on several devices; built at first use
};

}  // namespace

std::unique_ptr<Executable> make_program(const Program& program, std::shared_ptr<Kernel> kernel) {
  return std::make_unique<CudaProgram>(program, std::move(kernel));
}

}  // namespace tessera::cuda
