// The cache only reads entries that are owned by the user or root and that no other user can write.
// Writes do not follow links.
#include "core/host/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/temporary.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr FileKind small{"an entry", 100};

class DiskCache : public testing::Test {
 protected:
  // Returns the note for an entry that must not be read.
  std::string note() const {
    const CacheRead cached = cache.read("key", small);
    EXPECT_FALSE(cached.bytes);
    return cached.note;
  }
  std::string refused(const std::string& why) const {
    return "the cache's entry " + path + " is not used: " + why;
  }

  TemporaryFolder folder;
  CacheFolder cache{folder.file("cache"), "part"};
  std::string path = folder.file("cache/part/key");
};

TEST_F(DiskCache, what_is_written_is_read_and_nothing_else) {
  const std::string bytes("bytes\n\0and more", 15);
  EXPECT_FALSE(cache.read("key", small).bytes);
  EXPECT_TRUE(cache.write("key", bytes));
  EXPECT_EQ(cache.read("key", small).bytes, bytes);
  EXPECT_FALSE(cache.read("other", small).bytes);
  EXPECT_EQ(cache.read("other", small).note, "");
  EXPECT_EQ(static_cast<int>(fs::status(folder.file("cache")).permissions()), 0700);
  EXPECT_EQ(static_cast<int>(fs::status(cache.path()).permissions()), 0700);
  EXPECT_NE(cache_key("a"), cache_key("b"));
  EXPECT_EQ(cache_key("a").size(), 32u);
}

TEST_F(DiskCache, without_a_folder_nothing_is_kept) {
  const CacheFolder none("");
  EXPECT_FALSE(none.read("key", small).bytes);
  EXPECT_EQ(none.write("key", "bytes").diags().at(0).message, "there is no cache folder");
}

TEST_F(DiskCache, what_is_no_regular_file_is_refused_and_never_waited_for) {
  ASSERT_TRUE(cache.write("key", "old"));
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(note(), refused("it is a pipe, not a regular file"));
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  EXPECT_EQ(note(), refused("it is a symbolic link, not a regular file"));
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(note(), refused("it is a folder, not a regular file"));
}

TEST_F(DiskCache, what_is_too_large_is_refused) {
  ASSERT_TRUE(cache.write("key", std::string(101, 'x')));
  EXPECT_EQ(note(),
            refused("cannot read " + path + ": it has 101 bytes, and an entry has at most 100"));
}

TEST_F(DiskCache, what_others_may_write_is_refused) {
  ASSERT_TRUE(cache.write("key", "old"));
  ASSERT_EQ(::chmod(path.c_str(), 0620), 0);
  EXPECT_EQ(note(), refused("other users may write to it, its mode is 0620"));
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(cache.read("key", small).bytes, "old");
  for (const std::string& place : {folder.file("cache"), cache.path()}) {
    ASSERT_EQ(::chmod(place.c_str(), 01777), 0);
    const std::string why = "the cache's folder " + place +
                            " is not used: other users may write to it, its mode is 1777";
    EXPECT_EQ(note(), why);
    EXPECT_EQ(cache.rejection_reason(), why);
    EXPECT_EQ(cache.write("key", "new").diags().at(0).message, why);
    ASSERT_EQ(::chmod(place.c_str(), 0700), 0);
  }
  EXPECT_EQ(cache.read("key", small).bytes, "old");
}

TEST_F(DiskCache, what_belongs_to_somebody_else_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t nobody = 65534;
  ASSERT_TRUE(cache.write("key", "old"));
  ASSERT_EQ(::chown(path.c_str(), nobody, nobody), 0);
  EXPECT_EQ(note(), refused("it is owned by user 65534, and this is user 0"));
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(cache.path().c_str(), nobody, nobody), 0);
  EXPECT_EQ(note(), "the cache's folder " + cache.path() +
                        " is not used: it is owned by user 65534, and this is user 0");
}

TEST_F(DiskCache, a_folder_of_the_cache_that_is_a_link_is_refused) {
  ASSERT_TRUE(cache.write("key", "old"));
  fs::rename(cache.path(), folder.file("elsewhere"));
  fs::create_symlink(folder.file("elsewhere"), cache.path());
  EXPECT_TRUE(note().starts_with("the cache's folder " + cache.path() + " is not used: "));
  // A link to the cache folder that the user owns is followed.
  fs::create_symlink(folder.file("cache"), folder.file("link"));
  const CacheFolder linked(folder.file("link"));
  EXPECT_TRUE(linked.write("key", "new"));
  EXPECT_EQ(linked.read("key", small).bytes, "new");
}

TEST_F(DiskCache, writing_replaces_what_has_the_name_and_follows_no_link) {
  ASSERT_TRUE(cache.write("key", "old"));
  const std::string victim = folder.file("victim");
  write_bytes(victim, "precious");
  fs::remove(path);
  fs::create_symlink(victim, path);
  EXPECT_TRUE(cache.write("key", "new"));
  EXPECT_EQ(read_bytes(victim), "precious");
  EXPECT_EQ(cache.read("key", small).bytes, "new");
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(cache.write("key", "newer"));
  EXPECT_EQ(cache.read("key", small).bytes, "newer");
}

// Entries are never writable by other users, whatever the umask is.
TEST_F(DiskCache, entries_of_any_mask_are_read_again) {
  const mode_t mask = ::umask(0);
  EXPECT_TRUE(cache.write("key", "bytes"));
  ::umask(mask);
  EXPECT_EQ(cache.read("key", small).bytes, "bytes");
}

TEST(CacheName, is_a_key_and_its_ending) {
  const std::string key = cache_key("x");
  EXPECT_TRUE(is_cache_name(key, ""));
  EXPECT_TRUE(is_cache_name(key + ".json", ".json"));
  EXPECT_TRUE(is_cache_name(key + ".json.tmp12.0", ".json", true));
  EXPECT_FALSE(is_cache_name(key + ".json.tmp12.0", ".json"));
  for (const std::string& other :
       {std::string("thesis.txt"), key + ".txt", key.substr(1) + ".json", key + "a.json",
        key + ".json.tmpl", "K" + key.substr(1) + ".json", std::string()})
    EXPECT_FALSE(is_cache_name(other, ".json", true)) << other;
}

}  // namespace
}  // namespace tessera
