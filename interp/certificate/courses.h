// The courses that a program can take whose cores read counts without waiting. Everything else that
// agents do commutes; so a course is what was done on these counts before each read. They are
// found one from another: a run is followed up to a place where somebody else could have come next.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "interp/certificate/pinned.h"

namespace tessera {

class Courses {
 public:
  // Cores in the order in which they act on counts that are read, and a schedule that begins so.
  struct Beginning {
    std::vector<std::int32_t> cores;
    std::string schedule;
  };

  // Beginnings that no run had yet, of a complete run that began with `with`. False: the run does
  // not begin so.
  bool follow(const Record& record, const Beginning& with, std::optional<std::uint64_t> order);
  bool is_empty() const { return open_.empty(); }
  Beginning take();

 private:
  std::set<std::vector<std::int32_t>> known_;
  std::vector<Beginning> open_;
};

}  // namespace tessera
