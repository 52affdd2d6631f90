#include "analysis/certificate/points/point_structure.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "analysis/certificate/points/grid_terms.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

template <typename... Ops>
bool is_one_of(const Op& op) {
  return (std::holds_alternative<Ops>(op) || ...);
}

// True for ops that affect others, allocate memory, or contain other parallel loops or pipelines.
bool is_more_than_computing(const Op& op) {
  const auto* loop = std::get_if<For>(&op);
  return (loop != nullptr && loop->parallel != 0) ||
         is_one_of<Pipeline, Alloc, Free, Fresh, Pad, Once, Start, StartRemote, WriteBack, Signal,
                   Wait, Await, ReadSem>(op);
}

template <typename Function>
void for_each_slice(const Op& op, Function function) {
  for (const FieldInfo& f : info(op).fields)
    if (f.kind == FieldKind::Slice) function(field<Slice>(op, f), f);
}

// Pipeline with parallel outermost dimensions.
class PointStructure {
 public:
  PointStructure(const Program& program, StmtId pipeline)
      : program_(program), pipeline_(pipeline), end_(program.body[pipeline].partner) {}

  bool is_parallel() const {
    for (StmtId i = pipeline_ + 1; i < end_ && !std::holds_alternative<Pipeline>(at(i).op); ++i)
      if (const auto* grid = std::get_if<Grid>(&at(i).op); grid != nullptr && grid->parallel != 0)
        return true;
    return false;
  }
  bool is_independent() {
    if (!only_computes()) return false;
    read_grid();
    return windows_are_apart() && scratch_is_own();
  }
  StmtId begin() const { return pipeline_; }
  StmtId end() const { return end_; }
  const std::vector<StmtId>& loops() const { return loops_; }    // parallel dimensions
  const std::set<ValueId>& scratch() const { return scratch_; }  // stored by the pipeline, by root

 private:
  const Stmt& at(StmtId i) const { return program_.body[i]; }

  // The language puts parallel dimensions before the others.
  void read_grid() {
    for (StmtId i = pipeline_ + 1; i < end_; ++i)
      if (const auto* grid = std::get_if<Grid>(&at(i).op)) {
        if (grid->parallel != 0)
          loops_.push_back(i);
        else
          sequential_[at(i).result] = grid->lower;
      }
  }

  bool only_computes() {
    for (StmtId i = pipeline_ + 1; i < end_; ++i) {
      if (is_more_than_computing(at(i).op)) return false;
      const Slice* to = written_slice(at(i).op);
      if (to == nullptr) continue;
      const ValueId window = window_of(to->base);
      (window == no_value ? scratch_ : stored_windows_)
          .insert(window == no_value ? root(*to) : window);
    }
    return std::all_of(scratch_.begin(), scratch_.end(), [&](ValueId ref) {
      const Buffer& buffer = *program_.buffer(ref);
      return buffer.space != Space::hbm && buffer.role == Role::scratch;
    });
  }

  ValueId root(const Slice& slice) const { return ref_info(program_, slice.base).root; }

  // Returns the window of this pipeline that a ref names, directly or by views, or no_value.
  ValueId window_of(ValueId ref) const {
    for (;;) {
      const StmtId statement = program_.value(ref).statement;
      if (statement < pipeline_) return no_value;  // also for a buffer
      if (std::holds_alternative<Window>(at(statement).op)) return ref;
      ref = viewed_slice(at(statement).op)->base;
    }
  }

  std::optional<GridTerms> terms(ValueId id) const { return grid_terms(program_, pipeline_, id); }

  // True if the blocks of two iterations that differ in `loop` are disjoint.
  bool moves_alone(const Window& window, ValueId ref, ValueId loop) const {
    const Shape block = ref_info(program_, ref).bound;
    std::size_t kept_dim = 0;
    for (int d = 0; d < window.source.rank; ++d) {
      const bool dropped = (window.source.dropped >> d & 1) != 0;
      const std::int64_t size = dropped ? 1 : block[kept_dim++];
      const std::optional<GridTerms> start = terms(window.source.start[at_index(d)]);
      if (!start) continue;
      const auto is_this = [&](const auto& term) {
        return term.first == loop ? std::abs(term.second) >= size : term.second == 0;
      };
      if (start->contains(loop) && std::all_of(start->begin(), start->end(), is_this)) return true;
    }
    return false;
  }

  bool windows_are_apart() const {
    std::map<ValueId, int> users;  // number of uses of hbm, by root
    for (StmtId i = pipeline_ + 1; i < end_; ++i)
      for_each_slice(at(i).op, [&](const Slice& slice, const FieldInfo&) {
        if (is_number(program_, slice) || program_.value(slice.base).kind != ValueKind::ref) return;
        if (window_of(slice.base) == no_value) ++users[root(slice)];
      });
    return std::all_of(stored_windows_.begin(), stored_windows_.end(), [&](ValueId ref) {
      const auto& window = std::get<Window>(at(program_.value(ref).statement).op);
      const ValueId base = window.source.base;
      return program_.value(base).statement < pipeline_ &&
             ref_info(program_, base).space == Space::hbm && users[root(window.source)] == 1 &&
             std::all_of(loops_.begin(), loops_.end(),
                         [&](StmtId loop) { return moves_alone(window, ref, at(loop).result); });
    });
  }

  bool scratch_is_own() const {
    std::set<ValueId> stored;
    return step(pipeline_ + 1, end_, true, stored) &&
           (sequential_.empty() || step(pipeline_ + 1, end_, false, stored));
  }

  // Returns the value of a condition in the first step of an iteration, if known.
  std::optional<bool> in_first_step(ValueId id) const {
    if (const auto constant = program_.constant(id)) return *constant != 0;
    const StmtId statement = program_.value(id).statement;
    if (!statement) return std::nullopt;
    const Op& op = at(statement).op;
    if (const auto* eq = std::get_if<Eq>(&op)) {
      const auto begins = [&](ValueId dim, ValueId value) {
        const auto grid = sequential_.find(dim);
        if (grid == sequential_.end()) return false;
        const auto lower = program_.constant(grid->second), other = program_.constant(value);
        return grid->second == value || (lower && other && *lower == *other);
      };
      if (begins(eq->a, eq->b) || begins(eq->b, eq->a)) return true;
    }
    if (const auto* both = std::get_if<And>(&op)) {
      const auto a = in_first_step(both->a), b = in_first_step(both->b);
      if (a == false || b == false) return false;
      if (a == true && b == true) return true;
    }
    return std::nullopt;
  }

  // Checks a step, or some of its statements. stored: scratch that contains only values of this
  // iteration. Returns false if other scratch that the pipeline stores is read.
  bool step(StmtId from, StmtId to, bool is_first, std::set<ValueId>& stored) const {
    for (StmtId i = from; i < to; ++i) {
      const Stmt& s = at(i);
      if (const auto* branch = std::get_if<If>(&s.op)) {
        if (!step_branch(i, is_first ? in_first_step(branch->condition) : std::nullopt, is_first,
                         stored))
          return false;
        i = end_of(i);
      } else if (std::holds_alternative<For>(s.op)) {
        std::set<ValueId> inside = stored;  // the loop may have no step
        if (!step(i + 1, s.partner, is_first, inside)) return false;
        i = s.partner;
      } else if (!simple(s.op, stored)) {
        return false;
      }
    }
    return true;
  }

  StmtId end_of(StmtId branch) const {
    const StmtId partner = at(branch).partner;
    return std::holds_alternative<Else>(at(partner).op) ? at(partner).partner : partner;
  }

  bool step_branch(StmtId i, std::optional<bool> taken, bool is_first,
                   std::set<ValueId>& stored) const {
    const StmtId middle = at(i).partner, end = end_of(i);
    std::set<ValueId> one = stored, other = stored;
    if (taken != false && !step(i + 1, middle, is_first, one)) return false;
    if (taken != true && middle != end && !step(middle + 1, end, is_first, other)) return false;
    if (taken) {
      stored = *taken ? one : other;
      return true;
    }
    stored.clear();
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                          std::inserter(stored, stored.end()));
    return true;
  }

  bool simple(const Op& op, std::set<ValueId>& stored) const {
    const Slice* to = written_slice(op);
    bool is_own = true;
    for_each_slice(op, [&](const Slice& slice, const FieldInfo& f) {
      if (is_number(program_, slice) || program_.value(slice.base).kind != ValueKind::ref) return;
      const bool is_read = &slice != to || f.name == "acc";
      if (is_read && window_of(slice.base) == no_value && scratch_.contains(root(slice)))
        is_own &= stored.contains(root(slice));
    });
    if (to != nullptr && program_.value(to->base).buffer && is_whole(program_, *to))
      stored.insert(to->base);
    return is_own;
  }

  const Program& program_;
  const StmtId pipeline_, end_;
  std::vector<StmtId> loops_;
  std::map<ValueId, ValueId> sequential_;  // lower bounds of the other dimensions
  std::set<ValueId> stored_windows_, scratch_;
};

// True if only pipelines that store it use the scratch that a pipeline stores.
bool scratch_stays_inside(const Program& program, const std::vector<PointStructure>& pipelines) {
  std::set<ValueId> scratch;
  for (const PointStructure& p : pipelines) scratch.insert(p.scratch().begin(), p.scratch().end());
  auto around = pipelines.begin();  // the first pipeline that has not ended
  for (const StmtId i : program.body.ids()) {
    const Op& op = program.body[i].op;
    if (around != pipelines.end() && i > around->end()) ++around;
    if (is_one_of<Alloc, Free>(op)) continue;
    const bool is_inside = around != pipelines.end() && i > around->begin();
    bool stays = true;
    for_each_slice(op, [&](const Slice& slice, const FieldInfo&) {
      if (is_number(program, slice) || program.value(slice.base).kind != ValueKind::ref) return;
      const ValueId root = ref_info(program, slice.base).root;
      if (scratch.contains(root)) stays &= is_inside && around->scratch().contains(root);
    });
    if (!stays) return false;
  }
  return true;
}

// A loop in a function that is called twice is one loop of the source.
void add_loop(const Program& program, StmtId statement, std::vector<ParallelLoop>& loops) {
  const Stmt& s = program.body[statement];
  const Loc loc = program.written(s.place);
  const std::string& name = program.value(s.result).name;
  if (std::none_of(loops.begin(), loops.end(), [&](const ParallelLoop& other) {
        return loc && other.written.source == loc.source && other.written.line == loc.line &&
               other.written.column == loc.column && other.name == name;
      }))
    loops.push_back(
        {.loc = program.loc(s.place), .written = loc, .name = name, .by_structure = true});
}

}  // namespace

std::optional<std::vector<ParallelLoop>> independent_by_structure(const Program& structured) {
  std::vector<PointStructure> pipelines;
  std::vector<ParallelLoop> loops;
  for (StmtId i(0); i < structured.body.next(); ++i) {
    const Stmt& s = structured.body[i];
    if (const auto* loop = std::get_if<For>(&s.op); loop != nullptr && loop->parallel != 0)
      return std::nullopt;
    if (!std::holds_alternative<Pipeline>(s.op)) continue;
    PointStructure pipeline(structured, i);
    if (!pipeline.is_parallel()) continue;
    if (!pipeline.is_independent()) return std::nullopt;
    for (const StmtId loop : pipeline.loops()) add_loop(structured, loop, loops);
    i = pipeline.end();
    pipelines.push_back(std::move(pipeline));
  }
  if (!scratch_stays_inside(structured, pipelines)) return std::nullopt;
  return loops;
}

}  // namespace tessera
