#include "interp/certificate/points/thread_tree.h"

#include <fmt/format.h>

#include <utility>

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class Finder {
 public:
  Finder(const Record& record, const std::set<std::int32_t>& loops)
      : record_(record), loops_(loops) {}

  ThreadTree find() {
    const std::int32_t cores = record_.cores();
    tree_.thread_of.assign(record_.events.size(), ThreadTree::none);
    for (std::int32_t core = 0; core < cores; ++core)
      tree_.points.push_back({core, ThreadTree::none, ThreadTree::none});
    tree_.names.resize(at(cores));
    for (std::int32_t core = 0; core < cores; ++core) {
      struct Open {
        std::int32_t loop;
        std::string around;
      };
      std::vector<Open> open;
      std::vector<std::int32_t> threads = {core};  // at hand, outermost first
      const RecordedAgent& agent = record_.agents[at(core)];
      for (std::int32_t e = agent.begin; e < agent.end; ++e) {
        const RecordedEvent& self = record_.event(e);
        if (is_forked(self, loops_)) {
          const bool is_same =
              !open.empty() && tree_.loops[at(open.back().loop)].statement == self.statement;
          if (is_same) threads.pop_back();
          if (self.act == Act::points_end) {
            open.pop_back();
          } else {
            if (!is_same) {
              const std::string around = open.empty() ? "" : tree_.names[at(threads.back())];
              open.push_back({static_cast<std::int32_t>(tree_.loops.size()), around});
              tree_.loops.push_back({self.statement, threads.back(), {}});
            }
            const auto thread = static_cast<std::int32_t>(tree_.points.size());
            tree_.points.push_back({thread, threads.back(), open.back().loop});
            tree_.loops[at(open.back().loop)].threads.push_back(thread);
            tree_.names.push_back(name(core, self, open.back().around));
            threads.push_back(thread);
          }
        }
        tree_.thread_of[at(e)] = threads.back();
        if (self.act == Act::start) tree_.issuer[self.object] = threads.back();
      }
    }
    return std::move(tree_);
  }

 private:
  std::string name(std::int32_t core, const RecordedEvent& point, const std::string& around) const {
    const Program& program = *record_.program;
    const std::string& variable = program.value(program.body[at(point.statement)].result).name;
    const std::string self =
        fmt::format("{}={}", variable.empty() ? "loop" : variable, point.amount);
    const std::string of = " of " + to_string(record_.agents[at(core)].id);
    if (around.empty()) return fmt::format("point {}{}", self, of);
    return around.substr(0, around.size() - of.size()) + " " + self + of;
  }

  const Record& record_;
  const std::set<std::int32_t>& loops_;
  ThreadTree tree_;
};

}  // namespace

ThreadTree thread_tree(const Record& record, const std::set<std::int32_t>& loops) {
  return Finder(record, loops).find();
}

}  // namespace tessera
