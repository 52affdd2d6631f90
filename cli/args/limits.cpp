#include "cli/args/limits.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <ctime>

#include "core/host/host_memory.h"
#include "core/host/temporary_files.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::atomic<bool> asked_to_stop = false;
std::atomic<std::int64_t> asked_at = 0;  // milliseconds
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

// Milliseconds within which two signals count as one request. timeout(1) signals the process, and
// then its process group.
constexpr std::int64_t one_request = 200;

extern "C" void on_signal(int number) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t at = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  if (!asked_to_stop.exchange(true)) {
    asked_at = at;
    return;
  }
  if (at - asked_at < one_request) return;
  remove_temporary_files();
  std::signal(number, SIG_DFL);
  std::raise(number);  // delivered when the handler returns
}

}  // namespace

Option max_steps_option() {
  return {"max-steps", "N", "end the run after N steps; default: no limit"};
}

Option max_memory_option() {
  return {"max-memory", "BYTES",
          "max memory of the process, such as 4G or 500M; default: most of the available memory"};
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view suffixes = "KMGT";
  int shift = 0;
  if (const std::size_t suffix = text.empty() ? text.npos : suffixes.find(text.back());
      suffix != text.npos) {
    shift = 10 * (static_cast<int>(suffix) + 1);
    text.remove_suffix(1);
  }
  const std::optional<std::int64_t> number = parse_integer(text);
  if (!number || *number < 1 || *number > INT64_MAX >> shift) return std::nullopt;
  return *number << shift;
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  // Uses the alternate stack set up in termination.h: oneDNN kernels let the stack pointer point
  // into memory that they pack operands into, so a frame there would corrupt the heap.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Stop interruption() { return &asked_to_stop; }

MemoryBudget memory_budget(const Arguments& arguments, Diags& diags) {
  if (arguments.has("max-memory")) {
    const std::string_view text = arguments.text("max-memory");
    const auto bytes = parse_bytes(text);
    if (!MemoryCap::is_possible())
      diags.push_back(error(ErrorCode::unsupported,
                            "--max-memory: not supported in a build with sanitizers, which reserve "
                            "more memory than they use"));
    if (bytes) return {*bytes, "--max-memory"};
    diags.push_back(error(fmt::format(
        "--max-memory: expected a number of bytes such as 4G or 500M, at least 1, found '{}'",
        text)));
  }
  const MemoryLimit all = memory_limit();
  return {all.left - all.left / 16, all.by};
}

std::string end_text(RunEnd end, const RunStats& stats, const Arguments& arguments) {
  // An empty loop has ops but no steps.
  const std::string ops =
      end == RunEnd::steps ? fmt::format(", {}", counted(stats.ops, "op", "ops")) : "";
  const std::string after = fmt::format("after {}{}", counted(stats.steps, "step", "steps"), ops);
  const auto limit = [&](std::string_view option, std::string_view fallback) {
    return arguments.has(option) ? fmt::format("--{} {}", option, arguments.text(option))
                                 : std::string(fallback);
  };
  switch (end) {
    case RunEnd::program:
      return {};
    case RunEnd::steps:
      return fmt::format("{}: {}", after,
                         limit("max-steps", limit("budget", "the budget of verify")));
    case RunEnd::events:
      return fmt::format("{}: {}", after, limit("budget", "the budget of verify"));
    case RunEnd::memory:
      return fmt::format("{}: no more memory, {}", after, limit("max-memory", memory_limit().by));
    case RunEnd::stop:
      return fmt::format("{}: interrupted", after);
  }
  return {};
}

}  // namespace tessera::cli
