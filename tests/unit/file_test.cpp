// Files are replaced atomically or remain unchanged. A file that cannot be opened is an environment
// error.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "cli/termination.h"
#include "core/data/npy.h"
#include "core/host/output_file.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
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
  EXPECT_TRUE(file->read(4, std::as_writable_bytes(std::span(text))));
  EXPECT_EQ(text, "456");
  expect_environment(file->read(8, std::as_writable_bytes(std::span(text))).diags(),
                     "cannot read " + path + ": the file ended early");
}

TEST_F(File, WhatCannotBeOpened) {
  expect_environment(InputFile::open(path).diags(),
                     "cannot open " + path + ": No such file or directory");
  expect_environment(InputFile::open(folder.file("")).diags(),
                     "cannot open " + folder.file("") + ": not a regular file but a folder");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_environment(InputFile::open(path).diags(),
                     "cannot open " + path + ": not a regular file but a pipe");
  expect_environment(InputFile::open("/dev/zero").diags(),
                     "cannot open /dev/zero: not a regular file but a device");
}

TEST_F(File, IsReadWholeUpToTheSizeOfItsKind) {
  constexpr FileKind kind{"a note", 10};
  write_bytes(path, "0123456789");
  const auto text = read_whole(path, kind);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "0123456789");
  write_bytes(path, "0123456789a");
  const auto larger = read_whole(path, kind);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.diags()[0].code, ErrorCode::invalid_value);
  EXPECT_EQ(larger.diags()[0].message,
            "cannot read " + path + ": it has 11 bytes, and a note has at most 10");
  // A sparse file that is too large is rejected before it is read.
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_FALSE(read_whole(path, file_kinds::program));
  // System files report size 0.
  const auto status = read_whole("/proc/self/status", file_kinds::system);
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("VmRSS"), std::string::npos);
  EXPECT_FALSE(read_whole("/proc/self/status", kind));
}

TEST_F(File, WhatCannotBeWritten) {
  const auto missing = folder.file("no/x");
  expect_environment(OutputFile::create(missing).diags(),
                     "cannot write " + missing + ": No such file or directory");
  expect_environment(OutputFile::create("/dev/null").diags(),
                     "cannot write /dev/null: not a regular file but a device");
  expect_environment(OutputFile::create(folder.file("")).diags(),
                     "cannot write " + folder.file("") + ": not a regular file but a folder");
  EXPECT_EQ(folder.files(), 0);
}

TEST_F(File, WithoutCommitNothingChanges) {
  write_bytes(path, "old");
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(bytes_of("new")));
    EXPECT_LE(folder.files(), 2);  // 1 if the file system supports unnamed files
    EXPECT_EQ(read_bytes(path), "old");
  }
  EXPECT_EQ(folder.files(), 1);
  EXPECT_EQ(read_bytes(path), "old");
}

// A read-only file is an error before the write, although a rename would succeed.
TEST_F(File, AReadOnlyFileIsNotReplaced) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  write_bytes(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  expect_environment(OutputFile::create(path).diags(),
                     "cannot write " + path + ": Permission denied");
}

// Kills a process during a write.
void expect_nothing_left(int signal) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cli::end_without_temporary_files();
    auto one = OutputFile::create(folder.file("one")), two = OutputFile::create(folder.file("two"));
    auto three = OutputFile::create(folder.file("three"));
    if (!one || !two || !three) ::_exit(1);
    if (!one->append(std::string(1 << 20, 'x')) || !three->commit()) ::_exit(2);
    std::raise(signal);
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
  EXPECT_EQ(folder.files(), 1) << signal;
  EXPECT_TRUE(std::filesystem::exists(folder.file("three")));
}

TEST_F(File, ASignalLeavesNoTemporaryFile) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGKILL}) expect_nothing_left(signal);
}

// Several threads register and release file names concurrently.
TEST_F(File, NamesAreHeldByManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto file = OutputFile::create(folder.file("f" + std::to_string(t)));
        if (file && i % 2 == 0) {
          EXPECT_TRUE(file->append("text") && file->commit());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(folder.files(), 8);
}

TEST_F(File, CommitKeepsModeAndFollowsLinks) {
  write_bytes(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const auto link = folder.file("link");
  std::filesystem::create_symlink("x", link);
  ASSERT_TRUE(write_whole(link, "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path).permissions()), 0640);
  EXPECT_EQ(folder.files(), 2);
  // Also for chains of links to a missing file, but not for cycles.
  std::filesystem::create_symlink("link", folder.file("far"));
  std::filesystem::remove(path);
  ASSERT_TRUE(write_whole(folder.file("far"), "newer"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("far")) && std::filesystem::is_symlink(link));
  EXPECT_EQ(read_bytes(path), "newer");
  std::filesystem::create_symlink("circle", folder.file("circle"));
  expect_environment(
      write_whole(folder.file("circle"), "text").diags(),
      "cannot write " + folder.file("circle") + ": Too many levels of symbolic links");
}

TEST_F(File, TwoWritersDoNotMix) {
  auto one = OutputFile::create(path), two = OutputFile::create(path);
  ASSERT_TRUE(one && two);
  ASSERT_TRUE(one->append(bytes_of("one")));
  ASSERT_TRUE(two->append(bytes_of("two")));
  ASSERT_TRUE(one->commit());
  EXPECT_EQ(read_bytes(path), "one");
  ASSERT_TRUE(two->commit());
  EXPECT_EQ(read_bytes(path), "two");
  EXPECT_EQ(folder.files(), 1);
}

// A file size limit simulates a full disk.
TEST_F(File, AFailedWriteLeavesTheOldFile) {
  const Tensor small(DType::f32, {4}), large(DType::f32, {100'000});
  ASSERT_TRUE(write_npy(path, small));
  const auto old = read_bytes(path);
  struct rlimit limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const struct rlimit lower { 100'000, limit.rlim_max };
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &lower), 0);
  const auto written = write_npy(path, large);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, handler);
  expect_environment(written.diags(), "cannot write " + path + ": File too large");
  EXPECT_EQ(read_bytes(path), old);
  EXPECT_EQ(folder.files(), 1);
}

}  // namespace
}  // namespace tessera
