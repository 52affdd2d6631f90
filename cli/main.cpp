// gmm-run.
#include <iostream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/limits.h"
#include "cli/termination.h"

int main(int argc, char** argv) {
  tessera::cli::end_without_temporary_files();
  tessera::cli::catch_signals();  // two of them are requests at first
  const int exit_code =
      tessera::cli::run(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
  std::cout.flush();
  if (std::cout) return exit_code;
  std::cerr << "error: standard output took only a part of what was written\n";
  return exit_code == 0 ? 3 : exit_code;
}
