#include "interp/machine/cell_owners.h"

#include <algorithm>

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void CellOwners::count(CoreIndex core, std::int64_t cell, bool is_own, std::int64_t amount) {
  if (!is_own) is_foreign_[at(cell)] = true;
  std::int64_t& count = counts_[at(cell)];
  for (Open& open : open_[core]) {
    if (std::find(open.touched.begin(), open.touched.end(), cell) != open.touched.end()) continue;
    open.touched.push_back(cell);
    used_.insert({open.loop, cell});
    // Until the first use in an iteration, the count is the count at the begin of the iteration.
    if (count != 0) shared_.insert({open.loop, cell});
  }
  count += amount;
}

void CellOwners::begin_point(CoreIndex core, StmtId loop) {
  std::vector<Open>& open = open_[core];
  if (open.empty() || open.back().loop != loop)
    open.push_back({loop, {}});
  else
    end_point(open.back());
}

void CellOwners::end_loop(CoreIndex core) {
  end_point(open_[core].back());
  open_[core].pop_back();
}

void CellOwners::end_point(Open& loop) {
  for (const std::int64_t cell : loop.touched)
    if (counts_[at(cell)] != 0) shared_.insert({loop.loop, cell});
  loop.touched.clear();
}

std::set<StmtId> CellOwners::sharing_loops() const {
  std::set<StmtId> loops;
  for (const auto& [loop, cell] : used_)
    if (is_shared(loop, cell)) loops.insert(loop);
  return loops;
}

}  // namespace tessera
