// Growth of one size after the other, then of pairs.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/sizes/ring_length.h"
#include "cli/sizes/size_axis.h"
#include "cli/verify_target.h"

namespace tessera::cli {

// One verified size.
struct GrownCase {
  std::string words;           // the sizes that differ from the given ones; empty: the given sizes
  std::string group;           // the sizes that vary: "--devices, --set steps"
  std::string item;            // their values: "3,4"
  bool is_of_devices = false;  // only the number of devices differs, with sizes that depend on it
  std::string command;         // the whole command line
  SchedulesVerdict verdict = SchedulesVerdict::explored;
  std::string why{};  // first finding, or the reason for the verdict explored
  std::int64_t events = 0;
  std::vector<CoverageNote> added{};  // exercised here for the first time
};

struct Growth {
  std::vector<GrownCase> cases;
  std::int64_t not_allowed = 0;  // sizes that a `require`, the operation or the profile rejects
  bool is_out_of_budget = false;
  bool is_interrupted = false;
  std::string kernel{};  // name and settings at the given sizes
  // Unrolled rings of proved sizes with other numbers of devices. independent: the last proof that
  // does not depend on the length of the ring. chained: the first proof that does.
  std::optional<RingLength> independent{}, chained{};
  std::vector<CoverageNote> missing{};  // at the given sizes, exercised by no other size
  // True if the last case is refuted.
  bool is_refuted() const {
    return !cases.empty() && cases.back().verdict == SchedulesVerdict::refuted;
  }
};

class Grower {
 public:
  // budget: recorded events in all. arguments must outlive this object.
  Grower(const Arguments& arguments, std::int64_t budget)
      : arguments_(arguments),
        given_(arguments.invocation().without({"json", "interpret"})),
        budget_(budget) {}
  // Ends at the first size that is refuted, when the budget is used up, or after the last size.
  // Fails if the given sizes are not allowed.
  Expected<Growth> run();

 private:
  void unroll(const VerifyTarget& target);
  bool try_size(std::size_t axis, std::int64_t value);
  void try_pair(std::size_t a, std::int64_t value_a, std::size_t b, std::int64_t value_b);
  Expected<bool> verify(const Invocation& invocation, GrownCase grown);
  // Number of things that one size added on its own, and the values at which it did.
  struct Gain {
    std::size_t added = 0;
    std::set<std::int64_t> values{};
  };
  void grow_tables();
  void grow_pairs(const std::vector<Gain>& gains);
  std::vector<std::int64_t> values(const SizeAxis& axis) const;
  bool is_over();

  const Arguments& arguments_;
  const Invocation given_;
  std::int64_t budget_;
  int devices_ = 1;  // at the given sizes
  std::vector<SizeAxis> axes_;
  CoverageNotes first_;               // at the given sizes
  std::vector<std::int64_t> blocks_;  // extents of the blocks of windows
  std::set<CoverageKey> seen_;
  std::set<std::string> done_;  // words
  Growth growth_;
};

}  // namespace tessera::cli
