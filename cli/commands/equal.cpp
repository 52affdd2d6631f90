// equal: checks whether two programs compute the same functions, over random prime fields.
#include <fmt/format.h>

#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/equal_target.h"
#include "cli/reports/equal_report.h"
#include "core/report/try.h"

namespace tessera::cli {

Command equal_command();

namespace {

int run(const Arguments& arguments, Console& console) {
  Diags diags;
  const std::int64_t seed = arguments.integer("seed", diags).value_or(0);
  if (!diags.empty()) return fail(console, diags);
  const bool by_definition = arguments.has("definition");
  if (by_definition == (arguments.words().size() == 2))
    return fail(console, error("equal: expected two programs, or one program and --definition"));
  Expected<ComparedProgram> a = equal_side(arguments.words()[0], arguments);
  if (!a) return fail(console, a.diags());
  Expected<ComparedProgram> b =
      by_definition ? definition_side(*a) : equal_side(arguments.words()[1], arguments);
  if (!b) return fail(console, b.diags());
  if (const Diags unread = arguments.unread(); !unread.empty()) return fail(console, unread);
  const auto equality = fields::compare(a->run, b->run, static_cast<std::uint64_t>(seed));
  if (!equality) return fail(console, equality.diags());
  if (console.prints_json()) print(console, equal_json(*a, *b, *equality, seed));
  if (console.prints_text()) console.out << equal_lines(*a, *b, *equality, seed);
  return exit_code(*equality);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = equal_command();
  command.options = equal_options(args);
  return command;
}

}  // namespace

Command equal_command() {
  return {"equal",
          "FILE.tsr|KERNEL|COMMAND [FILE.tsr|KERNEL|COMMAND]",
          "check whether two programs compute the same functions over the reals: equal, different "
          "or not shown",
          "  gmm-run equal my_kernel.tsr other.tsr --set m=64\n"
          "  gmm-run equal 'my_kernel.tsr --set tm=8' 'my_kernel.tsr --set tm=16'\n"
          "  gmm-run equal gmm --definition --group-sizes 5,0,9 --k 16 --n 16 --tiling 8,8,8\n"
          "  gmm-run equal 'gmm --tiling 8,8,8' 'gmm --tiling 16,8,4' --group-sizes 5,0,9 --k 16 "
          "--n 16\n",
          {},
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
