// Where configurations are kept within a process: overlays of one thread, and the memory of a chain
// for all threads.
#pragma once  // public
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/tuning/operation_key.h"

namespace tessera {

// Configurations for the calls of this thread while the scope lives; inner scopes come first.
template <typename Cfg>
class OverlayScope {
 public:
  // Keys with their configurations.
  using Entries = std::vector<std::pair<OperationKey, Cfg>>;
  // Begins the scope.
  explicit OverlayScope(Entries entries) { stack().push_back(std::move(entries)); }
  ~OverlayScope() { stack().pop_back(); }
  OverlayScope(const OverlayScope&) = delete;
  OverlayScope& operator=(const OverlayScope&) = delete;

  // The configuration of the innermost scope that has the key; null when none has.
  static const Cfg* find(const OperationKey& key) {
    for (auto scope = stack().rbegin(); scope != stack().rend(); ++scope) {
      for (const auto& [known, config] : *scope) {
        if (known == key) return &config;
      }
    }
    return nullptr;
  }

 private:
  static std::vector<Entries>& stack() {
    thread_local std::vector<Entries> scopes;
    return scopes;
  }
};

// The configurations of this process, for all its threads; keys are OperationKey::everything().
template <typename Cfg>
class ConfigCache {
 public:
  // The configuration of a key, if there is one.
  std::optional<Cfg> find(const std::string& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return found->second;
  }
  // Sets the configuration of a key.
  void store(const std::string& key, const Cfg& config) {
    const std::unique_lock lock(mutex_);
    entries_.insert_or_assign(key, config);
  }
  // Forgets all.
  void clear() {
    const std::unique_lock lock(mutex_);
    entries_.clear();
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Cfg> entries_;  // by OperationKey::everything()
};

}  // namespace tessera
