#include "devices/cuda/cuda_workbench.h"

#include <utility>

#include "core/report/try.h"
#include "devices/cuda/runtime/cublas.h"
#include "devices/cuda/runtime/device_arrays.h"
#include "devices/cuda/runtime/timer.h"

namespace tessera::cuda {
namespace {

class Cublas final : public PeerLibrary {
 public:
  std::string name() const override { return "cublas"; }
  Expected<void> product(const DenseProduct& product) override { return cublas_product(product); }
  Expected<void> batch(const DenseProduct& product, std::int64_t count, std::int64_t stride_a,
                       std::int64_t stride_b, std::int64_t stride_c) override {
    return cublas_batch(product, count, stride_a, stride_b, stride_c);
  }
  Enqueue grouped(const std::vector<DenseProduct>& products) override {
    const auto call = std::make_shared<CublasGrouped>(products);
    return [call] { return call->run(); };
  }
};

class CudaWorkbench final : public Workbench {
 public:
  explicit CudaWorkbench(std::shared_ptr<DeviceTimer> timer) : timer_(std::move(timer)) {}

  Expected<std::uint64_t> add(const MeasuredOperand& operand) override {
    std::uint64_t address = 0;
    TRY(arrays_.add(address, operand.elements * size_of(operand.dtype)));
    if (operand.pattern) TRY(DeviceArrays::fill(address, operand.elements, *operand.pattern));
    return address;
  }

  Expected<void> poison(std::uint64_t address, std::int64_t bytes) override {
    return set_bytes(address, 0xFF, static_cast<std::size_t>(bytes), nullptr);
  }

  Expected<void> read(Tensor& to, std::uint64_t address) override {
    return to_host(to.data(), address, static_cast<std::size_t>(to.bytes()));
  }

  Expected<void> synchronise() override { return cuda::synchronise(nullptr); }

  Expected<double> seconds(const Enqueue& enqueue) override { return timer_->seconds(enqueue); }

  PeerLibrary* peer() override { return cublas_available().ok ? &cublas_ : nullptr; }

 private:
  DeviceArrays arrays_;
  std::shared_ptr<DeviceTimer> timer_;
  Cublas cublas_;
};

}  // namespace

Expected<std::unique_ptr<Workbench>> make_workbench() {
  return std::unique_ptr<Workbench>(std::make_unique<CudaWorkbench>(TRY(DeviceTimer::make())));
}

}  // namespace tessera::cuda
