#include "tests/include_knots.h"

#include <algorithm>
#include <cstddef>

namespace tessera::test {
namespace {

std::string without_ending(const std::string& path) { return path.substr(0, path.rfind('.')); }

class Components {
 public:
  explicit Components(const Includes& includes) {
    for (const auto& [path, included] : includes)
      if (path.ends_with(".h") || path.ends_with(".cuh")) headers_.insert(without_ending(path));
    for (const auto& [path, included] : includes)
      for (const std::string& header : included)
        if (includes.contains(header) && of(header) != of(path))
          graph_[of(path)].insert(of(header));
  }

  std::set<std::vector<std::string>> knots() {
    for (const auto& [component, included] : graph_)
      if (!number_.contains(component)) visit(component);
    return std::move(knots_);
  }

 private:
  std::string of(const std::string& path) const {
    const std::string stem = without_ending(path);
    const std::size_t folder = stem.rfind('/');
    for (std::string name = stem; !headers_.contains(stem);) {
      const std::size_t word = name.rfind('_');
      if (word == std::string::npos || (folder != std::string::npos && word < folder)) break;
      name.resize(word);
      if (headers_.contains(name)) return name;
    }
    return stem;
  }

  // Tarjan's strongly connected components.
  void visit(const std::string& component) {
    const std::size_t mine = number_.size();
    number_[component] = lowest_[component] = mine;
    stack_.push_back(component);
    for (const std::string& next : graph_[component]) {
      if (!number_.contains(next)) {
        visit(next);
        lowest_[component] = std::min(lowest_[component], lowest_[next]);
      } else if (std::find(stack_.begin(), stack_.end(), next) != stack_.end()) {
        lowest_[component] = std::min(lowest_[component], number_[next]);
      }
    }
    if (lowest_[component] != mine) return;
    const auto first = std::find(stack_.begin(), stack_.end(), component);
    std::vector<std::string> members(first, stack_.end());
    stack_.erase(first, stack_.end());
    std::sort(members.begin(), members.end());
    if (members.size() > 1) knots_.insert(std::move(members));
  }

  std::set<std::string> headers_;
  std::map<std::string, std::set<std::string>> graph_;
  std::map<std::string, std::size_t> number_, lowest_;
  std::vector<std::string> stack_;
  std::set<std::vector<std::string>> knots_;
};

}  // namespace

std::set<std::vector<std::string>> include_knots(const Includes& includes) {
  return Components(includes).knots();
}

}  // namespace tessera::test
