// --dump NAME@PLACE=FILE: memory as it is at a place in the run, in a file. The run is taken once
// more to there, so whoever runs it needs not know of it.
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

// What was written, or why it was not.
struct Dumped {
  std::string text;  // "dev0 slot[0 .. 2, 0 .. 4] at event 22"
  std::string file;
  std::int64_t event = 0;  // before which the memory was so
  bool is_defined = true;  // all of it
};

class Dumps {
 public:
  // Reads what the words mean by themselves and opens the files; nothing runs yet.
  static Expected<Dumps> open(const Arguments& arguments);
  bool empty() const { return all_.empty(); }
  // Goes to each place and writes the files. simulate() begins the run under the options that it is
  // given. Errors are names, lines and loops that the program does not have, and memory that does
  // not exist there.
  Expected<void> write(const RunOptions& options,
                       const std::function<Expected<void>(const RunOptions&)>& simulate);
  // Why some are not written: the run does not come to the place, or the disk is full.
  const Diags& unwritten() const { return unwritten_; }
  // Of those that are written.
  std::string lines() const;
  Json json() const;

 private:
  struct Dump {
    std::string words;  // as they were given
    DumpWords read;
    TensorOutput output;
  };
  Expected<void> write(Session& session, Dump& dump);

  std::vector<Dump> all_;
  std::vector<Dumped> written_;
  Diags unwritten_;
};

}  // namespace tessera::cli
