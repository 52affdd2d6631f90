// The suite `threads`: products as task graphs on all threads and on one, compared with Eigen.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.h"
#include "devices/device.h"
#include "devices/thread_count.h"
#include "interp/run_options.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/rings.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/fill.h"
#include "kernels/launch/launch.h"
#include "kernels/peers/peers.h"

namespace tessera::bench {
namespace {

Tensor random(DType dtype, const Shape& shape, FillRole role, std::uint64_t seed) {
  Tensor tensor = Tensor::uninitialised(dtype, shape);
  fill(tensor, Fill::normal, role, shape.back(), seed);
  return tensor;
}

// Products as a task graph and with Eigen. ours() returns the seconds of one run.
class Products {
 public:
  virtual ~Products() = default;
  virtual Expected<double> ours() = 0;
  virtual void eigen(int threads) = 0;
  virtual double flops() const = 0;
  // Largest difference of the two results, relative to the largest element.
  virtual double difference() const = 0;
};

double difference_of(const Tensor& a, const Tensor& b) {
  double largest = 0, difference = 0;
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const double x = static_cast<double>(a.as<float>()[i]),
                 y = static_cast<double>(b.as<float>()[i]);
    largest = std::max(largest, std::abs(y));
    difference = std::max(difference, std::abs(x - y));
  }
  return difference / largest;
}

Expected<double> seconds_of(const Expected<DeviceReport>& report) {
  if (!report) return report.diags();
  if (!report->findings.empty()) return as_error(report->findings.front());
  return report->wall_seconds;
}

class Grouped final : public Products {
 public:
  explicit Grouped(std::int64_t side)
      : sizes_(8, side / 8),
        lhs_(random(DType::f32, {side, side}, FillRole::lhs, 1)),
        rhs_(random(DType::f32, {8, side, side}, FillRole::rhs, 2)),
        group_sizes_(DType::i32, {8}),
        theirs_(DType::f32, {side, side}) {
    std::copy(sizes_.begin(), sizes_.end(), group_sizes_.as<std::int32_t>());
  }

  Expected<double> ours() override {
    GroupedMatmulOptions call;
    call.device = threading_device().name();
    Expected<GroupedMatmulRun> run = run_grouped_matmul(lhs_, rhs_, group_sizes_, call);
    if (!run) return run.diags();
    ours_ = std::move(run->out);
    return seconds_of(run->report);
  }
  void eigen(int threads) override { eigen_grouped_matmul(lhs_, rhs_, sizes_, theirs_, threads); }
  double flops() const override {
    return 2.0 * static_cast<double>(lhs_.elements()) * static_cast<double>(lhs_.dim(0));
  }
  double difference() const override { return difference_of(ours_, theirs_); }

 private:
  std::vector<std::int64_t> sizes_;
  Tensor lhs_, rhs_, group_sizes_, ours_, theirs_;
};

// All-gather matmul in bf16: each device has some columns of lhs and computes some columns of the
// result. The peer has the whole lhs in f32 and multiplies for one device after the other.
class Gathered final : public Products {
 public:
  Gathered(std::int64_t side, int devices)
      : lhs_(DType::f32, {side, side}), theirs_(DType::f32, {side, side / devices}) {
    const std::int64_t part = side / devices;
    for (int d = 0; d < devices; ++d) {
      const auto seed = static_cast<std::uint64_t>(2 * d);
      parts_.push_back(random(DType::bf16, {side, part}, FillRole::lhs, seed));
      rhs_.push_back(random(DType::bf16, {side, part}, FillRole::rhs, seed + 1));
      rhs_f32_.emplace_back(DType::f32, Shape{side, part});
      for (std::int64_t i = 0; i < side * part; ++i) {
        const std::int64_t at = i / part * side + d * part + i % part;
        lhs_.as<float>()[at] = static_cast<float>(parts_.back().at(i));
        rhs_f32_.back().as<float>()[i] = static_cast<float>(rhs_.back().at(i));
      }
    }
  }

  Expected<double> ours() override {
    AllgatherMatmulOptions options;
    options.device = threading_device().name();
    if (!launch_) {
      Expected<Launch> made = launch_allgather_matmul(
          parts_, rhs_, make_rings(1, static_cast<int>(rhs_.size())), options);
      if (!made) return made.diags();
      launch_ = *std::move(made);
    }
    return seconds_of(run(*launch_, options));
  }
  void eigen(int threads) override {
    const std::vector<std::int64_t> all{lhs_.dim(0)};
    for (const Tensor& rhs : rhs_f32_) eigen_grouped_matmul(lhs_, rhs, all, theirs_, threads);
  }
  double flops() const override {
    return 2.0 * static_cast<double>(lhs_.elements()) * static_cast<double>(lhs_.dim(0));
  }
  double difference() const override {
    return difference_of(launch_->result(rhs_.size() - 1), theirs_);
  }

 private:
  Tensor lhs_, theirs_;
  std::vector<Tensor> parts_, rhs_, rhs_f32_;
  std::optional<Launch> launch_;
};

BenchCase case_of(const std::string& name, const std::shared_ptr<Products>& products) {
  const int all = thread_count();
  const auto ours = [products](int threads) -> Expected<double> {
    set_thread_count(threads);
    Expected<double> seconds = products->ours();
    set_thread_count(0);
    return seconds;
  };
  const auto eigen = [products](int threads) -> Expected<double> {
    const auto begin = std::chrono::steady_clock::now();
    products->eigen(threads);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  BenchCase result;
  result.name = name;
  result.run = [=] { return ours(all); };
  result.peers = {{"on one", [=] { return ours(1); }},
                  {fmt::format("Eigen on {}", all), [=] { return eigen(all); }},
                  {"Eigen on one", [=] { return eigen(1); }}};
  result.work = products->flops() * 1e-9;
  result.unit = "GFLOP/s";
  result.check = [products]() -> std::string {
    const double difference = products->difference();
    return difference < 1e-4 ? "ok" : fmt::format("differs from Eigen's result by {}", difference);
  };
  return result;
}

}  // namespace

std::vector<BenchEntry> threads_suite() {
  return {{"gmm_f32_2048",
           []() -> Expected<BenchCase> {
             return case_of("gmm_f32_2048", std::make_shared<Grouped>(2048));
           }},
          {"ag_matmul_bf16_2048", []() -> Expected<BenchCase> {
             return case_of("ag_matmul_bf16_2048", std::make_shared<Gathered>(2048, 4));
           }}};
}

}  // namespace tessera::bench
