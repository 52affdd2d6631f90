// A file is replaced as a whole or stays as it was; what cannot be opened is an error of the
// environment.
#include "core/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "core/npy.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

Diags write_text(const std::string& path, std::string_view text) {
  auto file = OutputFile::create(path);
  if (!file) return file.diags();
  if (auto diags = file->append(bytes_of(text)); !diags.empty()) return diags;
  return file->commit();
}

void expect_environment(const Diags& diags, const std::string& message) {
  ASSERT_EQ(diags.size(), 1U);
  EXPECT_EQ(diags[0].code, ErrorCode::environment);
  EXPECT_EQ(diags[0].message, message);
}

class File : public testing::Test {
 protected:
  TemporaryFolder folder;
  std::string path = folder.file("x");
};

TEST_F(File, ReadsAtAnOffset) {
  write_bytes(path, "0123456789");
  const auto file = InputFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 10);
  std::string text(3, ' ');
  EXPECT_TRUE(file->read(4, std::as_writable_bytes(std::span(text))).empty());
  EXPECT_EQ(text, "456");
  expect_environment(file->read(8, std::as_writable_bytes(std::span(text))),
                     "cannot read " + path + ": the file ended early");
}

TEST_F(File, WhatCannotBeOpened) {
  expect_environment(InputFile::open(path).diags(),
                     "cannot open " + path + ": No such file or directory");
  expect_environment(InputFile::open(folder.file("")).diags(),
                     "cannot open " + folder.file("") + ": not a regular file");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_environment(InputFile::open(path).diags(), "cannot open " + path + ": not a regular file");
}

TEST_F(File, WhatCannotBeWritten) {
  const auto missing = folder.file("no/x");
  expect_environment(OutputFile::create(missing).diags(),
                     "cannot write " + missing + ": No such file or directory");
  expect_environment(OutputFile::create("/dev/null").diags(),
                     "cannot write /dev/null: not a regular file");
  EXPECT_EQ(folder.files(), 0);
}

TEST_F(File, WithoutCommitNothingChanges) {
  write_bytes(path, "old");
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(bytes_of("new")).empty());
    EXPECT_EQ(folder.files(), 2);
    EXPECT_EQ(read_bytes(path), "old");
  }
  EXPECT_EQ(folder.files(), 1);
  EXPECT_EQ(read_bytes(path), "old");
}

TEST_F(File, CommitKeepsModeAndFollowsLinks) {
  write_bytes(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const auto link = folder.file("link");
  std::filesystem::create_symlink("x", link);
  ASSERT_TRUE(write_text(link, "new").empty());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path).permissions()), 0640);
  EXPECT_EQ(folder.files(), 2);
}

TEST_F(File, TwoWritersDoNotMix) {
  auto one = OutputFile::create(path), two = OutputFile::create(path);
  ASSERT_TRUE(one && two);
  ASSERT_TRUE(one->append(bytes_of("one")).empty());
  ASSERT_TRUE(two->append(bytes_of("two")).empty());
  ASSERT_TRUE(one->commit().empty());
  EXPECT_EQ(read_bytes(path), "one");
  ASSERT_TRUE(two->commit().empty());
  EXPECT_EQ(read_bytes(path), "two");
  EXPECT_EQ(folder.files(), 1);
}

// A limit on the size of files stands for a full disk.
TEST_F(File, AFailedWriteLeavesTheOldFile) {
  const Tensor small(DType::f32, {4}), large(DType::f32, {100'000});
  ASSERT_TRUE(write_npy(path, small).empty());
  const auto old = read_bytes(path);
  struct rlimit limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const struct rlimit lower { 100'000, limit.rlim_max };
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &lower), 0);
  const auto diags = write_npy(path, large);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, handler);
  expect_environment(diags, "cannot write " + path + ": File too large");
  EXPECT_EQ(read_bytes(path), old);
  EXPECT_EQ(folder.files(), 1);
}

}  // namespace
}  // namespace tessera
