// gmm-run.
#include <string>
#include <vector>

#include "cli/process.h"

int main(int argc, char** argv) {
  return tessera::cli::run_process(std::vector<std::string>(argv + 1, argv + argc));
}
