#include "analysis/certificate/points/thread_tree.h"

#include <fmt/format.h>

#include <utility>

namespace tessera {
namespace {

class Finder {
 public:
  Finder(const Record& record, const std::set<StmtId>& loops) : record_(record), loops_(loops) {}

  ThreadTree find() {
    tree_.thread_of.resize(record_.events.size());
    tree_.points.resize(record_.core_ids().size());
    tree_.names.resize(record_.core_ids().size());
    for (const RecordedAgentId core : record_.core_ids()) {
      struct Open {
        LoopRunId loop;
        std::string around;
      };
      std::vector<Open> open;
      std::vector<RecordedAgentId> threads = {core};  // current threads, outermost first
      const RecordedAgent& agent = record_.agents[core];
      for (const EventId e : agent.events()) {
        const RecordedEvent& self = record_.event(e);
        if (is_forked(self, loops_)) {
          const bool is_same =
              !open.empty() && tree_.loops[open.back().loop].statement == self.statement;
          if (is_same) threads.pop_back();
          if (self.act == Act::points_end) {
            open.pop_back();
          } else {
            if (!is_same) {
              const std::string around = open.empty() ? "" : tree_.names[threads.back()];
              open.push_back({tree_.loops.add({self.statement, threads.back(), {}}), around});
            }
            const RecordedAgentId thread = tree_.points.add({threads.back(), open.back().loop});
            tree_.loops[open.back().loop].threads.push_back(thread);
            tree_.names.add(name(core, self, open.back().around));
            threads.push_back(thread);
          }
        }
        tree_.thread_of[e] = threads.back();
        if (self.act == Act::start) tree_.issuer[self.copy()] = threads.back();
      }
    }
    return std::move(tree_);
  }

 private:
  std::string name(RecordedAgentId core, const RecordedEvent& point,
                   const std::string& around) const {
    const Program& program = *record_.program;
    const std::string& variable = program.value(program.body[point.statement].result).name;
    const std::string self =
        fmt::format("{}={}", variable.empty() ? "loop" : variable, point.amount);
    const std::string of = " of " + to_string(record_.agents[core].id);
    if (around.empty()) return fmt::format("point {}{}", self, of);
    return around.substr(0, around.size() - of.size()) + " " + self + of;
  }

  const Record& record_;
  const std::set<StmtId>& loops_;
  ThreadTree tree_;
};

}  // namespace

ThreadTree thread_tree(const Record& record, const std::set<StmtId>& loops) {
  return Finder(record, loops).find();
}

}  // namespace tessera
