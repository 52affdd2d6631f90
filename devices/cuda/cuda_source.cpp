#include "devices/cuda/cuda_source.h"

#include <utility>

#include "core/report/try.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/lower/templates.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"

namespace tessera::cuda {
namespace {

class CudaSource final : public EmittedKernel {
 public:
  explicit CudaSource(LoweredKernel kernel) : kernel_(std::move(kernel)) {
    summary = kernel_.summary;
    source = kernel_.source;
    for (std::size_t i = 0; i < embedded_template_count; ++i)
      includes.push_back({embedded_templates[i].name, embedded_templates[i].text});
    if (const TensorCorePlan* plan = kernel_.tensor_core())
      includes.push_back({"wgmma.cuh", plan->wgmma});
  }

  Expected<CompilerReport> compile() const override {
    const CompiledKernel compiled = TRY(cuda::compile(kernel_));
    const CompilerFigures figures = read_log(compiled.log);
    return CompilerReport{.compiler = compiler_version(),
                          .seconds = compiled.seconds,
                          .machine_code_bytes = static_cast<std::int64_t>(compiled.cubin.size()),
                          .registers = figures.registers,
                          .spill_bytes = figures.spill_stores + figures.spill_loads,
                          .log = compiled.log};
  }

 private:
  LoweredKernel kernel_;
};

}  // namespace

Expected<std::unique_ptr<EmittedKernel>> emitted(const Program& program, KernelForm form) {
  LoweredKernel kernel = TRY(form == KernelForm::general ? lower_general(program) : lower(program));
  return std::unique_ptr<EmittedKernel>(std::make_unique<CudaSource>(std::move(kernel)));
}

}  // namespace tessera::cuda
