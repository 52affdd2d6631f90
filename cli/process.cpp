#include "cli/process.h"

#include <unistd.h>

#include <iostream>
#include <optional>

#include "cli/args/limits.h"
#include "cli/cli.h"
#include "cli/reports/colour.h"
#include "cli/termination.h"

namespace tessera::cli {

int run_process(const std::vector<std::string>& args) {
  end_without_temporary_files();
  catch_signals();  // SIGINT and SIGTERM: first a request to end
  std::optional<ColouredLines> out, err;
  if (shows_colours(STDOUT_FILENO)) out.emplace(std::cout);
  if (shows_colours(STDERR_FILENO)) err.emplace(std::cerr);
  const int exit_code = run(args, std::cout, std::cerr);
  std::cout.flush();
  if (std::cout) return exit_code;
  std::cerr << "error: standard output accepted only a part of the output\n";
  return exit_code == 0 ? 3 : exit_code;
}

}  // namespace tessera::cli
