#include "cli/sizes/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/reports/finding_text.h"
#include "cli/reports/report.h"
#include "core/report/stop.h"
#include "core/report/try.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::int64_t, 9> counts = {2, 3, 4, 5, 8, 9, 16, 17, 32};
constexpr std::int64_t small_in_pairs = 5;
constexpr int max_unrolled = 9;           // devices
constexpr std::int64_t small_tuning = 8;  // a number of buffers, not an extent of a tile

}  // namespace

// Larger values of a size. Counts take fixed values; extents also those around one and two blocks
// of a window.
std::vector<std::int64_t> Grower::values(const SizeAxis& axis) const {
  if (axis.option == "calls" || axis.option == "cores") return {axis.value + 1, axis.value + 2};
  if (axis.is_tuning && axis.value <= small_tuning) return {axis.value + 1, axis.value + 2};
  if (axis.is_tuning) return {2 * axis.value};
  std::set<std::int64_t> found(counts.begin(), counts.end());
  if (axis.is_extent) {
    for (const std::int64_t block : blocks_)
      for (const std::int64_t n : {block - 1, block, block + 1, 2 * block, 2 * block + 1})
        found.insert(n);
    found.insert({axis.value + 1, 2 * axis.value});
  }
  found.erase(found.begin(), found.upper_bound(axis.value));
  return {found.begin(), found.end()};
}

// Returns false if the sizes are not allowed.
Expected<bool> Grower::verify(const Invocation& invocation, GrownCase grown) {
  Expected<VerifyTarget> target = verify_target(invocation.words(), arguments_.files());
  if (!target) return target.diags();
  arguments_.read_as(target->arguments);
  target->how.budget = std::max<std::int64_t>(budget_, 1);
  const Certificate c = TRY(certify(target->prepared.simulate, target->how));
  if (any_has(c.findings, FindingTrait::of_machine)) {
    const Finding& first = c.findings.front();
    return error(message_text(first, first.message));
  }
  grown.command = invocation.line();
  grown.verdict = c.verdict;
  grown.why = c.why_explored();
  grown.events = c.statistics.events;
  budget_ -= c.statistics.events;
  growth_.is_interrupted = c.end == RunEnd::stop;
  growth_.is_out_of_budget =
      !growth_.is_interrupted &&
      (budget_ <= 0 || (c.end != RunEnd::program && c.verdict != SchedulesVerdict::refuted));
  if (!c.findings.empty()) {
    const Finding& first = c.findings.front();
    grown.why =
        fmt::format("{}: {}", tessera::name(first.kind), message_text(first, first.message));
  }
  for (const CoverageNote& note : c.coverage.seen)
    if (seen_.insert(key(note)).second && !growth_.cases.empty()) grown.added.push_back(note);
  if (growth_.cases.empty()) {
    growth_.kernel = target->prepared.kernel;
    devices_ = target->how.run.machine.devices;
    first_ = c.coverage;
    growth_.missing = first_.missing;
    blocks_ = c.coverage.blocks;
  }
  const bool is_of_devices = grown.is_of_devices;
  growth_.cases.push_back(std::move(grown));
  if (is_of_devices && c.verdict == SchedulesVerdict::proved) unroll(*target);
  return true;
}

bool Grower::is_over() {
  growth_.is_interrupted = growth_.is_interrupted || is_stopped(current_stop());
  return growth_.is_refuted() || growth_.is_out_of_budget || growth_.is_interrupted;
}

void Grower::unroll(const VerifyTarget& target) {
  if (target.how.run.machine.devices > max_unrolled) return;
  const Expected<std::optional<RingLength>> length = ring_length(target);
  if (!length || !*length) return;
  if ((*length)->verdict == LengthVerdict::quiet) growth_.independent = **length;
  if ((*length)->verdict == LengthVerdict::rests_on_length && !growth_.chained)
    growth_.chained = **length;
}

bool Grower::try_size(std::size_t axis, std::int64_t value) {
  for (const SizedCommand& command : with_size(given_, axes_, axis, value)) {
    if (!done_.insert(command.words).second) return false;
    const std::string group =
        axes_[axis].name() + (command.is_scaled ? " with extents in proportion" : "");
    if (verify(command.invocation, {.words = command.words,
                                    .group = group,
                                    .item = std::to_string(value),
                                    .is_of_devices = axes_[axis].option == "devices"}))
      return true;
  }
  ++growth_.not_allowed;
  return false;
}

void Grower::try_pair(std::size_t a, std::int64_t value_a, std::size_t b, std::int64_t value_b) {
  const std::string group = fmt::format("{}, {}", axes_[a].name(), axes_[b].name());
  for (const SizedCommand& first : with_size(given_, axes_, a, value_a))
    for (const SizedCommand& both : with_size(first.invocation, axes_, b, value_b)) {
      const std::string words = first.words + " " + both.words;
      if (!done_.insert(words).second) return;
      if (verify(both.invocation, {words, group, fmt::format("{},{}", value_a, value_b)})) return;
    }
  ++growth_.not_allowed;
}

// Pairs of sizes, one of which added something on its own, or else one pair; those that added most
// first. Each size takes small values, and those that added something.
void Grower::grow_pairs(const std::vector<Gain>& gains) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    for (std::size_t b = a + 1; b < axes_.size(); ++b) pairs.emplace_back(a, b);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& p, const auto& q) {
    return gains[p.first].added + gains[p.second].added >
           gains[q.first].added + gains[q.second].added;
  });
  while (pairs.size() > 1 &&
         gains[pairs.back().first].added + gains[pairs.back().second].added == 0)
    pairs.pop_back();
  const auto in_pairs = [&](std::size_t axis) {
    std::vector<std::int64_t> all = values(axes_[axis]);
    std::erase_if(all, [&](std::int64_t value) {
      return value > small_in_pairs && !gains[axis].values.contains(value) && value != all.front();
    });
    return all;
  };
  for (const auto& [a, b] : pairs)
    for (const std::int64_t y : in_pairs(b)) {
      std::vector<std::int64_t> of_a = in_pairs(a);
      // A mesh needs a multiple of its other extent.
      if (axes_[a].option == "devices" && y <= small_in_pairs) of_a.push_back(axes_[a].value * y);
      for (const std::int64_t x : of_a) {
        if (is_over()) return;
        try_pair(a, x, b, y);
      }
    }
}

// Other numbers in the tables that decide the control flow.
void Grower::grow_tables() {
  std::vector<CoverageNote> tables = first_.missing;
  tables.insert(tables.end(), first_.seen.begin(), first_.seen.end());
  for (const CoverageNote& table : tables) {
    if (table.kind != Uncovered::empty) continue;
    for (const SizedCommand& command : with_other_tables(given_, table.object)) {
      if (is_over()) return;
      const std::string numbers = command.words.substr(command.words.find_last_of(" =") + 1);
      if (!verify(command.invocation, {command.words, table.object, numbers}))
        ++growth_.not_allowed;
    }
  }
}

Expected<Growth> Grower::run() {
  TRY(verify(given_, {.is_of_devices = true}));
  axes_ = TRY(size_axes(arguments_, devices_));
  std::vector<Gain> gains(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i)
    for (const std::int64_t value : values(axes_[i])) {
      if (is_over()) break;
      if (!try_size(i, value)) continue;
      const std::size_t added = growth_.cases.back().added.size();
      gains[i].added += added;
      if (added > 0) gains[i].values.insert(value);
    }
  grow_tables();
  grow_pairs(gains);
  std::erase_if(growth_.missing,
                [&](const CoverageNote& note) { return seen_.contains(key(note)); });
  return std::move(growth_);
}

}  // namespace tessera::cli
