#include "devices/cuda/lower/prepare_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/passes/simplify.h"
#include "devices/cuda/lower/in_order.h"
#include "devices/cuda/lower/source_template.h"

namespace tessera::cuda {
namespace {

// Each top-level statement is one unit. All threads compute scalars; one thread or all threads
// write memory. A barrier separates units that conflict on memory.
class PrepareWriter {
 public:
  PrepareWriter(const Program& program, KernelNames& names)
      : program_(program), names_(names), code_(program, names) {}

  std::string write(StmtId end) {
    for (StmtId i(0); i < end; i = unit(i)) {
    }
    return text_ + "    return true;\n";
  }
  std::string problem() const { return problem_.empty() ? code_.problem() : problem_; }

 private:
  using Buffers = std::set<const Buffer*>;

  const Stmt& statement(StmtId at) const { return program_.body[at]; }
  void fail(const Op& op) {
    if (problem_.empty())
      problem_ = fmt::format("`{}` before the pipeline has no CUDA form", info(op).mnemonic);
  }

  StmtId last_of(StmtId at) const {
    StmtId end = statement(at).partner;
    if (std::holds_alternative<Else>(statement(end).op)) end = statement(end).partner;
    return end;
  }

  void touched(StmtId from, StmtId to, Buffers& reads, Buffers& writes) const {
    for (StmtId i = from; i < to; ++i) {
      const Op& op = statement(i).op;
      bool first = true;
      for (const FieldInfo& f : info(op).fields) {
        if (f.kind == FieldKind::Slice) {
          const Buffer* b = code_.buffer_of(field<Slice>(op, f));
          const bool target = first && !is_pure(op) && info(op).result == ResultKind::none;
          if (b && b->role == Role::scratch) (target ? writes : reads).insert(b);
        }
        first = false;
      }
    }
  }

  // Emits a barrier if the unit [from, to) conflicts with accesses since the last barrier.
  void order(StmtId from, StmtId to) {
    Buffers reads, writes;
    touched(from, to, reads, writes);
    const auto meets = [](const Buffers& a, const Buffers& b) {
      return std::any_of(a.begin(), a.end(), [&](const Buffer* x) { return b.contains(x); });
    };
    if (meets(reads, written_) || meets(writes, written_) || meets(writes, read_)) {
      text_ += "    ptx::sync_block();\n";
      written_.clear();
      read_.clear();
    }
    written_.insert(writes.begin(), writes.end());
    read_.insert(reads.begin(), reads.end());
  }

  StmtId unit(StmtId at) {
    const Stmt& s = statement(at);
    const Op& op = s.op;
    if (std::holds_alternative<Alloc>(op) || std::holds_alternative<Free>(op) ||
        std::holds_alternative<View>(op)) {
      return at + 1;
    }
    const StmtId end = std::holds_alternative<For>(op) || std::holds_alternative<If>(op)
                           ? last_of(at) + 1
                           : at + 1;
    order(at, end);
    if (const auto* loop = std::get_if<For>(&op); loop && independent(at, end)) {
      text_ += fill(
          "    for (i64 @index@ = @lower@ + ptx::thread(); @index@ < @upper@; "
          "@index@ += C::threads) {\n",
          {{"index", names_.value(s.result)},
           {"lower", code_.text(loop->lower)},
           {"upper", code_.text(loop->upper)}});
      for (StmtId i = at + 1; i + 1 < end; ++i) plain(i, 6);
      text_ += "    }\n";
    } else if (end > at + 1) {
      const bool may_refuse = refuses(at, end);
      text_ += may_refuse ? "    {\n    bool wrong = false;\n" : "";
      text_ += "    if (ptx::thread() == 0) {\n";
      text_ += may_refuse ? "      wrong = [&] {\n" : "";
      int indent = may_refuse ? 8 : 6;
      for (StmtId i = at; i < end; ++i) nested(i, indent);
      text_ += may_refuse ? "        return false;\n      }();\n" : "";
      text_ += "    }\n";
      text_ += may_refuse ? "    if (ptx::any_of_block(wrong)) return false;\n    }\n" : "";
    } else if (const auto* require = std::get_if<Require>(&op)) {
      text_ += fill(
          "    if (@holds@ == 0) {\n      if (ptx::thread() == 0) @report@\n"
          "      return false;\n    }\n",
          {{"holds", code_.text(require->condition)}, {"report", report(at)}});
    } else if (std::holds_alternative<Store>(op) || std::holds_alternative<Iota>(op)) {
      text_ += "    if (ptx::thread() == 0) {\n";
      plain(at, 6);
      text_ += "    }\n";
    } else {
      plain(at, 4);
    }
    return end;
  }

  void nested(StmtId at, int& indent) {
    const Stmt& s = statement(at);
    if (const auto* loop = std::get_if<For>(&s.op)) {
      text_ += indented(fill("for (i64 @index@ = @lower@; @index@ < @upper@; ++@index@) {\n",
                             {{"index", names_.value(s.result)},
                              {"lower", code_.text(loop->lower)},
                              {"upper", code_.text(loop->upper)}}),
                        indent);
      indent += 2;
    } else if (const auto* branch = std::get_if<If>(&s.op)) {
      text_ += fmt::format("{:{}}if ({} != 0) {{\n", "", indent, code_.text(branch->condition));
      indent += 2;
    } else if (std::holds_alternative<Else>(s.op)) {
      text_ += fmt::format("{:{}}}} else {{\n", "", indent - 2);
    } else if (std::holds_alternative<End>(s.op)) {
      indent -= 2;
      text_ += fmt::format("{:{}}}}\n", "", indent);
    } else if (std::holds_alternative<PrefixSum>(s.op)) {
      fail(s.op);
    } else if (const auto* require = std::get_if<Require>(&s.op)) {
      text_ += indented(fill("if (@holds@ == 0) {\n  @report@\n  return true;\n}\n",
                             {{"holds", code_.text(require->condition)}, {"report", report(at)}}),
                        indent);
    } else {
      plain(at, indent);
    }
  }

  // Statement that reports the violated requirement, for error_text.
  static std::string report(StmtId at) {
    return fmt::format("ptx::first_error(p.error, first_refusal - {});", at.index);
  }
  bool refuses(StmtId from, StmtId to) const {
    for (StmtId i = from; i < to; ++i) {
      if (std::holds_alternative<Require>(statement(i).op)) return true;
    }
    return false;
  }

  void plain(StmtId at, int indent) {
    const Stmt& s = statement(at);
    if (const auto* store = std::get_if<Store>(&s.op)) {
      text_ += std::string(InOrder{"{:{}}{} = {};\n", "", indent, code_.element(store->dst),
                                   code_.text(store->value)});
    } else if (const auto* sum = std::get_if<PrefixSum>(&s.op)) {
      // Values of an operand in a prefix sum are counts, so they are checked.
      const Buffer* const from = code_.buffer_of(sum->src);
      const std::string counts =
          from && from->role == Role::in
              ? fmt::format(", p.error, {}", program_.buffers.id_of(*from).index)
              : "";
      text_ += indented(fill("prefix_sum(@sums@, @values@, @count@@counts@);\n",
                             {{"sums", code_.address(sum->dst)},
                              {"values", code_.address(sum->src)},
                              {"count", code_.text(sum->src.size[0])},
                              {"counts", counts}}),
                        indent);
      written_.clear();
      read_.clear();
    } else if (const auto* iota = std::get_if<Iota>(&s.op)) {
      text_ += std::string(InOrder{"{:{}}for (i64 i = 0; i < {}; ++i) ({})[i] = i;\n", "", indent,
                                   code_.text(iota->dst.size[0]), code_.address(iota->dst)});
    } else if (is_pure(s.op) && s.result != no_value) {
      if (!std::holds_alternative<View>(s.op)) text_ += code_.declaration(s, indent);
    } else {
      fail(s.op);
    }
  }

  // True for a loop whose iterations write distinct elements, index + constant, of arrays that the
  // loop does not read.
  bool independent(StmtId at, StmtId end) const {
    const ValueId index = statement(at).result;
    Buffers reads, writes, stored;
    touched(at + 1, end - 1, reads, writes);
    for (StmtId i = at + 1; i + 1 < end; ++i) {
      const Op& op = statement(i).op;
      if (const auto* store = std::get_if<Store>(&op)) {
        const Buffer* b = code_.buffer_of(store->dst);
        if (!b || reads.contains(b) || store->dst.rank != 1 || !stored.insert(b).second)
          return false;
        if (!moves_with(store->dst.start[0], index)) return false;
      } else if (!is_pure(op)) {
        return false;
      }
    }
    return true;
  }
  bool moves_with(ValueId value, ValueId index) const {
    if (value == index) return true;
    const StmtId at = program_.value(value).statement;
    if (!at) return false;
    const auto* sum = std::get_if<Add>(&statement(at).op);
    return sum && ((sum->a == index && program_.constant(sum->b)) ||
                   (sum->b == index && program_.constant(sum->a)));
  }

  const Program& program_;
  KernelNames& names_;
  ScalarCode code_;
  std::string text_, problem_;
  Buffers written_, read_;
};

}  // namespace

std::string prepare_code(const Program& program, StmtId end, KernelNames& names,
                         std::string& problem) {
  PrepareWriter writer(program, names);
  std::string code = writer.write(end);
  if (problem.empty()) problem = writer.problem();
  return code;
}

}  // namespace tessera::cuda
