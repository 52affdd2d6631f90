// Configurations on disk: concurrent writers, killed writers, and damaged files.
#include "kernels/tuning/persistent_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/host/output_file.h"
#include "kernels/tuning/config.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

CacheEntry entry(int writer, int number) {
  GroupedMatmulConfig config;
  config.kernel.tiling.m = 8 * (number + 1);
  CacheEntry result;
  result.key = {"interpreter v5e|1", "grouped_matmul@v1", fmt::format("w{} n{}", writer, number)};
  result.config = to_json(config);
  result.source = "autotune";
  result.seconds = 1e-6 * (number + 1);
  result.measure = "simulated on v5e";
  return result;
}

void expect_stored(const PersistentCache& cache, const CacheEntry& wanted) {
  const Expected<std::optional<CacheEntry>> found = cache.find(wanted.key);
  ASSERT_TRUE(found) << render(found.diags());
  ASSERT_TRUE(*found) << wanted.key.call;
  EXPECT_EQ((*found)->config, wanted.config);
  EXPECT_EQ((*found)->seconds, wanted.seconds);
  EXPECT_EQ((*found)->measure, wanted.measure);
}

TEST(PersistentCache, keeps_what_was_stored_and_replaces_it) {
  const TemporaryFolder folder;
  const PersistentCache cache(folder.file("cache"));
  CacheEntry first = entry(0, 0);
  EXPECT_FALSE(*cache.find(first.key));
  ASSERT_TRUE(cache.store(first));
  expect_stored(cache, first);
  first.seconds = 5;
  ASSERT_TRUE(cache.store(first));
  expect_stored(cache, first);
  EXPECT_EQ(cache.list().size(), 1u);
  EXPECT_EQ(*cache.clear(first.key.id()), 1);
  EXPECT_FALSE(*cache.find(first.key));
  const Expected<int> none = cache.clear("feed");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.diags()[0].message, "the cache has no entry feed");
}

constexpr int writers = 8, entries = 60;

// Writes the writer's entries, alternating with an entry that all writers share. If `dies`, the
// writer is killed when half an entry is written.
[[noreturn]] void write_all(const std::string& folder, int writer, bool dies) {
  const PersistentCache cache(folder);
  for (int i = 0; i < entries; ++i) {
    if (!cache.store(entry(writer, i)) || !cache.store(entry(-1, i))) ::_exit(1);
    if (!dies || i != entries / 2) continue;
    const std::string bytes = "{\"device\": \"half of";
    auto file = OutputFile::create(cache.folder() + "/" + entry(writer, 0).key.id() + ".json");
    if (!file || !file->append(std::as_bytes(std::span(bytes)))) ::_exit(2);
    ::raise(SIGKILL);
  }
  ::_exit(0);
}

TEST(PersistentCache, eight_processes_write_at_once_and_one_is_killed_in_mid_write) {
  const TemporaryFolder folder;
  const std::string place = folder.file("cache");
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_all(place, writer, writer == 3);
    children.push_back(child);
  }
  for (int writer = 0; writer < writers; ++writer) {
    int status = 0;
    ASSERT_EQ(::waitpid(children[static_cast<std::size_t>(writer)], &status, 0),
              children[static_cast<std::size_t>(writer)]);
    if (writer == 3) {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    } else {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
  }
  // Every entry reported as stored is complete, and the half entry replaced nothing.
  const PersistentCache cache(place);
  for (int writer = 0; writer < writers; ++writer) {
    const int stored = writer == 3 ? entries / 2 + 1 : entries;
    for (int i = 0; i < stored; ++i) expect_stored(cache, entry(writer, i));
  }
  for (int i = 0; i < entries; ++i) expect_stored(cache, entry(-1, i));
  const auto all = cache.list();
  EXPECT_EQ(all.size(), (writers - 1) * entries + entries / 2 + 1 + entries);
  for (const auto& listed : all) EXPECT_TRUE(listed.entry) << listed.problem;
  EXPECT_EQ(*cache.clear(), static_cast<int>(all.size()));
  EXPECT_TRUE(std::filesystem::is_empty(cache.folder())) << "what the killed one left stays";
}

TEST(PersistentCache, a_writer_killed_at_any_moment_leaves_whole_entries) {
  const TemporaryFolder folder;
  const PersistentCache cache(folder.file("cache"));
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0;; ++i) {
        if (!cache.store(entry(0, i % 10))) ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 700 * round));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    for (const auto& listed : cache.list()) EXPECT_TRUE(listed.entry) << listed.problem;
  }
  EXPECT_GE(cache.list().size(), 1u);
}

TEST(PersistentCache, damaged_files_are_named_and_other_keys_are_no_hits) {
  const TemporaryFolder folder;
  const PersistentCache cache(folder.file("cache"));
  const CacheEntry good = entry(0, 0);
  ASSERT_TRUE(cache.store(good));
  write_bytes(cache.folder() + "/" + good.key.id() + ".json", "{\"device\": 1}");
  const auto found = cache.find(good.key);
  ASSERT_FALSE(found);
  EXPECT_NE(found.diags()[0].message.find("is not a configuration"), std::string::npos);
  EXPECT_EQ(cache.list().size(), 1u);
  EXPECT_FALSE(cache.list()[0].entry);
  // An entry of another key under the name of this key.
  const CacheEntry other = entry(0, 1);
  ASSERT_TRUE(cache.store(other));
  std::filesystem::rename(cache.folder() + "/" + other.key.id() + ".json",
                          cache.folder() + "/" + good.key.id() + ".json");
  EXPECT_FALSE(*cache.find(good.key));
}

// Entries are edited as text. The checksum is correct in the edited versions too.
TEST(PersistentCache, what_was_changed_or_is_of_another_version_is_not_used) {
  const TemporaryFolder folder;
  const PersistentCache cache(folder.file("cache"));
  const CacheEntry good = entry(0, 0);
  ASSERT_TRUE(cache.store(good));
  const std::string file = cache.file(good.key), text = read_bytes(file);
  const auto message = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    changed.replace(at, from.size(), to);
    write_bytes(file, changed);
    const auto found = cache.find(good.key);
    return found ? "" : found.diags()[0].message;
  };
  const std::string not_used = "the cache's entry " + file + " is not used: ";
  const std::string checksum = not_used + "its checksum does not match its content";
  EXPECT_EQ(message("\"block_m\": 8", "\"block_m\": 8"), "");
  EXPECT_EQ(message("\"block_m\": 8", "\"block_m\": 9"), checksum);
  EXPECT_EQ(message("1e-06", "2e-06"), checksum);
  EXPECT_EQ(
      message("\"build\": \"tessera ", "\"build\": \"tessera 9.").substr(0, not_used.size() + 27),
      not_used + "it was written by tessera 9");
  EXPECT_EQ(message("\"config\": {", "\"config\": {\"q\": " + std::string(100'000, '[') +
                                         std::string(100'000, ']') + ","),
            file + " is not a configuration: it nests deeper than 64");
}

TEST(PersistentCache, without_a_folder_nothing_is_kept_and_that_is_said) {
  const PersistentCache cache("");
  EXPECT_FALSE(*cache.find(entry(0, 0).key));
  const Diags problems = cache.store(entry(0, 0)).diags();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].message, "the configuration is not cached: there is no cache folder");
}

}  // namespace
}  // namespace tessera
