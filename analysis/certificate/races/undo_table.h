// A table with an undo log.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/program/id.h"

namespace tessera {

template <typename Key, typename T>
class UndoTable {
 public:
  // Sets all entries to `value` and clears the log. Later changes are logged only if `is_logged`.
  void assign(std::size_t size, const T& value, bool is_logged) {
    now_.assign(size, value);
    old_.clear();
    is_logged_ = is_logged;
  }

  const T& operator[](Key key) const { return now_[key]; }
  void set(Key key, T value) {
    if (is_logged_) old_.emplace_back(key, now_[key]);
    now_[key] = std::move(value);
  }

  // undo(mark()) restores the entries of the moment of mark(). Requires is_logged.
  std::size_t mark() const { return old_.size(); }
  void undo(std::size_t mark) {
    for (; old_.size() > mark; old_.pop_back()) now_[old_.back().first] = old_.back().second;
  }
  // The entries that changed since the mark, with the values before each change. Stays valid until
  // the next change or undo(). Requires is_logged.
  std::span<const std::pair<Key, T>> changes(std::size_t mark) const {
    return std::span(old_).subspan(mark);
  }

 private:
  Table<Key, T> now_;
  std::vector<std::pair<Key, T>> old_;  // the values before each change
  bool is_logged_ = false;
};

}  // namespace tessera
