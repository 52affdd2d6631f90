// graph: prints a proved program as a task graph: tasks and their dependences.
#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/args/output_option.h"
#include "cli/command.h"
#include "cli/debug/debug_target.h"
#include "cli/reports/graph_report.h"
#include "cli/reports/graph_svg.h"
#include "cli/verify_target.h"
#include "core/host/output_file.h"
#include "core/report/try.h"

namespace tessera::cli {

Command graph_command();

namespace {

// Options of the target command without an effect on the graph, which is built from the eager run
// without arithmetic.
constexpr std::array<std::string_view, 7> not_taken = {
    "schedule", "slow-device", "math", "no-math", "loop-workers", "uninitialised", "tune"};

Options graph_options() {
  return {{"dot", "FILE", "write the graph for Graphviz, a box for each device", false,
           FileUse::writes},
          {"svg", "FILE", "draw the graph as a picture, a column for each device", false,
           FileUse::writes},
          budget_option()};
}

Options graph_options(const std::vector<std::string>& words) {
  Options options;
  for (const Option& option : target_options(words))
    if (std::find(not_taken.begin(), not_taken.end(), option.name) == not_taken.end())
      options.push_back(option);
  for (const Option& option : graph_options()) options.push_back(option);
  return options;
}

Expected<void> write(OutputFile& file, const std::string& text) {
  TRY(file.append(text));
  return file.commit();
}

int run(const Arguments& given, Console& console) {
  Expected<Arguments> arguments =
      debug_arguments(given.given(), graph_options(given.given()), given.files());
  if (!arguments) return fail(console, arguments.diags());
  arguments->read_along(given);
  const Expected<Prepared> prepared = verified_command(arguments->given()).prepare(*arguments);
  if (!prepared) return fail(console, prepared.diags());
  const Expected<std::shared_ptr<OutputFile>> dot = opened_output(*arguments, "dot");
  if (!dot) return fail(console, dot.diags());
  const Expected<std::shared_ptr<OutputFile>> svg = opened_output(*arguments, "svg");
  if (!svg) return fail(console, svg.diags());
  Diags diags;
  CertifyOptions how;
  how.budget = arguments->integer("budget", diags, 1).value_or(how.budget);
  how.run = prepared->request.options;
  how.granularity = prepared->request.certified_granularity;
  if (diags.empty()) diags = arguments->unread();
  if (!diags.empty()) return fail(console, diags);
  const Expected<graph::TaskGraph> graph = graph::folded_task_graph(prepared->simulate, how);
  if (!graph) return fail(console, graph.diags());
  const Expected<std::string> picture = *svg ? graph_svg(*graph) : std::string();
  if (!picture) return fail(console, picture.diags());
  if (*dot)
    if (const auto written = write(**dot, graph_dot(*graph)); !written)
      return fail(console, written.diags());
  if (*svg)
    if (const auto written = write(**svg, *picture); !written)
      return fail(console, written.diags());
  if (console.prints_json()) print(console, graph_json(*prepared, *graph));
  if (console.prints_text()) console.out << graph_lines(*prepared, *graph);
  return exit_code(Status::ok);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = graph_command();
  command.options = graph_options(args);
  return command;
}

}  // namespace

Command graph_command() {
  return {"graph",
          "FILE.tsr|KERNEL|COMMAND",
          "show a proved program without its protocol: tasks and their dependences",
          "  gmm-run graph my_kernel.tsr --devices 4\n"
          "  gmm-run graph ag-matmul --devices 4 --m 256 --k 512 --n 128\n"
          "  gmm-run graph all-reduce --devices 4 --m 64 --n 128 --svg ring.svg\n"
          "  gmm-run graph gmm --group-sizes 100,150,50 --k 64 --n 32 --json\n",
          graph_options(),
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
