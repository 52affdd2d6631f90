#include "cli/equal_target.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "cli/run_side.h"
#include "cli/verify_target.h"
#include "core/lang/language.h"
#include "core/report/try.h"
#include "kernels/definitions/definitions.h"

namespace tessera::cli {
namespace {

// Options of the other command that do not affect the computed values, or do not apply over a
// finite field.
constexpr std::array<std::string_view, 24> not_for_equal = {"out",
                                                            "check",
                                                            "trace",
                                                            "timeline",
                                                            "save-schedule",
                                                            "unchecked",
                                                            "timing",
                                                            "cost",
                                                            "expect",
                                                            "rtol",
                                                            "atol",
                                                            "strict-values",
                                                            "no-math",
                                                            "no-verify",
                                                            "all",
                                                            "loop-workers",
                                                            "copy-granularity",
                                                            "math",
                                                            "explain",
                                                            "interpret",
                                                            "fill",
                                                            "device",
                                                            "dump",
                                                            "prints"};

// Rejects values for an operand of floats: these values are drawn at random.
Expected<void> check_floats(const Program& program, const Arguments& given) {
  for (const Invocation::Option& option : given.invocation().options) {
    const bool is_run = option.name == "in" && option.value;
    const std::string name =
        is_run ? option.value->substr(0, option.value->find_first_of("=@")) : option.name;
    const Buffer* const operand = program.find_buffer(name);
    if (operand == nullptr || operand->role != Role::in || is_integer(operand->dtype)) continue;
    return error(fmt::format("--{}: expected an integer operand, the values of `{}` are drawn",
                             is_run ? "in " + *option.value : option.name, name));
  }
  return {};
}

// Integer tables in smem without --in; `run` fills them with zeros.
std::vector<std::string> zeros(const Program& program, const Arguments& given) {
  std::vector<std::string> names;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::in || buffer.space != Space::smem || !is_integer(buffer.dtype))
      continue;
    const auto gives = [&](const Invocation::Option& option) {
      return option.name == "in" && option.value &&
             option.value->substr(0, option.value->find_first_of("=@")) == buffer.name;
    };
    const auto& options = given.invocation().options;
    if (std::none_of(options.begin(), options.end(), gives)) names.push_back(buffer.name);
  }
  return names;
}

}  // namespace

Options equal_options(const std::vector<std::string>& words) {
  Options all = run_side_options(words, not_for_equal);
  all.push_back(budget_option());
  all.push_back({"definition", "", "use the definition of the kernel of A as B, on one device"});
  return all;
}

Expected<ComparedProgram> equal_side(const std::string& word, const Arguments& arguments) {
  RunSide side = TRY(run_side(word, arguments, not_for_equal));
  Diags diags;
  const std::int64_t budget =
      arguments.integer("budget", diags, 1).value_or(CertifyOptions().budget);
  if (!diags.empty()) return diags;
  std::int64_t& max_steps = side.run.options.max_steps;
  max_steps = std::min(max_steps, budget);
  TRY(check_floats(side.run.program, side.given));
  std::vector<std::string> not_given;
  if (side.command == "run") not_given = zeros(side.run.program, side.given);
  return ComparedProgram{
      .text = std::move(side.text), .run = std::move(side.run), .zeros = std::move(not_given)};
}

Expected<ComparedProgram> definition_side(const ComparedProgram& of) {
  const Program& kernel = of.run.program;
  const Program program = TRY(make_definition(kernel, of.run.options.machine.devices));
  ComparedProgram side{fmt::format("the definition of {}", kernel.name),
                       {TRY(expand(program)), {}, of.run.options},
                       true};
  RunOptions& options = side.run.options;
  options.machine.devices = options.machine.cores = 1;
  options.machine.loop_workers = 0;
  options.schedule = "eager";
  // A definition has its whole operands in vmem, whatever their size.
  constexpr std::int64_t everything = std::int64_t{1} << 50;
  options.machine.profile.vmem_bytes = options.machine.profile.smem_bytes =
      options.machine.profile.hbm_bytes = everything;
  side.run.operands.emplace_back();
  for (const Buffer& buffer : side.run.program.buffers)
    if (buffer.role != Role::scratch)
      side.run.operands.back().emplace(buffer.name, Tensor(buffer.dtype, buffer.shape));
  return side;
}

}  // namespace tessera::cli
