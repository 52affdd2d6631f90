// Result of a run: findings, the reason for its end, statistics, and a schedule for its replay.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/report/finding.h"

namespace tessera {

struct Certificate;    // analysis/certificate/certificate.h
struct PointsVerdict;  // analysis/certificate/points/points.h

// Reason for the end of a run. program: the program ended, with or without a finding. steps,
// events, memory: a limit was reached (events: the limit of an observer). stop: a signal or another
// thread requested it.
enum class RunEnd : std::uint8_t { program, steps, events, memory, stop };

struct RunStats {
  std::int64_t steps = 0;  // ops that access memory or semaphores, and reads and writes by copies
  std::int64_t ops = 0;    // IR ops executed by cores
  std::int64_t dmas = 0;   // started copies
  std::int64_t dma_bytes = 0;  // bytes of all copies, also those without a DMA
  std::int64_t matmul_flops = 0;
  std::int64_t peak_vmem = 0, peak_smem = 0,
               peak_semaphores = 0;  // max over the cores: bytes, bytes, elements
  double wall_seconds = 0;           // without launch and analysis
};

// Hash of a result at the end of the run. Equal contents have equal hashes.
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
  bool has_automatic_barrier = false;  // expand() added a barrier
  std::uint64_t trace_hash = 0;        // kind, agent, statement, range and amount of all events; no
                                       // values or addresses; 0 without checks
  std::vector<ResultHash> results{};
  std::string schedule;  // text form that replays this run
  RunStats stats;
  std::shared_ptr<const Certificate> certificate{};  // null if no Certifier observed the run
  // Verdict on parallel loops; null if the program has none, or if RunChecks::loops is empty.
  std::shared_ptr<const PointsVerdict> points{};
};

}  // namespace tessera
