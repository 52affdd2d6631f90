// The task graph of a proved program: its run without semaphores and waits. Nodes are copies,
// pipelines and segments of ops. Two nodes that access the same bytes of one device, at least one
// of them writing, have an edge in the order of their commit points. Every schedule has this order.
// docs/internals/engines.md defines nodes and gives the reasons.
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

// One lifetime of a buffer. Without a buffer: a scalar that one load returned and ops read as data.
struct Memory {
  CoreIndex owner{};  // first core of the device for hbm (Topology::owner)
  BufferId buffer{};
  std::int64_t generation = 0;  // number of allocations of the buffer so far, at this core
  // True for memory that is allocated and freed within one run of a pipeline, and for scalars that
  // the pipeline loads. Only its node accesses it, so the accesses of sides do not contain it.
  bool is_inner = false;
  auto operator<=>(const Memory&) const = default;
};

// One op or copy of a node. The lists are in the graph's arena.
struct Action {
  StmtId statement;
  CoreIndex core{};
  bool is_copy = false;
  bool adds = false;
  bool stored_only = false;  // write-back: copies only elements that were stored
  bool is_local = true;      // accesses only memory of its core
  MemoryId loads{};          // scalar that the op loads
  ArenaList<std::pair<ValueId, std::int64_t>> scalars{};     // values in the run, without constants
  ArenaList<std::pair<ValueId, MemoryId>> loaded_scalars{};  // read when the op runs
  ArenaList<MemoryId> memories{};                            // op: memories of its slices
  AccessList ends{};                                         // copy: source, destination
  std::int64_t bytes = 0, flops = 0;  // copied bytes; flops for a matrix product

  // Source and destination of a copy; empty for an op.
  Rectangle from() const { return end(0); }
  Rectangle to() const { return end(1); }

 private:
  Rectangle end(int which) const;
};

// Maximum number of actions in a graph, about 256 bytes each. Programs with more actions fail with
// too_many_actions().
inline constexpr std::size_t max_actions = 4'000'000;
// Returns the error for such a program, with ErrorCode::unsupported.
Diag too_many_actions();

// Indexed by action.
using Actions = Table<ActionId, Action, GrownArray<Action>>;
using ActionAccesses = Table<ActionId, AccessList, GrownArray<AccessList>>;

// gather: copies to one memory that one statement starts between two synchronisations.
enum class NodeKind : std::uint8_t { copy, gather, pipeline, segment };
std::string_view name(NodeKind kind);

// Actions that can run atomically, in the order in which they run. The lists of nodes and sides are
// in the graph's arena.
struct Node {
  NodeKind kind = NodeKind::segment;
  CoreIndex core{};         // core that runs the actions or starts the copies
  StmtId statement;         // statement of the first action
  StmtId pipeline;          // `pipeline` that this node runs completely; else none
  std::int64_t commit = 0;  // step of the run between the last wait and the first signal
  ArenaList<ActionId> actions{};
  InstanceId instance{};  // folded graph: `actions` belong to a pattern and use other memory
  PatternId pattern{};    // folded graph: this node is the first pipeline of this pattern
  std::int64_t bytes = 0, flops = 0;  // sums over the actions
  SideId first_side{};
  int side_count = 1;

  bool copies() const { return kind == NodeKind::copy || kind == NodeKind::gather; }
};

// read, write: the two sides of a copy, in the memory of the source and of the destination; the
// data between them is a message. whole: the only side of any other node.
enum class SideKind : std::uint8_t { whole, read, write };

// A side that must be complete before another one starts.
struct Dependence {
  SideId side{};
  bool is_flow = false;  // the later side reads data that this one wrote; else only an order
  bool operator==(const Dependence&) const = default;
};

struct NodeSide {
  NodeId node{};
  SideKind kind = SideKind::whole;
  AccessList accesses{};
  ArenaList<Dependence> predecessors{};  // on the same device
};

using Nodes = Table<NodeId, Node, GrownArray<Node>>;
using NodeSides = Table<SideId, NodeSide, GrownArray<NodeSide>>;

// Seconds for creating a graph. run: the run of the program; verdict: its analysis; graph: creation
// of nodes and edges, without the part that ran concurrently with the analysis.
struct PlanningTime {
  double run = 0, verdict = 0, graph = 0;
  double all() const { return run + verdict + graph; }
};

struct TaskGraph {
  Program program{};  // expanded
  Topology topology{};
  Table<MemoryId, Memory> memories{};
  Actions actions{};
  // The accesses of each action. A write-back writes only the elements that were stored.
  ActionAccesses accesses{};
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  Instances instances{};  // empty unless the graph is folded
  Nodes nodes{};          // in commit order
  NodeSides sides{};      // in the order of the nodes; read side first
  std::int64_t dead = 0;  // nodes omitted because only control flow depends on them
  PlanningTime planning{};

  int device(const Node& node) const { return topology.device(node.core); }
  // Returns the core that owns the memory of a side of a copy; for other nodes, the node's core.
  CoreIndex owner(const NodeSide& side) const;
  // True if the node copies data to another device.
  bool is_message(const Node& node) const;
};

// Returns the graph of the eager run of a program. how: as for certify(), except that the run has
// no arithmetic and the schedule `eager`. Fails with
//   unsupported  if the verdict is not `proved` (with its findings or the violated conditions),
//                executions have different results, LoadedScalars rejects an op, or there are more
//                than `max_actions`
//   interrupted  if a limit or a stop request ends the proof
//   runtime      if a check of analysis/task_graph/completeness.h fails, or the run is incomplete
// and with the errors of `simulate`.
Expected<TaskGraph> task_graph(const Simulate& simulate, const CertifyOptions& how);
// Like task_graph(), for a caller that runs none or only a part of the graph: a pipeline that
// repeats an earlier one refers to its actions. unfold() (analysis/task_graph/unfold.h) converts
// the result to the graph that task_graph() returns.
Expected<TaskGraph> folded_task_graph(const Simulate& simulate, const CertifyOptions& how);

}  // namespace tessera::graph
