// The device functions for the kernels of a task graph: one for each combination of op, element
// types and ranks in the graph.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::cuda {

class CallFunctions {
 public:
  // Returns the number of the function with this body, from 0, and adds it if it is new. The body
  // refers to its call as `c` (templates/calls.cuh). what: description of the function, for a
  // comment.
  std::int64_t number(const std::string& body, const std::string& what);
  // Text for all functions: the definitions, and one case each of a switch over `function`.
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
