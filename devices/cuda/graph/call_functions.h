// The device functions of a task graph's kernels: one for each op on each combination of types and
// ranks that the graph has.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::cuda {

class CallFunctions {
 public:
  // The number of the function with that body, whose call is `c` (templates/calls.cuh). what: what
  // it does, in words.
  std::int64_t number(const std::string& body, const std::string& what);
  // Of all: their definitions, and a case of a switch over `function` for each.
  std::string definitions() const;
  std::string cases() const;

 private:
  struct Function {
    std::string body, what;
  };
  std::map<std::string, std::int64_t> numbers_;  // by body
  std::vector<Function> functions_;
};

}  // namespace tessera::cuda
