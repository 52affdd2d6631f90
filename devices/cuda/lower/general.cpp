#include "devices/cuda/lower/general.h"

#include <fmt/format.h>

#include <set>

#include "core/passes/simplify.h"
#include "core/program/refs.h"
#include "core/report/try.h"
#include "devices/cuda/lower/general_tiles.h"
#include "devices/cuda/lower/pipeline_place.h"
#include "devices/cuda/lower/prepare_code.h"
#include "devices/cuda/lower/scalar_code.h"
#include "devices/cuda/lower/source_template.h"

namespace tessera::cuda {
namespace {

constexpr int threads = 256;  // per CTA: eight warps hide some latency of global memory

class GeneralLowering {
 public:
  explicit GeneralLowering(const Program& program)
      : program_(program),
        names_(program),
        code_(program, names_),
        tiles_(program, code_, names_) {}

  Expected<LoweredKernel> run() {
    const PipelinePlace pipeline = TRY(pipeline_place(program_));
    open_ = pipeline.open;
    close_ = pipeline.close;
    if (read_windows()) write();
    if (problem_.empty()) problem_ = code_.problem();
    if (problem_.empty()) problem_ = tiles_.problem();
    if (problem_.empty() && tiles_.result() == nullptr) problem_ = "nothing is stored";
    if (!problem_.empty()) return unsupported_at(program_, at_, problem_);
    return std::move(kernel_);
  }

 private:
  const Stmt& statement(StmtId at) const { return program_.body[at]; }
  bool fail(StmtId at, std::string reason) {
    if (problem_.empty()) {
      problem_ = std::move(reason);
      at_ = at;
    }
    return false;
  }

  bool read_windows() {
    for (StmtId i = open_ + 1; i < close_; ++i) {
      const Stmt& s = statement(i);
      if (const auto* window = std::get_if<Window>(&s.op)) {
        for (const int d : kept(window->source)) {
          if (!program_.constant(window->source.size[static_cast<std::size_t>(d)]))
            return fail(i,
                        "the size of a window is known only at run time, and a CUDA kernel is "
                        "compiled for it");
        }
        tiles_.elements().know(s.result, *window);
      } else if (const auto* grid = std::get_if<Grid>(&s.op)) {
        if (grid->parallel == 0) continue;
        if (program_.constant(grid->lower) != 0)
          return fail(i, "a parallel grid dimension that does not begin at 0");
        parallel_.push_back(i);
      }
    }
    return true;
  }

  // Numbers from before the pipeline that statements in the pipeline read.
  std::vector<ValueId> outer_values() const {
    std::set<ValueId> wanted;
    for (StmtId i = open_; i < close_; ++i) {
      for (const ValueId v : operands_of(statement(i).op)) {
        const Value& value = program_.value(v);
        const bool is_number = value.kind == ValueKind::scalar || value.kind == ValueKind::real;
        if (is_number && !value.constant && value.statement && value.statement < open_)
          wanted.insert(v);
      }
    }
    return {wanted.begin(), wanted.end()};
  }

  void line(const std::string& text) { body_ += fmt::format("{:{}}{}\n", "", indent_, text); }
  void open(const std::string& text) {
    line(text + " {");
    indent_ += 2;
  }
  void close() {
    indent_ -= 2;
    line("}");
  }

  void write() {
    std::string prepare_problem;
    const std::string prepare = prepare_code(program_, open_, names_, prepare_problem);
    if (!prepare_problem.empty()) fail(open_, prepare_problem);
    body_ += code_.compute(outer_values(), indent_);
    std::vector<ValueId> bounds;
    for (const StmtId at : parallel_) bounds.push_back(std::get<Grid>(statement(at).op).upper);
    body_ += code_.compute(bounds, indent_);
    std::string count = "1";
    for (const ValueId bound : bounds) count += fmt::format(" * most(0, {})", code_.text(bound));
    line(fmt::format("const i64 count = {};", count));
    open("for (i64 point = ptx::block(); point < count; point += ptx::blocks())");
    line("i64 rest = point;");
    for (std::size_t i = parallel_.size(); i-- > 0;) {
      const std::string name = names_.value(statement(parallel_[i]).result);
      line(fmt::format("const i64 {0} = rest % {1}; rest /= {1};", name, code_.text(bounds[i])));
    }
    for (StmtId i = open_ + 1; i < close_ && problem_.empty(); ++i) write(i);
    for (; sequential_ > 0; --sequential_) close();
    close();
    finish(prepare);
  }

  void write(StmtId at) {
    const Stmt& s = statement(at);
    const Op& op = s.op;
    const auto loop = [&](ValueId lower, ValueId upper) {
      open(fill("for (i64 @index@ = @lower@; @index@ < @upper@; ++@index@)",
                {{"index", names_.value(s.result)},
                 {"lower", code_.text(lower)},
                 {"upper", code_.text(upper)}}));
    };
    if (const auto* grid = std::get_if<Grid>(&op)) {
      if (grid->parallel != 0 && sequential_ > 0) {
        fail(at, "a parallel grid dimension inside one that is not parallel");
      } else if (grid->parallel == 0) {
        loop(grid->lower, grid->upper);
        ++sequential_;
      }
    } else if (std::holds_alternative<Window>(op) || std::holds_alternative<Alloc>(op) ||
               std::holds_alternative<Free>(op)) {
    } else if (const auto* repeated = std::get_if<For>(&op)) {
      loop(repeated->lower, repeated->upper);
    } else if (const auto* branch = std::get_if<If>(&op)) {
      open(fmt::format("if ({} != 0)", code_.text(branch->condition)));
    } else if (std::holds_alternative<Else>(op)) {
      indent_ -= 2;
      open("} else");
    } else if (std::holds_alternative<Trace>(op)) {
      open("");
    } else if (std::holds_alternative<End>(op)) {
      close();
    } else if (is_pure(op) && s.result != no_value && !std::holds_alternative<View>(op)) {
      body_ += code_.declaration(s, indent_);
    } else if (const Slice* target = written_slice(op);
               target != nullptr && program_.value(target->base).kind == ValueKind::ref &&
               class_of(op) == OpClass::tile) {
      body_ += tiles_.statement(op, indent_);
      if (!tiles_.problem().empty()) fail(at, tiles_.problem());
    } else {
      fail(at, fmt::format("`{}` in the body of a pipeline has no CUDA kernel", info(op).mnemonic));
    }
  }

  void finish(const std::string& prepare) {
    kernel_.entry = "tessera_" + program_.name;
    kernel_.threads = threads;
    kernel_.plan = GeneralPlan{tiles_.elements().bytes()};
    kernel_.summary = fmt::format("{}: general, {} bytes of tiles for each block", program_.name,
                                  tiles_.elements().bytes());
    if (const Buffer* result = tiles_.result(); result != nullptr && result->shape.size() > 1)
      kernel_.result_rows = result->shape[result->shape.size() - 2];
    else
      kernel_.result_rows = 1;
    kernel_.array_elements = array_elements(program_);
    kernel_.arguments = {
        {"char*", "tiles", FromLaunch::tiles},  {"i64", "tile_bytes", tiles_.elements().bytes()},
        {"i64*", "arrays", FromLaunch::arrays}, {"i64", "array_elements", kernel_.array_elements},
        {"i64*", "error", FromLaunch::error},
    };
    append_program_fields(kernel_.arguments, program_, {Role::in, Role::out}, names_.numbers());
    SourceTemplate source("general.cu.in");
    source.set("summary", kernel_.summary);
    source.set("threads", std::to_string(threads));
    source.set("args", args_struct(kernel_.arguments));
    source.set("prepare", prepare);
    source.set("body", body_);
    source.set("entry", kernel_.entry);
    kernel_.source = source.text();
  }

  const Program& program_;
  KernelNames names_;
  ScalarCode code_;
  GeneralTiles tiles_;
  LoweredKernel kernel_;
  std::string problem_, body_;
  StmtId at_, open_, close_;
  std::vector<StmtId> parallel_;
  int indent_ = 4, sequential_ = 0;
};

}  // namespace

Expected<LoweredKernel> lower_general(const Program& program) {
  return GeneralLowering(program).run();
}

Expected<LoweredKernel> lower_any(const Program& program, const MachineHints& hints,
                                  bool has_fast) {
  Expected<LoweredKernel> fast = lower(program, hints);
  if (fast && has_fast) return fast;
  const std::string why =
      fast ? "the fast kernels are for compute capability 9.0" : fast.diags().front().message;
  // The program has a fast kernel without these hints, so a slow kernel is not an acceptable
  // result.
  if (!fast && !(hints == MachineHints{}) && lower(program)) return fast;
  Expected<LoweredKernel> general = lower_general(program);
  if (general) {
    general->note = "the general CUDA kernel, which is slow: " + why;
    return general;
  }
  if (!fast) {
    Diag diag = fast.diags().front();
    const Diag& other = general.diags().front();
    if (other.message != diag.message)
      diag.notes.push_back({other.loc, "and there is no general kernel: " + other.message});
    return diag;
  }
  return general;
}

Expected<LoweredKernel> lower_as(const Program& program, const PrepareOptions& how, bool has_fast) {
  Expected<LoweredKernel> kernel = lower_any(program, how.hints, has_fast);
  if (!kernel || kernel->tensor_core() != nullptr) return kernel;
  if (how.require_fast) return error(ErrorCode::unsupported, kernel->note);
  if (how.may_ignore_hints || how.hints == MachineHints{}) return kernel;
  return error(ErrorCode::unsupported, fmt::format("hints ({}) are for the fast CUDA kernels: {}",
                                                   hints_text(how.hints), kernel->note));
}

}  // namespace tessera::cuda
