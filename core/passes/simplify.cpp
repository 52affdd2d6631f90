#include "core/passes/simplify.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/passes/purpose.h"
#include "core/program/builder.h"
#include "core/program/op_values.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

bool reads_memory(const Op& op) {
  return std::holds_alternative<Load>(op) || std::holds_alternative<LoadReal>(op) ||
         std::holds_alternative<SearchRight>(op);
}

// True for ops that refer to memory without changing its contents.
bool only_reads(const Op& op) {
  return reads_memory(op) || viewed_slice(op) != nullptr || std::holds_alternative<Window>(op) ||
         std::holds_alternative<OpaqueRead>(op) || class_of(op) == OpClass::sync ||
         class_of(op) == OpClass::debug;
}

// Adds the buffers that an op may write: all slices of a copy, the first slice of any other op.
void add_written(const Program& program, const Op& op, std::set<ValueId>& roots) {
  if (only_reads(op)) return;
  const bool is_copy = class_of(op) == OpClass::copy;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind != FieldKind::Slice) continue;
    const Slice& s = field<Slice>(op, f);
    if (program.value(s.base).kind == ValueKind::ref) roots.insert(ref_info(program, s.base).root);
    if (!is_copy) return;
  }
}

// Returns the buffers that copies may write at any time. Loads from these buffers are never shared.
std::set<ValueId> copied_into(const Program& program) {
  std::set<ValueId> roots;
  for (const Stmt& s : program.body)
    if (class_of(s.op) == OpClass::copy) add_written(program, s.op, roots);
  return roots;
}

class CommonSubexpressions {
 public:
  explicit CommonSubexpressions(Program& program)
      : program_(program), volatile_(copied_into(program)) {}

  void run() {
    Table<StmtId, Stmt> out;
    out.reserve(program_.body.size());
    tables_.emplace_back();
    const Table<StmtId, Purpose> purpose = purposes(program_);
    for (const StmtId i : program_.body.ids()) {
      Stmt& s = program_.body[i];
      replace_fields(s.op);
      const Scope scope = info(s.op).scope;
      if (scope == Scope::open) enter(i);
      if (scope == Scope::middle) leave(), enter(i);
      if (scope == Scope::close) leave();
      // Values for debug statements are not shared with other statements, which are thus the same
      // without them.
      const bool is_work = purpose[i] == Purpose::work;
      if (is_work && is_pure(s.op)) {
        const std::string key = key_of(s.op);
        if (!key.empty()) {
          if (const ValueId same = find(key); same != no_value) {
            same_as_[s.result] = same;
            Value& kept = program_.values[same];
            if (kept.name.empty()) kept.name = program_.value(s.result).name;
            continue;
          }
          tables_.back()[key] = s.result;
        }
      } else if (is_work && scope == Scope::none) {
        std::set<ValueId> written;
        add_written(program_, s.op, written);
        touch(written);
      }
      if (s.result != no_value) program_.values[s.result].statement = i;
      out.add(s);
    }
    for (Loop& loop : program_.loops) loop.index = same(loop.index);
    pending_ = std::move(out);
  }

  Table<StmtId, Stmt> take() { return std::move(pending_); }

 private:
  ValueId same(ValueId id) const {
    const auto it = same_as_.find(id);
    return it == same_as_.end() ? id : it->second;
  }

  void replace_fields(Op& op) {
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind == FieldKind::Value) {
        auto& v = field<ValueId>(op, f);
        v = same(v);
      } else if (f.kind == FieldKind::Maybe) {
        auto& v = field<Maybe>(op, f).id;
        v = same(v);
      } else if (f.kind == FieldKind::Slice) {
        auto& s = field<Slice>(op, f);
        s.base = same(s.base);
        for (std::size_t d = 0; d < static_cast<std::size_t>(s.rank); ++d) {
          s.start[d] = same(s.start[d]);
          s.size[d] = same(s.size[d]);
        }
      }
    }
  }

  // Invalidates the loads of buffers that are written anywhere in the region that opens at `i`,
  // because a loop may reach a load again after the write.
  void enter(StmtId i) {
    std::set<ValueId> written;
    int depth = 0;
    for (StmtId j = i; j < program_.body.next(); ++j) {
      const Scope scope = info(program_.body[j].op).scope;
      if (scope == Scope::open) ++depth;
      if (scope == Scope::close && --depth < 0) break;
      if (scope == Scope::none) add_written(program_, program_.body[j].op, written);
      if (scope == Scope::close && depth == 0 && j > i) break;
    }
    touch(written);
    tables_.emplace_back();
    regions_.push_back(std::move(written));
  }

  void leave() {
    tables_.pop_back();
    touch(regions_.back());
    regions_.pop_back();
  }

  void touch(const std::set<ValueId>& roots) {
    for (ValueId r : roots) version_[r] = ++clock_;
  }

  std::string key_of(const Op& op) const {
    std::string key = std::to_string(op.index());
    for (const FieldInfo& f : info(op).fields) {
      key += ',';
      if (f.kind == FieldKind::Value) key += std::to_string(field<ValueId>(op, f).index);
      if (f.kind == FieldKind::Int) key += std::to_string(field<std::int64_t>(op, f));
      if (f.kind == FieldKind::Text) key += std::to_string(field<TextId>(op, f).index);
      if (f.kind != FieldKind::Slice) continue;
      const Slice& s = field<Slice>(op, f);
      if (program_.value(s.base).kind == ValueKind::ref && reads_memory(op)) {
        const ValueId root = ref_info(program_, s.base).root;
        if (volatile_.contains(root)) return {};
        const auto v = version_.find(root);
        key += '@' + std::to_string(v == version_.end() ? 0 : v->second);
      }
      key += std::to_string(s.base.index) + '/' + std::to_string(s.dropped);
      for (std::size_t d = 0; d < static_cast<std::size_t>(s.rank); ++d)
        key += ':' + std::to_string(s.start[d].index) + '+' + std::to_string(s.size[d].index);
    }
    return key;
  }

  ValueId find(const std::string& key) const {
    for (const auto& table : tables_)
      if (const auto it = table.find(key); it != table.end()) return it->second;
    return no_value;
  }

  Program& program_;
  std::set<ValueId> volatile_;
  std::map<ValueId, ValueId> same_as_;
  std::map<ValueId, std::int64_t> version_;
  std::int64_t clock_ = 0;
  std::vector<std::map<std::string, ValueId>> tables_;
  std::vector<std::set<ValueId>> regions_;
  Table<StmtId, Stmt> pending_;
};

// Removes unused scalar computations. Indices of loops around statements with effects are used to
// report places, so they are kept.
void drop_unused(Table<StmtId, Stmt>& body, const Table<LoopId, Loop>& loops, std::size_t values) {
  Table<ValueId, bool> used(values);
  std::vector<Stmt> kept;
  kept.reserve(body.size());
  for (auto it = body.entries().rbegin(); it != body.entries().rend(); ++it) {
    const bool is_region = info(it->op).scope != Scope::none;
    if (is_pure(it->op) && it->result != no_value && !used[it->result]) continue;
    each_value(it->op, [&](ValueId id) { used[id] = true; });
    for (LoopId l = is_pure(it->op) || is_region ? LoopId() : it->loop; l; l = loops[l].outer)
      used[loops[l].index] = true;
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  body = Table<StmtId, Stmt>(std::move(kept));
}

// Renumbers the values in the order of declaration and first use, and removes all others.
void renumber(Program& program) {
  Table<ValueId, ValueId> to(program.values.size());
  Table<ValueId, Value> values;
  const auto visit = [&](ValueId& id) {
    ValueId& target = to[id];
    if (target == no_value) target = values.add(program.values[id]);
    id = target;
  };
  for (Buffer& b : program.buffers) visit(b.value);
  for (Semaphore& s : program.semaphores) visit(s.value);
  for (Stmt& s : program.body) {
    each_value(s.op, visit);
    if (s.result != no_value) visit(s.result);
  }
  for (Loop& loop : program.loops) loop.index = to[loop.index];
  program.values = std::move(values);
}

}  // namespace

bool is_pure(const Op& op) {
  return class_of(op) == OpClass::scalar || viewed_slice(op) != nullptr || reads_memory(op);
}

Program simplify(Program program) {
  CommonSubexpressions pass(program);
  pass.run();
  program.body = pass.take();
  drop_unused(program.body, program.loops, program.values.size());
  renumber(program);
  return Builder(std::move(program)).finish();
}

}  // namespace tessera
