#include "core/passes/purpose.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/passes/simplify.h"
#include "core/program/builder.h"
#include "core/program/op_values.h"

namespace tessera {
namespace {

Purpose purpose_of_debug(const Op& op) {
  return std::holds_alternative<Assert>(op) ? Purpose::assertion : Purpose::show;
}

// True if the statement only computes a number.
bool is_number_only(const Stmt& s) {
  return s.result != no_value && (is_pure(s.op) || std::holds_alternative<Limit>(s.op));
}

// True for reads of a semaphore count. A `print` may show the current count without a step. In an
// assertion the read is a step: the count depends on the schedule, so one run does not decide all
// schedules.
bool is_count(const Stmt& s) { return std::holds_alternative<ReadSem>(s.op); }

class Finder {
 public:
  explicit Finder(const Program& program)
      : program_(program), found_(program.body.size()), user_(program.values.size()) {}

  Table<StmtId, Purpose> run() {
    find_regions();
    for (StmtId i = program_.body.last(); i; --i) judge(i);
    return std::move(found_);
  }

 private:
  struct Region {
    StmtId open;
    bool is_quiet = true;
    bool has_debug = false;
    bool has_count = false;
    Purpose purpose = Purpose::show;
  };

  // Finds branches and sequential loops that contain only debug statements and computations.
  void find_regions() {
    std::vector<Region> open;
    for (const StmtId i : program_.body.ids()) {
      const Stmt& s = program_.body[i];
      const Scope scope = info(s.op).scope;
      if (scope == Scope::open) {
        const auto* loop = std::get_if<For>(&s.op);
        const bool may_be_quiet =
            std::holds_alternative<If>(s.op) || (loop != nullptr && loop->parallel == 0);
        open.push_back({.open = i, .is_quiet = may_be_quiet});
      } else if (scope == Scope::close) {
        Region region = open.back();
        open.pop_back();
        if (region.has_count && region.purpose != Purpose::show) region.is_quiet = false;
        if (region.is_quiet && region.has_debug) note(region, i);
        if (open.empty()) continue;
        open.back().is_quiet = open.back().is_quiet && region.is_quiet && region.has_debug;
        open.back().has_debug = open.back().has_debug || region.has_debug;
        open.back().has_count = open.back().has_count || region.has_count;
        open.back().purpose = std::min(open.back().purpose, region.purpose);
      } else if (!open.empty() && class_of(s.op) == OpClass::debug) {
        open.back().has_debug = true;
        open.back().purpose = std::min(open.back().purpose, purpose_of_debug(s.op));
      } else if (!open.empty() && is_count(s)) {
        open.back().has_count = true;
      } else if (!open.empty() && scope == Scope::none && !is_number_only(s)) {
        open.back().is_quiet = false;
      }
    }
  }
  void note(const Region& region, StmtId end) {
    const StmtId middle = program_.body[region.open].partner;
    for (const StmtId i : {region.open, middle, end}) found_[i] = region.purpose;
  }

  void judge(StmtId i) {
    const Stmt& s = program_.body[i];
    const bool is_region = info(s.op).scope != Scope::none;
    if (class_of(s.op) == OpClass::debug)
      found_[i] = purpose_of_debug(s.op);
    else if (is_number_only(s))
      found_[i] = user_[s.result].value_or(Purpose::work);
    else if (is_count(s) && user_[s.result] == Purpose::show)
      found_[i] = Purpose::show;
    use_operands(s.op, found_[i]);
    if (is_region || is_number_only(s)) return;
    for (LoopId l = s.loop; l; l = program_.loops[l].outer) use(program_.loops[l].index, found_[i]);
  }
  void use(ValueId id, Purpose purpose) {
    if (id == no_value) return;
    user_[id] = std::min(user_[id].value_or(purpose), purpose);
  }
  void use_operands(const Op& op, Purpose purpose) {
    each_value(op, [&](ValueId id) { use(id, purpose); });
  }

  const Program& program_;
  Table<StmtId, Purpose> found_;                 // work by default
  Table<ValueId, std::optional<Purpose>> user_;  // strongest purpose among the users of the value
};

}  // namespace

bool has_debug_statements(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(),
                     [](const Stmt& s) { return class_of(s.op) == OpClass::debug; });
}

Table<StmtId, Purpose> purposes(const Program& program) {
  if (!has_debug_statements(program)) return Table<StmtId, Purpose>(program.body.size());
  return Finder(program).run();
}

Program without(Program program, Purpose from) {
  if (!has_debug_statements(program)) return program;
  const Table<StmtId, Purpose> purpose = purposes(program);
  Table<StmtId, Stmt> kept;
  for (const StmtId i : program.body.ids()) {
    const ValueId result = program.body[i].result;
    if (purpose[i] < from) {
      kept.add(std::move(program.body[i]));
    } else if (result != no_value) {
      program.values[result].statement = StmtId();
      program.values[result].name.clear();
    }
  }
  program.body = std::move(kept);
  return Builder(std::move(program)).finish();
}

}  // namespace tessera
