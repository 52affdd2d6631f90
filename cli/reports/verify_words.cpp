#include "cli/reports/verify_words.h"

#include <fmt/format.h>

#include <string_view>

#include "cli/reports/report.h"

namespace tessera::cli {

Status status_of(const Certificate& certificate) {
  if (certificate.findings.empty()) return status_of(certificate.end);
  return status_of(certificate.findings);
}

std::string proved_text(const Certificate& certificate) {
  const std::string_view which =
      certificate.basis.orders_parallel_loops ? " that keeps the order of parallel iterations" : "";
  if (!certificate.order.empty())
    return fmt::format(
        "no race, no deadlock and nothing left on a semaphore in any schedule{}; "
        "values differ only by the order of additions",
        which);
  return fmt::format(
      "no race, no deadlock, nothing left on a semaphore and the same values in "
      "every schedule{}",
      which);
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string promises_text(const Promises& promises) {
  if (promises.whole && promises.order)
    return "proved if copies are whole, or if copies of one link complete in order";
  if (promises.whole) return "proved if copies are whole";
  if (promises.order) return "proved if copies of one link complete in order";
  if (promises.both) return "proved if copies are whole, and copies of one link complete in order";
  return "none helps: it also fails if copies are whole and copies of one link complete in order";
}

}  // namespace tessera::cli
