// A proved program as a task graph: what is left of a run when its protocol is taken away. Copies,
// pipelines and segments of ops are nodes; two of them that reach the same bytes of one device,
// one of them writing, have an edge in the order of their commit points, which is the order that
// every schedule has. docs/engines.md says why, and what a node is.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "analysis/task_graph/access_list.h"
#include "analysis/task_graph/arena.h"
#include "analysis/task_graph/instances.h"
#include "core/host/grown_array.h"
#include "core/program/program.h"
#include "interp/machine/topology.h"
#include "interp/memory/view.h"

namespace tessera::graph {

struct Node;
struct NodeSide;
using NodeId = Id<Node>;
using SideId = Id<NodeSide>;

// One lifetime of a buffer; or, of no buffer, a number that ops read as data: what one load gave.
struct Memory {
  CoreIndex owner{};  // interp/machine/topology.h
  BufferId buffer{};
  std::int64_t generation = 0;
  // It begins and ends within one run of a pipeline, or is a number that one has loaded: none of
  // its bytes is told among the touches of sides, for no other node has them.
  bool is_inner = false;
  auto operator<=>(const Memory&) const = default;
};

// What a node does: one op, or one copy. The op's scalars are those that its core had in the run.
// Lists are in the graph's arena.
struct Action {
  StmtId statement;
  CoreIndex core{};
  bool is_copy = false;
  bool adds = false;
  bool stored_only = false;  // a write-back: takes those elements alone that were stored
  bool is_local = true;      // it stays with its core
  MemoryId loads{};          // the number that the op gives
  ArenaList<std::pair<ValueId, std::int64_t>> scalars{};     // of an op, but for constants
  ArenaList<std::pair<ValueId, MemoryId>> loaded_scalars{};  // that it reads when it runs
  ArenaList<MemoryId> memories{};                            // of an op, which its slices name
  AccessList ends{};                                         // of a copy: from where, to where
  std::int64_t bytes = 0, flops = 0;

  // Of an op: in no memory.
  Rectangle from() const { return end(0); }
  Rectangle to() const { return end(1); }

 private:
  Rectangle end(int which) const;
};

// So many has a graph at most, and who asks for more is told so. Each takes a quarter of a
// kilobyte.
inline constexpr std::size_t max_actions = 4'000'000;
Diag too_many_actions();

// By action; what each reaches.
using Actions = Table<ActionId, Action, GrownArray<Action>>;
using ActionAccesses = Table<ActionId, AccessList, GrownArray<AccessList>>;

// gather: copies that one statement starts between two synchronisations, to one memory.
enum class NodeKind : std::uint8_t { copy, gather, pipeline, segment };
std::string_view name(NodeKind kind);

// An atomic segment: it can run as if alone. What it does is done in this order. Lists of it and of
// its sides are in the graph's arena.
struct Node {
  NodeKind kind = NodeKind::segment;
  CoreIndex core{};         // of the core that does it, or starts it
  StmtId statement;         // its first
  StmtId pipeline;          // the `pipeline` of the structured program that it is all of; else none
  std::int64_t commit = 0;  // a step of the run, between its last wait and its first signal
  ArenaList<ActionId> actions{};
  InstanceId instance{};  // its actions are those of a pattern, in other memory: of a folded graph
  PatternId pattern{};    // folded graph: this node is the first pipeline of the pattern
  std::int64_t bytes = 0, flops = 0;
  SideId first_side{};  // of its sides
  int side_count = 1;

  bool copies() const { return kind == NodeKind::copy || kind == NodeKind::gather; }
};

// read, write: of copies, in the memory of their source and of their destination; the data between
// them is a message. whole: of any other node.
enum class SideKind : std::uint8_t { whole, read, write };

// What has to be done before a side is.
struct Dependence {
  SideId side{};
  bool is_flow = false;  // the side reads what that one wrote; else the two only have an order
  bool operator==(const Dependence&) const = default;
};

struct NodeSide {
  NodeId node{};
  SideKind kind = SideKind::whole;
  AccessList accesses{};
  ArenaList<Dependence> predecessors{};  // of the same device
};

using Nodes = Table<NodeId, Node, GrownArray<Node>>;
using NodeSides = Table<SideId, NodeSide, GrownArray<NodeSide>>;

// Seconds that it took to make a graph: the run of the program; what else its verdict took; and
// what cutting the run into nodes and the edges, which begins beside the verdict, took longer than
// that.
struct PlanningTime {
  double run = 0, verdict = 0, graph = 0;
  double all() const { return run + verdict + graph; }
};

struct TaskGraph {
  Program program{};  // that ran, expanded
  Topology topology{};
  Table<MemoryId, Memory> memories{};
  Actions actions{};
  // What each action reaches; of a write-back what it writes is what was stored.
  ActionAccesses accesses{};
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  Instances instances{};  // of a folded graph; else none
  Nodes nodes{};          // in commit order
  NodeSides sides{};      // node after node; of a copy the reading one first
  std::int64_t dead = 0;  // nodes that were left out, since only control depends on what they do
  PlanningTime planning{};

  int device(const Node& node) const { return topology.device(node.core); }
  // Where a side's memory is.
  CoreIndex owner(const NodeSide& side) const;
  // Whether it moves data to another device.
  bool is_message(const Node& node) const;
};

// Of a program whose verdict, without arithmetic, is `proved`, by its eager run; how: as for
// certify(). Others are refused with what was found.
Expected<TaskGraph> task_graph(const Simulate& simulate, const CertifyOptions& how);
// The same, for who does not run it, or only a part: a pipeline that does what one before it did
// names the actions of that one. unfold() (analysis/task_graph/unfold.h) makes it what task_graph()
// gives.
Expected<TaskGraph> folded_task_graph(const Simulate& simulate, const CertifyOptions& how);

}  // namespace tessera::graph
