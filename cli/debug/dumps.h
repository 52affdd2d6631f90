// --dump NAME@PLACE=FILE: writes the contents of memory at a place in the run to a file. The run is
// repeated up to that place, so the original run is not affected.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/args/dump_words.h"
#include "cli/args/options.h"
#include "cli/reports/console.h"
#include "core/data/tensor_file.h"
#include "core/report/expected.h"
#include "debugger/session/session.h"
#include "interp/run_options.h"

namespace tessera::cli {

// A dump that was written.
struct Dumped {
  std::string text;  // "dev0 slot[0 .. 2, 0 .. 4]"
  std::string file;
  std::int64_t event = 0;  // the dump was taken before this event
  bool is_defined = true;  // all elements were initialised
};

class Dumps {
 public:
  // Parses the values of --dump and opens the files; without --dump the result is empty(). Fails
  // for malformed values, for a file name with a hole, and if a file cannot be opened. Runs
  // nothing.
  static Expected<Dumps> open(const Arguments& arguments);
  bool empty() const { return all_.empty(); }
  // Advances a run to each place and writes the files. simulate() begins the run with the given
  // options. Fails for names, lines and loops that the program does not have, for memory that does
  // not exist at the place, and with ErrorCode::unsupported for unknown values and if simulate()
  // runs nothing. Errors of ErrorCode::runtime and ErrorCode::environment, for example if the run
  // does not reach the place, are added to unwritten() instead.
  Expected<void> write(const RunOptions& options,
                       const std::function<Expected<void>(const RunOptions&)>& simulate);
  // Errors of the dumps that were not written: the run did not reach the place, or the file could
  // not be written.
  const Diags& unwritten() const { return unwritten_; }
  // Report of the written dumps.
  std::string lines() const;
  Json json() const;

 private:
  struct Dump {
    std::string words;  // as given
    DumpWords read;
    TensorOutput output;
  };
  Expected<void> write(Session& session, Dump& dump);

  std::vector<Dump> all_;
  std::vector<Dumped> written_;
  Diags unwritten_;
};

}  // namespace tessera::cli
