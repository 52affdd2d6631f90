#include "devices/cuda/lower/epilogue_code.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "core/program/refs.h"
#include "devices/cuda/lower/element_code.h"

namespace tessera::cuda {
namespace {

class EpilogueWriter {
 public:
  EpilogueWriter(const Program& program, const Contraction& c, ScalarCode& code, KernelNames& names)
      : program_(program), c_(c), code_(code), names_(names) {}

  EpilogueCode write() {
    // The first pass counts the reads, the second writes the code.
    const KernelNames names = names_;
    statements();
    is_draft_ = false;
    names_ = names;
    result_ = {};
    stored_.reset();
    statements();
    std::string declared;
    for (const auto& [tile, name] : tiles_) {
      if (tile != c_.sums) declared += fmt::format("    float {} = 0;\n", name);
    }
    result_.value = declared + result_.value;
    return std::move(result_);
  }

 private:
  void statements() {
    for (const EpilogueStatement& s : c_.epilogue) {
      at_ = &program_.body[s.at];
      statement(s);
    }
  }
  void fail(std::string reason) {
    if (result_.problem.empty()) result_.problem = std::move(reason);
  }

  std::string scalar(ValueId value) {
    if (!program_.value(value).constant) result_.needs.push_back(value);
    return code_.text(value);
  }

  std::string guard(const std::vector<Condition>& conditions) {
    std::string text;
    for (const Condition& c : conditions) {
      text += fmt::format("{}{} {} 0", text.empty() ? "" : " && ", scalar(c.value),
                          c.holds ? "!=" : "==");
    }
    return text;
  }

  // Variable for the current element of a scratch tile; `x` for the accumulator.
  std::string tile(ValueId base) {
    if (base == c_.sums) return "x";
    return tiles_.try_emplace(base, fmt::format("t{}", tiles_.size())).first->second;
  }

  bool is_result(ValueId base) const { return base == c_.result.ref; }

  // True if both slices start at the same index in dimension d.
  bool aligned(const Slice& slice, const Slice& target, std::size_t d) const {
    return same_number(program_, slice.start[d], target.start[d]);
  }

  std::string read(const Slice& slice, const Slice& target) {
    if (is_number(program_, slice)) {
      const Value& v = program_.value(slice.base);
      if (v.constant)
        return float_text(static_cast<float>(
            v.kind == ValueKind::real ? v.real : static_cast<double>(v.integer)));
      return fmt::format("static_cast<float>({})", scalar(slice.base));
    }
    if (slice.rank < 1 || slice.rank > 2 || slice.dropped != 0 || target.rank != 2) {
      fail("the epilogue reads a tile that does not have one or two dimensions");
      return "0";
    }
    const RefInfo info = ref_info(program_, slice.base);
    // A single row (column) is broadcast to all rows (columns). A tile of one dimension is a row.
    std::array<bool, 2> spread{slice.rank == 1, false};
    const auto lacks = static_cast<std::size_t>(2 - slice.rank);
    for (std::size_t d = lacks; d < 2; ++d) {
      spread[d] = info.bound[d - lacks] == 1;
      if (spread[d]) continue;
      if (!same_number(program_, slice.start[d - lacks], target.start[d]))
        fail("the epilogue combines elements at different places of their tiles");
      else if (!same_number(program_, slice.size[d - lacks], target.size[d]))
        fail("the epilogue reads a different number of rows or columns than it writes");
    }
    if (program_.buffer(slice.base)) {
      if (spread[0] || spread[1])
        fail("the epilogue broadcasts a tile; only a window may be broadcast");
      return tile(slice.base);
    }
    if (is_result(slice.base)) {
      fail("the epilogue reads the result's window");
      return "0";
    }
    return window(slice.base, spread);
  }

  // An element of a window. An element that is read several times, for example in both branches of
  // an `if`, is read once before them.
  std::string window(ValueId ref, const std::array<bool, 2>& spread) {
    if (is_draft_) {
      ++reads_[ref];
      return element(ref, spread);
    }
    if (reads_[ref] == 1) return element(ref, spread);
    const auto [found, is_new] = read_once_.try_emplace(ref, fmt::format("w{}", read_once_.size()));
    if (is_new)
      result_.value +=
          fmt::format("    const float {} = {};\n", found->second, element(ref, spread));
    return found->second;
  }

  // An element of an operand; 0 outside its bounds.
  std::string element(ValueId ref, const std::array<bool, 2>& spread) {
    const auto& op = std::get<Window>(program_.body[program_.value(ref).statement].op);
    const Buffer* buffer = program_.buffer(op.source.base);
    if (!buffer || !buffer->order.empty() || !is_float(buffer->dtype) ||
        size_of(buffer->dtype) < 2) {
      fail("the epilogue reads an operand that is not a row-major f32, bf16 or f16 array in hbm");
      return "0";
    }
    std::string inside, offset;
    std::size_t block = 2 - kept(op.source).size();
    for (int d = 0; d < op.source.rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      std::string at = scalar(op.source.start[i]);
      if (!(op.source.dropped >> d & 1)) {
        if (!spread[block]) at = fmt::format("({} + {})", at, block == 0 ? "row" : "column");
        ++block;
      }
      const std::string extent = names_.number(buffer->shape[i]);
      inside += fmt::format("{}{} < {}", d == 0 ? "" : " && ", at, extent);
      offset = d == 0 ? at : fmt::format("({}) * {} + {}", offset, extent, at);
    }
    return fmt::format("load_{}(ptx::load_if({}, {} + ({})))", name(buffer->dtype), inside,
                       names_.operand(*buffer), offset);
  }

  void statement(const EpilogueStatement& s) {
    const Slice* target = written_slice(at_->op);
    const auto text =
        float_code(at_->op, [&](const Slice& source) { return read(source, *target); });
    if (!text)
      return fail(fmt::format("`{}` in the epilogue has no CUDA form", info(at_->op).mnemonic));
    if (target->rank != 2 || target->dropped != 0)
      return fail("the epilogue writes a tile that does not have two dimensions");
    const RefInfo ref = ref_info(program_, target->base);
    if (program_.constant(target->start[1]) != 0 ||
        program_.constant(target->size[1]) != ref.bound[1]) {
      return fail("the epilogue writes some of the columns of a tile");
    }
    std::string condition = guard(s.conditions);
    if (is_result(target->base)) {
      store(*target, condition);
      line(condition, fmt::format("out = {};", *text));
      return;
    }
    if (ref.dtype != DType::f32) return fail("the epilogue's scratch tiles are f32");
    if (!is_whole(program_, *target)) {
      condition +=
          fmt::format("{}row >= {} && row < {} + {}", condition.empty() ? "" : " && ",
                      scalar(target->start[0]), scalar(target->start[0]), scalar(target->size[0]));
    }
    line(condition, fmt::format("{} = {};", tile(target->base), *text));
  }

  void line(const std::string& condition, const std::string& text) {
    result_.value += condition.empty() ? fmt::format("    {}\n", text)
                                       : fmt::format("    if ({}) {}\n", condition, text);
  }

  // All stores must have the same rows. Conditions determine if rows are stored.
  void store(const Slice& target, const std::string& condition) {
    if (stored_ && !(aligned(*stored_, target, 0) &&
                     same_number(program_, stored_->size[0], target.size[0]))) {
      return fail("the epilogue stores different rows of the result at different places");
    }
    result_.exact_rows |= !is_whole(program_, target);
    stored_ = target;
    const std::string start = scalar(target.start[0]), rows = scalar(target.size[0]);
    const std::string set = fmt::format("begin = {}; end = {} + {};", start, start, rows);
    result_.rows += condition.empty() ? fmt::format("    {}\n", set)
                                      : fmt::format("    if ({}) {{ {} }}\n", condition, set);
  }
  const Program& program_;
  const Contraction& c_;
  ScalarCode& code_;
  KernelNames& names_;
  const Stmt* at_ = nullptr;
  bool is_draft_ = true;
  std::map<ValueId, int> reads_;              // reads per window
  std::map<ValueId, std::string> read_once_;  // variables of windows that are read several times
  EpilogueCode result_;
  std::map<ValueId, std::string> tiles_;
  std::optional<Slice> stored_;
};

}  // namespace

EpilogueCode epilogue_code(const Program& program, const Contraction& contraction, ScalarCode& code,
                           KernelNames& names) {
  return EpilogueWriter(program, contraction, code, names).write();
}

}  // namespace tessera::cuda
