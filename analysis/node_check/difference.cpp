#include "analysis/node_check/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/data/convert.h"
#include "interp/findings/describe.h"

namespace tessera::graph {
namespace {

struct Wrong {
  std::size_t rectangle = 0, element = 0;  // first wrong element
  std::int64_t count = 0, of = 0;          // wrong elements and all elements of the rectangle
};

// Returns the first rectangle with a wrong element.
Wrong first_wrong(const Images& images, const std::vector<std::vector<std::byte>>& got) {
  for (std::size_t r = 0; r < images.size(); ++r) {
    Wrong wrong{.rectangle = r, .of = images[r].at.box.elements()};
    for (std::size_t i = 0; i < static_cast<std::size_t>(wrong.of); ++i) {
      const bool is_defined = images[r].defined.empty() || images[r].defined[i];
      if (!is_defined || likeness(images[r], got[r], i) != Likeness::other) continue;
      if (wrong.count++ == 0) wrong.element = i;
    }
    if (wrong.count > 0) return wrong;
  }
  return {};
}

std::string value_text(const std::vector<std::byte>& bytes, DType dtype, std::size_t i) {
  const std::byte* const at = bytes.data() + i * static_cast<std::size_t>(size_of(dtype));
  if (dtype == DType::i64) return fmt::format("{}", load_integer(at, dtype));
  const double value = load_element(at, dtype);
  return is_integer(dtype) ? fmt::format("{}", value)
                           : fmt::format("{}", static_cast<float>(value));
}

const WriteEvent* last_write(const std::vector<WriteEvent>& writes, std::size_t end,
                             MemoryId memory, const Box& element) {
  while (end-- > 0)
    if (writes[end].at.memory == memory && contains(writes[end].at.box, element))
      return &writes[end];
  return nullptr;
}

// Returns the last write of the element. If it is a write-back, returns the store to the block.
const WriteEvent* writer(const TaskGraph& graph, const std::vector<WriteEvent>& writes,
                         MemoryId memory, const Box& element) {
  const WriteEvent* const last = last_write(writes, writes.size(), memory, element);
  if (last == nullptr) return nullptr;
  const Action& action = graph.actions[last->action];
  if (!std::holds_alternative<WriteBack>(graph.program.body[action.statement].op)) return last;
  const WriteEvent* const store =
      last_write(writes, static_cast<std::size_t>(last - writes.data()), action.from().memory,
                 counterpart(element, action.to().box, action.from().box));
  return store != nullptr ? store : last;
}

// Sets the source location of the finding's statement, and adds its call chain.
void tell_place(const Program& program, Finding& finding) {
  const PlaceId place = own_place(program, program.place_of(finding.about.statement));
  finding.at.loc = program.loc(place);
  add_call_chain(program, place, finding.notes);
}

// "node 12 of 40 in commit order, a copy of dev0.core0"
std::string node_text(const TaskGraph& graph, NodeId node) {
  const Node& of = graph.nodes[node];
  return fmt::format("node {} of {} in commit order, a {} of {}", node.index + 1,
                     graph.nodes.size(), name(of.kind), to_string(graph.topology.agent(of.core)));
}

// Finding for the first element that differs, without notes. agent, statement: used if no write to
// the element is known.
Finding mismatch(const TaskGraph& graph, const Images& images,
                 const std::vector<std::vector<std::byte>>& got,
                 const std::vector<WriteEvent>& writes, AgentId agent, StmtId statement) {
  const Program& program = graph.program;
  const Wrong wrong = first_wrong(images, got);
  const Image& image = images[wrong.rectangle];
  const Memory& memory = graph.memories[image.at.memory];
  const Index index = index_in(image.at.box, static_cast<std::int64_t>(wrong.element));
  const WriteEvent* const by = writer(graph, writes, image.at.memory, element(image.at.box, index));
  Finding finding{.kind = FindingKind::mismatch};
  finding.message = fmt::format(
      "{} of {} differs from the interpreter's result: {} of {} {}, the first is {} = {}, "
      "expected {}",
      slice_text(program, memory.buffer, image.at.box),
      graph.topology.name(memory.owner, program.buffers[memory.buffer].space), wrong.count,
      counted(wrong.of, "element"), wrong.count == 1 ? "differs" : "differ",
      element_text(program, memory.buffer, index),
      value_text(got[wrong.rectangle], image.dtype, wrong.element),
      value_text(image.bytes, image.dtype, wrong.element));
  if (by != nullptr) {
    agent = by->agent;
    statement = graph.actions[by->action].statement;
    finding.at.loops = by->loops;
  }
  finding.at.device = agent.device;
  finding.at.agent = to_string(agent);
  finding.about.statement = statement;
  finding.devices = {agent.device};
  return finding;
}

void add_note(const TaskGraph& graph, Finding& finding, std::string message) {
  finding.notes.push_back({.message = std::move(message), .device = finding.at.device});
  tell_place(graph.program, finding);
}

}  // namespace

Finding difference(const TaskGraph& graph, SideId side, const Images& images,
                   const std::vector<std::vector<std::byte>>& got,
                   const std::vector<WriteEvent>& writes, const Tally& all) {
  const NodeId node = graph.sides[side].node;
  const Node& of = graph.nodes[node];
  Finding finding =
      mismatch(graph, images, got, writes, graph.topology.agent(of.core), of.statement);
  add_note(graph, finding,
           all.differ == 1 ? fmt::format("it is {}; no other differs", node_text(graph, node))
                           : fmt::format("it is {}; {} more {}, which may follow from it",
                                         node_text(graph, node), all.differ - 1,
                                         all.differ == 2 ? "differs" : "differ"));
  return finding;
}

Finding result_difference(const TaskGraph& graph, const Image& image,
                          const std::vector<std::byte>& got, const std::vector<WriteEvent>& writes,
                          const Tally& all) {
  const CoreIndex owner = graph.memories[image.at.memory].owner;
  Finding finding = mismatch(graph, {image}, {got}, writes, graph.topology.agent(owner), StmtId(0));
  add_note(graph, finding,
           fmt::format("at the end of the run; none of the {} that were compared differs, so no "
                       "node did this write, or another one overwrote it",
                       counted(all.compared, "node")));
  return finding;
}

std::string packed(const Finding& finding) {
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n{}", finding.about.statement.index, finding.at.device,
                  finding.at.agent, finding.message, finding.notes.front().message);
  for (const LoopIndex& loop : finding.at.loops)
    text += fmt::format("\n{}\n{}", loop.name, loop.value);
  return text;
}

Finding finding_of(const Program& program, const std::string& packed) {
  std::istringstream in(packed);
  const auto next = [&] {
    std::string line;
    std::getline(in, line);
    return line;
  };
  Finding finding{.kind = FindingKind::mismatch};
  finding.about.statement = StmtId(std::stoi(next()));
  finding.at.device = std::stoi(next());
  finding.at.agent = next();
  finding.message = next();
  finding.notes.push_back({.message = next(), .device = finding.at.device});
  for (std::string name; std::getline(in, name);)
    finding.at.loops.push_back({name, std::stoll(next())});
  finding.devices = {finding.at.device};
  tell_place(program, finding);
  return finding;
}

}  // namespace tessera::graph
