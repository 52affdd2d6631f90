// Graphs that are kept: a program that is called again with the same routing is not planned again.
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

// What a graph is a function of: the program, how it is verified, and the operands that decide what
// is done. Other operands are data, and may be any.
struct GraphKey {
  std::array<std::uint64_t, 2> program{};
  std::string options;
  std::vector<std::span<const std::byte>> control;  // the caller's operands; copied when it is kept
  std::uint64_t hash = 0;                           // of all three
};

// A program that is called again and again.
class ProgramGraphs {
 public:
  // structured: what `expanded` was made of. What is proved of its parallel loops is part of a
  // graph's verdict, and the expanded form does not tell them.
  ProgramGraphs(const Program& structured, const Program& expanded);

  // The graph of a call: one that this process keeps, or else made now and kept. simulate: runs the
  // program with these operands, and may overwrite results.
  Expected<std::shared_ptr<const TaskGraph>> of(const Simulate& simulate,
                                                const std::vector<Binding>& bindings,
                                                const CertifyOptions& how) const;
  // The operands that decide what is done.
  const std::vector<std::string>& control_inputs() const { return control_inputs_; }

 private:
  std::array<std::uint64_t, 2> text_{};  // of the program, and with where it stands
  std::vector<std::string> control_inputs_;
};

// All that are kept of this process; safe to use from several threads.
class GraphCache {
 public:
  static GraphCache& of_process();
  // max_bytes: of all graphs together, about; the last one is kept however large it is.
  explicit GraphCache(std::size_t max_bytes);
  ~GraphCache();
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;

  std::shared_ptr<const TaskGraph> find(const GraphKey& key);  // null: none
  // Those that were asked for the longest time ago go when there is no room.
  void keep(const GraphKey& key, std::shared_ptr<const TaskGraph> graph);
  std::size_t size() const;  // how many there are
  void clear();

 private:
  struct Entries;
  std::unique_ptr<Entries> entries_;
};

// Bytes that a graph takes, about.
std::size_t bytes_of(const TaskGraph& graph);

}  // namespace tessera::graph
