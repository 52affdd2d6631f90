// Sources of a program as an editor identifies them: files by path, embedded texts by number.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "text/json.h"

namespace tessera::debugger {

class Sources {
 public:
  // Relative names refer to the current folder at the time of the call.
  explicit Sources(const Program& program);

  // Returns the "Source" object of the protocol; with only a name if the program has no statement
  // in the source.
  Json of(const Source& source) const;
  // Finds the source that a client's "Source" object refers to: by number, else by path, else by
  // name. Fails if the program has no statement in it.
  Expected<std::shared_ptr<const Source>> find(const Json& asked) const;
  // Returns the embedded source with this number; null if there is none.
  std::shared_ptr<const Source> at(std::int64_t reference) const;

 private:
  struct Entry {
    std::shared_ptr<const Source> source;
    std::string path;  // empty: not a file
  };
  std::vector<Entry> entries_;  // number of an embedded source: its index + 1
};

}  // namespace tessera::debugger
