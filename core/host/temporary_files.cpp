#include "core/host/temporary_files.h"

#include <unistd.h>

#include <utility>

namespace tessera {

// Node of a list that only grows, so a signal handler may traverse it at any time. The path changes
// only while the state is `claimed`; a handler skips such nodes.
struct TemporaryName::Entry {
  enum State : int { free, claimed, held, removed };
  std::atomic<int> state{claimed};
  std::string path;
  Entry* next = nullptr;
};

namespace {

using Entry = TemporaryName::Entry;

constinit std::atomic<Entry*> entries{nullptr};
static_assert(std::atomic<Entry*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

Entry* claim() {
  for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
    int expected = Entry::free;
    if (entry->state.compare_exchange_strong(expected, Entry::claimed)) return entry;
  }
  auto* entry = new Entry;  // reachable from the list until the process ends
  entry->next = entries;
  while (!entries.compare_exchange_weak(entry->next, entry)) {
  }
  return entry;
}

}  // namespace

TemporaryName::TemporaryName(const std::string& path) : entry_(claim()) {
  entry_->path = path;
  entry_->state = Entry::held;
}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept
    : entry_(std::exchange(other.entry_, nullptr)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(entry_, other.entry_);
  return *this;
}

TemporaryName::~TemporaryName() {
  if (entry_ == nullptr) return;
  ::unlink(entry_->path.c_str());
  release();
}

const std::string& TemporaryName::path() const { return entry_->path; }

void TemporaryName::release() {
  Entry* const entry = std::exchange(entry_, nullptr);
  if (entry == nullptr) return;
  // An entry that a handler is removing stays unchanged, since the process ends.
  int expected = Entry::held;
  entry->state.compare_exchange_strong(expected, Entry::free);
}

void remove_temporary_files() noexcept {
  for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
    int expected = Entry::held;
    if (entry->state.compare_exchange_strong(expected, Entry::removed))
      ::unlink(entry->path.c_str());
  }
}

}  // namespace tessera
