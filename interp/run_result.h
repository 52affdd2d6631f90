// What a run gives: findings, what ended it, numbers, and what replays it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/report/finding.h"

namespace tessera {

struct Certificate;    // analysis/certificate/certificate.h
struct PointsVerdict;  // analysis/certificate/points/points.h

// What ended a run: the program, with or without a finding, or a limit in the middle of it: of
// steps, of the events that an observer takes, of memory, or a request from outside.
enum class RunEnd : std::uint8_t { program, steps, events, memory, stop };

struct RunStats {
  std::int64_t steps = 0;  // events: ops that touch memory or semaphores, and halves of copies
  std::int64_t ops = 0;    // IR ops executed by cores
  std::int64_t dmas = 0;
  std::int64_t dma_bytes = 0;
  std::int64_t matmul_flops = 0;
  std::int64_t peak_vmem = 0, peak_smem = 0,
               peak_semaphores = 0;  // bytes, bytes, elements; the largest core
  double wall_seconds = 0;           // of the run alone
};

// What a result held when the run ended, as a number that two runs share when it is the same.
struct ResultHash {
  int device = 0;
  std::string buffer;
  std::uint64_t hash = 0;
  bool operator==(const ResultHash&) const = default;
};

struct RunResult {
  std::vector<Finding> findings;
  bool is_complete = false;  // every core finished
  RunEnd end = RunEnd::program;
  bool has_automatic_barrier = false;  // expand() added it
  std::uint64_t trace_hash =
      0;  // of the events: kind, agent, op, range, amount; no values, no addresses
  std::vector<ResultHash> results{};
  std::string schedule;  // text form that replays this run
  RunStats stats;
  std::shared_ptr<const Certificate> certificate{};  // if a Certifier observed the run
  // On parallel loops; null if the program has none, or RunChecks::loops is empty.
  std::shared_ptr<const PointsVerdict> points{};
};

}  // namespace tessera
