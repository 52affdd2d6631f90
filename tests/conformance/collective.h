// Calls of collectives on generated operands, run under many schedules and judged on every device.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/certificate/certifier.h"
#include "devices/profiles/profile.h"
#include "devices/threads/task_run.h"
#include "interp/run.h"
#include "interp/schedule/strategies.h"
#include "kernels/collective/rings.h"
#include "kernels/inputs/fill.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::collective {

using Tensors = std::vector<Tensor>;

inline Tensors made(std::size_t devices, DType type, const Shape& shape, FillRole role, Fill kind,
                    std::int64_t terms, std::uint64_t seed) {
  Tensors all;
  for (std::size_t d = 0; d < devices; ++d) {
    all.emplace_back(type, shape);
    fill(all.back(), kind, role, terms, seed * 1000 + d);
  }
  return all;
}

inline CheckOptions how(Fill kind) {
  CheckOptions options;
  options.values =
      kind == Fill::integers ? Arithmetic::Values::small_integers : Arithmetic::Values::any;
  return options;
}

// While it lives, runs on threads take tasks as small as may be in a random order.
struct Shuffled {
  explicit Shuffled(std::uint64_t seed) { shuffle_tasks(seed); }
  ~Shuffled() { shuffle_tasks({}); }
  Shuffled(const Shuffled&) = delete;
  Shuffled& operator=(const Shuffled&) = delete;
};

// How copies complete and who moves next: the modes of the machine.
inline RunOptions mode(std::string schedule, DmaOrder order = DmaOrder::unordered,
                       CopyGranularity granularity = CopyGranularity::whole, int slow_device = -1) {
  RunOptions options;
  options.schedule = std::move(schedule);
  options.copies.order = order;
  options.copies.granularity = granularity;
  options.machine.slow_device = slow_device;
  return options;
}

inline std::vector<RunOptions> every_mode() {
  std::vector<RunOptions> all;
  for (const std::string& schedule : sample_schedules(2))
    for (const DmaOrder order : {DmaOrder::unordered, DmaOrder::fifo})
      for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial})
        all.push_back(mode(schedule, order, granularity));
  return all;
}

// In order: what a kernel may rely on that shares one semaphore among the copies of a link.
inline std::vector<RunOptions> every_fifo_mode() {
  std::vector<RunOptions> all;
  for (const std::string& schedule : sample_schedules(2))
    all.push_back(mode(schedule, DmaOrder::fifo));
  return all;
}

inline std::string text(const Diags& diags) {
  return diags.empty() ? "no diagnostics" : render(diags);
}

inline std::string text(const RunOptions& run) {
  return run.schedule + (run.copies.order == DmaOrder::fifo ? " fifo" : " unordered") +
         (run.copies.granularity == CopyGranularity::partial ? " partial" : " whole") +
         (run.machine.slow_device >= 0 ? " slow " + std::to_string(run.machine.slow_device) : "");
}

template <typename Options>
Options under(Options options, const RunOptions& run) {
  options.device = "interpreter";
  options.run.interpreter = &run;
  options.run.profile = find_profile("v6e")->machine;  // routes to any distance
  return options;
}

// The task graph of the launch, on threads in a random order, has the bits that the launch has
// left.
template <typename Options>
void expect_same_on_threads(const Launch& launch, Options options) {
  std::vector<Tensor> expected;
  for (std::size_t d = 0; d < launch.devices.size(); ++d)
    expected.push_back(launch.result(d).clone());
  const Shuffled shuffled(launch.devices.size());
  options.device = "threads";
  const Expected<DeviceReport> report = tessera::run(launch, options);
  ASSERT_TRUE(report) << text(report.diags());
  ASSERT_TRUE(report->findings.empty()) << render(report->findings);
  for (std::size_t d = 0; d < launch.devices.size(); ++d) {
    const Tensor& out = launch.result(d);
    EXPECT_TRUE(std::equal(out.data(), out.data() + out.bytes(), expected[d].data()))
        << "device " << d << " on threads";
  }
}

// The verdict that a graph needs takes the longer the more devices there are.
inline constexpr std::size_t max_on_threads = 16;

// Runs the launch, which must be clean; under the eager schedule also on threads.
template <typename Options>
void run_clean(const Expected<Launch>& launch, const Options& options) {
  ASSERT_TRUE(launch) << text(launch.diags());
  const Expected<DeviceReport> report = run(*launch, options);
  ASSERT_TRUE(report) << text(report.diags());
  ASSERT_TRUE(report->findings.empty()) << render(report->findings);
  const RunOptions& how = *options.run.interpreter;
  if (how.schedule == "eager" && how.copies.granularity == CopyGranularity::whole &&
      how.machine.slow_device < 0 && launch->devices.size() <= max_on_threads)
    expect_same_on_threads(*launch, options);
}

// The kind of the first finding of the launch, or "clean"; its message in `message`.
template <typename Options>
std::string outcome(const Expected<Launch>& launch, const Options& options,
                    std::string* message = nullptr) {
  if (!launch) return text(launch.diags());
  const Expected<DeviceReport> report = run(*launch, options);
  if (!report) return text(report.diags());
  if (report->findings.empty()) return "clean";
  if (message) *message = render(report->findings);
  return std::string(name(report->findings.front().kind));
}

// What one run of the launch proves of all its schedules: "proved", "explored", or the kind of the
// first finding.
template <typename Options>
std::string certified(const Launch& launch, Options options) {
  Certifier certifier(CopyGranularity::partial, /*budget=*/1 << 20);
  RunOptions run = *options.run.interpreter;
  run.observers.push_back(&certifier);
  options.run.interpreter = &run;
  const Expected<DeviceReport> report = tessera::run(launch, options);
  if (!report) return text(report.diags());
  const Certificate& certificate = certifier.certificate();
  return std::string(certificate.findings.empty() ? name(certificate.verdict)
                                                  : name(certificate.findings.front().kind));
}
template <typename Options>
std::string certified(const Expected<Launch>& launch, const Options& options) {
  return launch ? certified(*launch, options) : text(launch.diags());
}

// The sum of the products of all elements, exact for whole numbers.
inline double inner(const Tensors& a, const Tensors& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    EXPECT_EQ(a[d].shape(), b[d].shape());
    for (std::int64_t i = 0; i < a[d].elements(); ++i) sum += a[d].at(i) * b[d].at(i);
  }
  return sum;
}

}  // namespace tessera::collective
