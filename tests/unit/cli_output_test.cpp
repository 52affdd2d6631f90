// Output files of commands: if a file cannot be written, the command fails before it runs. Old
// files are not lost, and input files are not overwritten.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

struct Ran {
  int code = 0;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

Ran gmm_run(std::vector<std::string> words, const std::vector<std::string>& more = {}) {
  words.insert(words.end(), more.begin(), more.end());
  std::ostringstream out, err;
  const int code = run(words, out, err);
  return {code, out.str(), err.str()};
}

constexpr const char* program = R"(kernel k()
  in  a: f32[4, 128] hbm
  out o: f32[4, 128] hbm
  sem s: bytes
{
  start a -> o, s
  wait s for o
}
)";

class Outputs : public testing::Test {
 protected:
  Outputs() { write_bytes(file("p.tsr"), program); }
  std::string file(const std::string& name) const { return folder.file(name); }
  // Takes too long to run, so errors must be reported before the run.
  std::vector<std::string> endless() const {
    return {"gmm", "--m", "1000000", "--groups", "4", "--k", "4096", "--n", "65536", "--interpret"};
  }
  std::vector<std::string> small() const {
    return {"gmm", "--group-sizes", "3,5", "--k", "8", "--n", "8", "--interpret"};
  }
  TemporaryFolder folder;
};

TEST_F(Outputs, results_that_nothing_judges_are_saved) {
  write_bytes(file("q.tsr"),
              "kernel k()\n  in a: f32[1] hbm\n  out o: f32[1] hbm\n  vmem x: f32[1]\n{\n"
              "  copy a -> x\n  x = cast(cast(x, e4m3), f32)\n  copy x -> o\n}\n");
  const std::vector<std::string> words = {"run", file("q.tsr"), "--interpret", "--in", "a=1000"};
  const Ran ran = gmm_run(words, {"--expect", "o=1000", "--out", "o=" + file("o.npy")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("its error has no bound: it may be more than e4m3 holds"),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(gmm_run(words, {"--expect", "o=" + file("o.npy")}).code, 0);
}

TEST_F(Outputs, what_cannot_be_written_is_told_before_the_run) {
  const std::string missing = file("no/y");
  for (const std::string option : {"--trace", "--timeline", "--save-schedule"}) {
    const Ran ran = gmm_run(endless(), {option, missing, "--json"});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.json()["error"], "cannot write " + missing + ": No such file or directory");
  }
  EXPECT_EQ(gmm_run(endless(), {"--out", missing + ".npy"}).code, 3);
  EXPECT_EQ(gmm_run(endless(), {"--out", missing + ".safetensors#y"}).code, 3);
  EXPECT_EQ(gmm_run(endless(), {"--out", file("y.txt")}).code, 2);
  EXPECT_EQ(gmm_run(endless(), {"--out", file("y.safetensors")}).code, 2);
  EXPECT_EQ(gmm_run(endless(), {"--out", file("y.safetensors#\xFF")}).code, 2);
  EXPECT_EQ(gmm_run(endless(), {"--out", "/dev/null", "--trace", file("t")}).code, 2);
  const Ran ran = gmm_run({"run", file("p.tsr"), "--interpret", "--out", "o=" + missing + ".npy"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.err, "error: cannot write " + missing + ".npy: No such file or directory\n");
  EXPECT_EQ(gmm_run({"bench", "--suite", "interp", "--plot", missing}).code, 3);
  EXPECT_EQ(folder.files(), 1);
}

TEST_F(Outputs, a_file_to_which_a_tensor_cannot_be_added_is_told_before_the_run) {
  write_bytes(file("w.safetensors"), "not one");
  const Ran ran = gmm_run(endless(), {"--out", file("w.safetensors") + "#y"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(read_bytes(file("w.safetensors")), "not one");
}

TEST_F(Outputs, a_result_joins_the_tensors_of_an_existing_file) {
  const std::string w = file("w.safetensors");
  const std::vector<std::string> words = {"run", file("p.tsr"), "--interpret"};
  EXPECT_EQ(gmm_run(words, {"--out", "o=" + w + "#first"}).code, 0);
  const Ran ran = gmm_run(words, {"--out", "o=" + w + "#second"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const std::string name : {"#first", "#second"}) {
    const Ran same = gmm_run(words, {"--expect", "o=" + w + name});
    EXPECT_EQ(same.code, 0) << same.err;
  }
}

TEST_F(Outputs, a_timeline_is_of_a_whole_run_and_its_report_tells_the_time) {
  const Ran ran = gmm_run(small(), {"--timeline", file("t.pftrace"), "--no-math"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("\nsimulated "), std::string::npos) << ran.out;
  EXPECT_GT(read_bytes(file("t.pftrace")).size(), 1000);
  const Ran ended = gmm_run(small(), {"--timeline", file("u.pftrace"), "--max-steps", "9"});
  EXPECT_NE(ended.code, 0);
  EXPECT_NE(ended.err.find("no timeline is written: the run did not complete"), std::string::npos)
      << ended.err;
  EXPECT_FALSE(std::filesystem::exists(file("u.pftrace")));
}

TEST_F(Outputs, two_outputs_of_one_place_are_refused) {
  const std::string y = file("y.npy");
  const Ran ran = gmm_run(small(), {"--out", y, "--trace", y});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("both write " + y), std::string::npos) << ran.err;
  std::filesystem::create_symlink("y.npy", file("link"));
  EXPECT_EQ(gmm_run(small(), {"--save-schedule", file("link"), "--out", y}).code, 2);
  EXPECT_EQ(gmm_run(small(), {"--save-schedule", file("./y.npy"), "--out", y}).code, 2);
  const std::string w = file("w.safetensors");
  EXPECT_EQ(gmm_run(small(), {"--trace", w, "--out", w + "#y"}).code, 2);
  EXPECT_EQ(folder.files(), 2);
}

TEST_F(Outputs, tensors_of_one_file_are_places_of_their_own) {
  write_bytes(
      file("two.tsr"),
      "kernel k()\n  out a: i64[1] smem\n  out b: i64[1] smem\n{\n  a[0] = 1\n  b[0] = 2\n}\n");
  const std::string w = file("w.safetensors");
  const Ran ran = gmm_run({"run", file("two.tsr"), "--interpret"},
                          {"--out", "a=" + w + "#a", "--out", "b=" + w + "#b"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string bytes = read_bytes(w);
  EXPECT_NE(bytes.find("\"a\""), std::string::npos);
  EXPECT_NE(bytes.find("\"b\""), std::string::npos);
  EXPECT_EQ(gmm_run({"run", file("two.tsr"), "--interpret"},
                    {"--out", "a=" + w + "#a", "--out", "b=" + w + "#a"})
                .code,
            2);
}

TEST_F(Outputs, an_output_is_never_what_the_command_reads) {
  const std::string p = file("p.tsr"), a = file("a.npy");
  const Ran over = gmm_run({"run", p, "--interpret", "--trace", p});
  EXPECT_EQ(over.code, 2);
  EXPECT_EQ(over.err, "error: --trace would replace " + p + ", which the command reads\n");
  EXPECT_EQ(read_bytes(p), program);
  ASSERT_EQ(gmm_run({"run", p, "--interpret", "--out", "o=" + a}).code, 0);
  EXPECT_EQ(gmm_run({"run", p, "--interpret", "--in", "a=" + a, "--out", "o=" + a}).code, 2);
  EXPECT_EQ(
      gmm_run({"run", p, "--interpret", "--in", "a=" + a, "--out", "o=" + file("b.npy")}).code, 0);
  const std::string s = file("s");
  ASSERT_EQ(gmm_run({"run", p, "--interpret", "--save-schedule", s}).code, 0);
  EXPECT_EQ(
      gmm_run({"run", p, "--interpret", "--schedule", "replay:" + s, "--save-schedule", s}).code,
      2);
  EXPECT_EQ(gmm_run({"run", p, "--interpret", "--schedule", "replay:" + s}).code, 0);
}

TEST_F(Outputs, a_trace_is_written_as_the_run_goes_and_whole_at_its_end) {
  const std::string t = file("t");
  write_bytes(t, "old");
  const Ran ran = gmm_run({"run", file("p.tsr"), "--interpret", "--trace", t});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string text = read_bytes(t);
  EXPECT_NE(text.find("dev0.core0/dma#0"), std::string::npos) << text;
  EXPECT_EQ(gmm_run({"run", file("p.tsr"), "--interpret", "--trace", "-"}).err, text);
  EXPECT_EQ(folder.files(), 2);
}

// A file size limit simulates a full disk.
class FullDisk : public Outputs {
 protected:
  ~FullDisk() override {
    if (!is_full_) return;
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }
  void fill_it() {
    is_full_ = true;
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit_), 0);
    const struct rlimit lower { 1000, limit_.rlim_max };
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &lower), 0);
  }

 private:
  bool is_full_ = false;
  void (*handler_)(int) = SIG_DFL;
  struct rlimit limit_ {};
};

TEST_F(FullDisk, the_report_of_a_run_is_not_lost_with_its_outputs) {
  const std::string y = file("y.npy"), t = file("t");
  const std::vector<std::string> outputs = {"--out", y, "--trace", t, "--n", "256"};
  fill_it();
  std::vector<std::string> words = {"gmm", "--group-sizes", "30,50", "--k", "8", "--interpret"};
  const Ran text = gmm_run(words, outputs);
  EXPECT_EQ(text.code, 3);
  EXPECT_NE(text.out.find("kernel    gmm_"), std::string::npos) << text.out;
  EXPECT_EQ(text.err, "error: cannot write " + t + ": File too large\nerror: cannot write " + y +
                          ": File too large\n");
  words.emplace_back("--json");
  const nlohmann::json object = gmm_run(words, outputs).json();
  EXPECT_EQ(object["status"], "environment");
  EXPECT_EQ(object["errors"].size(), 2u);
  EXPECT_EQ(object["shape"]["k"], 8);
  EXPECT_GT(object["steps"], 0);
  EXPECT_EQ(folder.files(), 1);
}

TEST_F(FullDisk, fmt_leaves_the_users_text_as_it_was) {
  std::string text = "kernel k()\n  out o: i64[1] smem\n{\n";
  for (int i = 0; i < 60; ++i) text += "if device {o[0]=1}\n";
  text += "}\n";
  const std::string f = file("f.tsr");
  write_bytes(f, text);
  fill_it();
  EXPECT_EQ(gmm_run({"fmt", "--write", f}).code, 3);
  EXPECT_EQ(read_bytes(f), text);
  EXPECT_EQ(folder.files(), 2);
}

TEST_F(Outputs, what_is_read_is_a_regular_file_of_bounded_size) {
  const std::string pipe = file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", pipe},
        {"fmt", pipe},
        {"run", pipe, "--interpret"},
        {"verify", pipe},
        {"bench", "--from", pipe},
        {"run", file("p.tsr"), "--interpret", "--schedule", "replay:" + pipe},
        {"run", file("p.tsr"), "--interpret", "--in", "a=" + pipe + ".npy"},
        {"gmm", "--group-sizes", "3", "--k", "8", "--n", "8", "--interpret", "--config", pipe}}) {
    const Ran ran = gmm_run(words, {"--json"});
    EXPECT_EQ(ran.code, 3) << words[0];
    EXPECT_EQ(ran.json()["status"], "environment") << words[0];
  }
  EXPECT_EQ(gmm_run({"check", "/dev/zero"}).err,
            "error: cannot open /dev/zero: not a regular file but a device\n");
  const std::string large = file("large.tsr");
  write_bytes(large, "");
  std::filesystem::resize_file(large, std::uintmax_t{3} << 30);
  const Ran ran = gmm_run({"check", large});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "error: cannot read " + large +
                         ": it has 3221225472 bytes, and a program has at most 16777216\n");
}

TEST_F(Outputs, a_filter_has_a_largest_length) {
  const Ran ran = gmm_run({"bench", "--filter", std::string(100'000, 'a')});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "error: --filter has at most 1000 characters, got 100000\n");
}

}  // namespace
}  // namespace tessera::cli
