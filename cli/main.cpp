// gmm-run.
#include <unistd.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/limits.h"
#include "cli/cli.h"
#include "cli/reports/colour.h"
#include "cli/termination.h"

int main(int argc, char** argv) {
  tessera::cli::end_without_temporary_files();
  tessera::cli::catch_signals();  // SIGINT and SIGTERM: first a request to end
  std::optional<tessera::cli::ColouredLines> out, err;
  if (tessera::cli::shows_colours(STDOUT_FILENO)) out.emplace(std::cout);
  if (tessera::cli::shows_colours(STDERR_FILENO)) err.emplace(std::cerr);
  const int exit_code =
      tessera::cli::run(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
  std::cout.flush();
  if (std::cout) return exit_code;
  std::cerr << "error: standard output accepted only a part of the output\n";
  return exit_code == 0 ? 3 : exit_code;
}
