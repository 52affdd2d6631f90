// The sources of a program as an editor knows them: files by their paths, texts of the binary by
// numbers.
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
  // Relative names are those of the folder that is current now.
  explicit Sources(const Program& program);

  // "Source" of the protocol.
  Json of(const Source& source) const;
  // Which one a "Source" of the client means. An error: the program has no statement of it.
  Expected<std::shared_ptr<const Source>> find(const Json& asked) const;
  // By the number of an embedded one; null: there is none.
  std::shared_ptr<const Source> at(std::int64_t reference) const;

 private:
  struct Entry {
    std::shared_ptr<const Source> source;
    std::string path;  // empty: no file
  };
  std::vector<Entry> entries_;  // an embedded one's number is its place here, from 1
};

}  // namespace tessera::debugger
