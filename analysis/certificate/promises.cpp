#include "analysis/certificate/promises.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::int64_t max_events = 200'000;

// True if all findings are races with copies. Promises do not remove other findings.
bool may_depend_on_copies(const Certificate& certificate) {
  return !certificate.races.empty() && certificate.races.size() == certificate.findings.size() &&
         std::all_of(certificate.races.begin(), certificate.races.end(),
                     [](const RaceWitness& race) { return race.is_with_copy; });
}

}  // namespace

Expected<std::optional<Promises>> stronger_promises(const Simulate& simulate,
                                                    const CertifyOptions& options,
                                                    const Certificate& certificate) {
  const std::optional<Promises> none;
  if (certificate.verdict != SchedulesVerdict::refuted ||
      certificate.statistics.events > max_events || !may_depend_on_copies(certificate))
    return none;
  const bool has_whole = certificate.basis.granularity == CopyGranularity::whole,
             has_order = options.run.copies.order == DmaOrder::fifo;
  if (has_whole && has_order) return none;
  std::optional<Diags> problems;
  const auto is_proved = [&](bool whole, bool order) {
    CertifyOptions how = options;
    how.necessity = false;
    how.shown = 0;
    how.schedules = 1;
    how.exhaust = std::min<std::int64_t>(how.exhaust, 16);
    how.granularity = whole ? CopyGranularity::whole : CopyGranularity::partial;
    how.run.copies.granularity = whole ? CopyGranularity::whole : options.run.copies.granularity;
    how.run.copies.order = order ? DmaOrder::fifo : DmaOrder::unordered;
    const Expected<Certificate> again = certify(simulate, how);
    if (!again) problems = again.diags();
    return again && again->verdict == SchedulesVerdict::proved;
  };
  Promises promises;
  if (!has_whole) promises.whole = is_proved(true, has_order);
  if (!has_order) promises.order = is_proved(has_whole, true);
  if (!has_whole && !has_order && !promises.any()) promises.both = is_proved(true, true);
  if (problems) return *problems;
  return std::optional(promises);
}

}  // namespace tessera
