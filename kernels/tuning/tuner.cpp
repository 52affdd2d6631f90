#include "kernels/tuning/tuner.h"

#include <algorithm>
#include <chrono>

namespace tessera {

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

namespace {

struct ArmTimes {
  std::vector<double> seconds;
  Diags failed;
  bool runs = true;

  void run(const TimedArm& arm) {
    if (!runs) return;
    if (const Expected<double> took = arm(); took) {
      seconds.push_back(*took);
    } else {
      failed = took.diags();
      runs = false;
    }
  }
  double least() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
};

}  // namespace

std::vector<Expected<double>> seconds_in_turn(const std::vector<TimedArm>& arms, int warmup,
                                              int rounds) {
  constexpr double hopeless = 2;
  std::vector<ArmTimes> times(arms.size());
  for (int w = 0; w < std::max(warmup, 1); ++w) {
    leave_if_stopped();
    for (std::size_t i = 0; i < arms.size(); ++i) times[i].run(arms[i]);
  }
  double best = std::numeric_limits<double>::infinity();
  for (const ArmTimes& arm : times) {
    if (arm.runs) best = std::min(best, arm.least());
  }
  for (ArmTimes& arm : times) {
    if (!arm.runs) continue;
    const double least = arm.least();
    arm.runs = least <= hopeless * best;
    arm.seconds.clear();
    if (!arm.runs) arm.seconds.push_back(least);
  }
  for (int r = 0; r < std::max(rounds, 1); ++r) {
    leave_if_stopped();
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const std::size_t turn = r % 2 == 0 ? i : arms.size() - 1 - i;
      times[turn].run(arms[turn]);
    }
  }
  std::vector<Expected<double>> result;
  for (const ArmTimes& arm : times)
    result.push_back(arm.failed.empty() ? Expected<double>(arm.median()) : arm.failed);
  return result;
}

Expected<double> Tuner::mean_seconds(const std::function<Diags()>& run) const {
  for (int i = 0; i < warmup; ++i) {
    if (Diags diags = run(); !diags.empty()) return diags;
  }
  const int count = std::max(iters, 1);
  const double begin = clock();
  for (int i = 0; i < count; ++i) {
    if (Diags diags = run(); !diags.empty()) return diags;
  }
  return (clock() - begin) / count;
}

}  // namespace tessera
