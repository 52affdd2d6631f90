// A cache of graphs: a program that is called again with the same routing is not planned again.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "interp/binding.h"

namespace tessera::graph {

// Everything that a graph depends on: the program, the options of its verification, and the
// operands that decide its actions. Other operands are data and may have any values.
struct GraphKey {
  std::array<std::uint64_t, 2> program{};
  std::string options;
  std::vector<std::span<const std::byte>> control;  // the caller's operands; copied by keep()
  std::uint64_t hash = 0;                           // hash of the other members
};

// Creates the graphs of a program that is called repeatedly.
class ProgramGraphs {
 public:
  // structured: the program from which `expanded` was created. A graph's verdict includes the
  // proofs of its parallel loops, which the expanded form does not contain.
  ProgramGraphs(const Program& structured, const Program& expanded);

  // Returns the graph of a call: from the cache of this process, or else created now and cached. It
  // is always created, and not cached, if `how.run` has observers, a debug sink, a rewrite or no
  // steps, or if the bindings lack one of control_inputs(). Fails like task_graph().
  // simulate: runs the program with the operands of `bindings`; may overwrite results.
  Expected<std::shared_ptr<const TaskGraph>> of(const Simulate& simulate,
                                                const std::vector<Binding>& bindings,
                                                const CertifyOptions& how) const;
  // Names of the operands that decide the program's actions.
  const std::vector<std::string>& control_inputs() const { return control_inputs_; }

 private:
  // Hashes of the program's text; the second one includes source locations.
  std::array<std::uint64_t, 2> text_{};
  std::vector<std::string> control_inputs_;
};

// Graphs by key. Thread-safe.
class GraphCache {
 public:
  // Returns the cache of this process, with a limit of 1 GiB.
  static GraphCache& of_process();
  // max_bytes: approximate limit for all graphs together. The last graph is kept even if it is
  // larger.
  explicit GraphCache(std::size_t max_bytes);
  ~GraphCache();
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;

  // Counts as a use.
  std::shared_ptr<const TaskGraph> find(const GraphKey& key);  // null: not in the cache
  // Adds a graph unless the cache has one with this key. Evicts the least recently used graphs if
  // there is no room.
  void keep(const GraphKey& key, std::shared_ptr<const TaskGraph> graph);
  std::size_t size() const;  // number of graphs
  void clear();

 private:
  struct Entries;
  std::unique_ptr<Entries> entries_;
};

// Returns the approximate size of a graph in bytes.
std::size_t bytes_of(const TaskGraph& graph);

}  // namespace tessera::graph
