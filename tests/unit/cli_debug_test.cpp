// The debug command: its options in addition to the options of the debugged command, scripts that
// return to the same place, and the position at which the debugger opens a run with findings.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/command.h"
#include "core/data/tensor_file.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

struct Ran {
  int code = 0;
  std::string out, err;
  bool has(const std::string& text) const { return out.find(text) != std::string::npos; }
};

Ran gmm_run(const std::vector<std::string>& words, const std::string& input = {}) {
  std::ostringstream out, err;
  std::istringstream in(input);
  std::streambuf* const before = std::cin.rdbuf(in.rdbuf());
  const int code = run(words, out, err);
  std::cin.rdbuf(before);
  std::cin.clear();
  return {code, out.str(), err.str()};
}

int times(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Returns the output of a session from the last command on.
std::string last_answer(const std::string& out) { return out.substr(out.rfind("\n> ") + 1); }

constexpr const char* two_slots = R"(kernel two_slots(blocks = 3)
  in  a:   i32[blocks, 4, 8] hbm
  out out: i32[blocks, 4, 8] hbm
  vmem slot: i32[2, 4, 8]
  sem  landed: bytes
{
  for i in blocks {
    now = i mod 2
    start a[i, :, :] -> slot[now, :, :], landed
    wait landed for slot[now, :, :]
    copy slot[now, :, :] -> out[i, :, :]
  }
}
)";

class CliDebug : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string written(const std::string& name, const std::string& text) const {
    write_bytes(file(name), text);
    return file(name);
  }
  std::string program() const { return written("p.tsr", two_slots); }

 private:
  TemporaryFolder folder_;
};

TEST_F(CliDebug, a_script_of_x_is_one_of_script) {
  const std::string script = written("s", "next\nprint slot[0, 0, :]\n");
  const Ran named = gmm_run({"debug", program(), "--script", script, "--batch"});
  EXPECT_EQ(named.code, 0) << named.err;
  const Ran brief = gmm_run({"debug", program(), "-x", script, "--batch"});
  EXPECT_EQ(brief.code, 0) << brief.err;
  EXPECT_EQ(named.out, brief.out);
  // An option value may look like an option.
  EXPECT_EQ(gmm_run({"debug", program(), "--commands", "-x", "--batch"}).err.find("error: there"),
            0U);
  EXPECT_EQ(gmm_run({"run", program(), "-x", script}).code, 2);
}

TEST_F(CliDebug, an_option_of_the_operation_keeps_its_name) {
  const std::vector<std::string> words = {"debug",   "ragged-dot", "--group-sizes", "2,3",
                                          "--k",     "4",          "--n",           "4",
                                          "--batch", "2",          "--commands",    "info"};
  std::vector<std::string> in_batch = words;
  in_batch.push_back("--debug-batch");
  const Ran ran = gmm_run(in_batch, "goto 5\n");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(ran.has("event 5"));
  EXPECT_TRUE(gmm_run(words, "goto 5\n").has("event 5"));
  EXPECT_EQ(gmm_run({"debug", program(), "--debug-batch"}).code, 2);
}

TEST_F(CliDebug, no_command_has_two_options_of_one_name) {
  for (const Command& command : commands()) {
    for (const Command& target : commands()) {
      Options options = all_options(command);
      if (command.resolve)
        options =
            all_options(command.resolve({std::string(command.name), std::string(target.name)}));
      std::set<std::string_view> names;
      for (const Option& option : options)
        EXPECT_TRUE(names.insert(option.name).second)
            << command.name << " " << target.name << " --" << option.name;
    }
  }
}

// A stop that was set relative to the current place is saved with that place.
TEST_F(CliDebug, a_saved_script_sets_the_same_stops) {
  const std::string script = file("there");
  const Ran saved = gmm_run({"debug", program(), "--devices", "2", "--commands",
                             "break 8 i=1 dev1; continue; watch slot[now, 0, :]; break " +
                                 file("p.tsr") + ":10 dev1; watch landed; save " + script,
                             "--batch"});
  ASSERT_EQ(saved.code, 0) << saved.out << saved.err;
  const std::string told = last_answer(saved.out);
  const std::string commands = "info; info breakpoints; continue; continue; continue";
  const Ran again = gmm_run(
      {"debug", program(), "--devices", "2", "-x", script, "--commands", commands, "--batch"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_TRUE(again.has("watch dev1.core0.slot[1, 0, 0 .. 8]\n")) << again.out;
  EXPECT_TRUE(again.has("break " + file("p.tsr") + ":10 dev1\n")) << again.out;
  EXPECT_TRUE(again.has("watch dev1.core0.landed\n")) << again.out;
  EXPECT_TRUE(again.has("*> dev1.core0")) << again.out;
  EXPECT_TRUE(again.has("has written dev1.core0.slot[1, 0, 0 .. 8]")) << again.out;
}

constexpr const char* racy = R"(kernel racy(rows = 4)
  in  a:   f32[rows, 8] hbm
  out out: f32[rows, 8] hbm
  vmem x:  f32[rows, 8]
  sem  s:  bytes
{
  for i in 2 {
    start a -> x, s
    x = x * 2.0
    wait s for x
    copy x -> out
  }
}
)";

TEST_F(CliDebug, a_finding_of_the_whole_run_opens_at_its_event_and_is_told_once) {
  const std::string text = std::string(racy);
  const Ran ran =
      gmm_run({"run", written("r.tsr", text), "--interpret", "--debug-on-finding",
               "--copy-granularity", "partial", "--uninitialised", "use", "--fill", "integers"},
              "info devices\n");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_EQ(times(ran.out, ": race:"), 1) << ran.out;
  EXPECT_TRUE(ran.has("race: the next event is the one that it describes\n")) << ran.out;
}

TEST_F(CliDebug, a_race_opens_before_the_undefined_read_that_follows_from_it) {
  const std::string text =
      "kernel k()\n  in  a: f32[8] hbm\n  out out: f32[8] hbm\n  vmem x: f32[8]\n  vmem y: f32[8]\n"
      "  sem  s: bytes\n{\n  start a -> x, s\n  y = x\n  y = y * 2.0\n  copy y -> out\n"
      "  wait s for x\n}\n";
  const Ran ran = gmm_run({"run", written("v.tsr", text), "--interpret", "--debug-on-finding",
                           "--copy-granularity", "partial", "--schedule",
                           "steps:dev0.core0,dev0.core0/dma#0@1:r,dev0.core0/dma#0:w7,dev0.core0,"
                           "dev0.core0/dma#0:w"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_TRUE(ran.has("race: the next event is the one that it describes\n")) << ran.out;
  EXPECT_TRUE(ran.has("v.tsr:9")) << ran.out;
}

TEST_F(CliDebug, a_source_without_its_text_is_named) {
  const std::string text =
      "kernel k()\n  in  a: f32[8] hbm\n  out out: f32[8] hbm\n{\n# line 7 \"elsewhere.py\"\n"
      "  copy a -> out\n}\n";
  const Ran ran = gmm_run({"debug", written("l.tsr", text), "--batch", "--commands", "step; list"});
  EXPECT_TRUE(ran.has("elsewhere.py:7")) << ran.out;
  EXPECT_FALSE(ran.has("7 | \n")) << ran.out;
  EXPECT_NE(ran.err.find("error: the text of elsewhere.py is not available: a `# line` of the "
                         "program names it\n"),
            std::string::npos)
      << ran.out << ran.err;
}

TEST_F(CliDebug, a_finding_of_a_step_is_told_once) {
  const std::string text =
      "kernel k()\n  out out: f32[4] hbm\n  vmem x: f32[4]\n{\n  copy x -> out\n}\n";
  const Ran ran = gmm_run({"run", written("u.tsr", text), "--interpret", "--debug-on-finding",
                           "--uninitialised", "strict"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_EQ(times(ran.out, "error") + times(ran.out, ": uninitialised_read:") +
                times(ran.out, ": never_written:"),
            1)
      << ran.out;
  EXPECT_TRUE(ran.has("event ")) << ran.out;
}

TEST_F(CliDebug, a_wrong_value_opens_where_it_is_written) {
  const std::string text =
      "kernel k(n = 3)\n  in  a: i32[n, 4] hbm\n  out out: i32[n, 4] hbm\n{\n"
      "  for i in n { copy a[i, :] -> out[i, :] }\n}\n";
  const Ran ran =
      gmm_run({"run", written("w.tsr", text), "--interpret", "--debug-on-finding", "--in",
               "a=0,1,2,3,4,5,6,7,8,9,10,11", "--expect", "out=0,1,2,3,4,5,0,7,8,9,10,11"},
              "print out[1, :]\nstepi\nprint out[1, :]\n");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_EQ(times(ran.out, ": mismatch:"), 1) << ran.out;
  EXPECT_TRUE(ran.has("mismatch: the next event is the one that it describes\n")) << ran.out;
  EXPECT_TRUE(ran.has("i=1")) << ran.out;
}

TEST_F(CliDebug, a_dead_store_opens_where_it_is) {
  const std::string text =
      "kernel k()\n  in  a: f32[4] hbm\n  out out: f32[4] hbm\n  vmem x: f32[4]\n{\n"
      "  x = 1.0\n  copy a -> x\n  copy x -> out\n}\n";
  const Ran ran = gmm_run(
      {"run", written("d.tsr", text), "--interpret", "--debug-on-finding", "--strict-values"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_EQ(times(ran.out, ": dead_store:"), 1) << ran.out;
  EXPECT_TRUE(ran.has("dead_store: the next event is the one that it describes\n")) << ran.out;
  EXPECT_TRUE(ran.has("event 0")) << ran.out;
}

TEST_F(CliDebug, nothing_that_was_read_is_overwritten) {
  const std::string text =
      "kernel k()\n  in  a: f32[2] hbm\n  out o: f32[2] hbm\n{\n  copy a -> o\n}\n";
  const std::string kernel = written("k.tsr", text), script = written("s.txt", "continue\n");
  ASSERT_EQ(gmm_run({"run", kernel, "--interpret", "--out", "a=" + file("a.npy")}).code, 0);
  const std::string operand = read_bytes(file("a.npy"));
  std::filesystem::create_symlink(kernel, file("link"));
  for (const std::string& place : {kernel, file("a.npy"), file("link"), script})
    for (const std::string& command : {"dump o " + place, "save " + place, "schedule " + place}) {
      const Ran ran = gmm_run({"debug", kernel, "--batch", "-x", script, "--in",
                               "a=" + file("a.npy"), "--commands", command});
      EXPECT_EQ(ran.code, 2) << command;
      EXPECT_NE(ran.err.find("other than the inputs"), std::string::npos) << ran.err;
    }
  EXPECT_EQ(read_bytes(kernel), text);
  EXPECT_EQ(read_bytes(file("a.npy")), operand);
  EXPECT_EQ(read_bytes(script), "continue\n");
  EXPECT_EQ(gmm_run({"debug", kernel, "--batch", "--commands",
                     "continue; dump o " + file("o.npy") + "; dump o " + file("o.npy")})
                .code,
            0);
}

std::vector<double> values(const std::string& path) {
  const Expected<Tensor> tensor = load_tensor(path);
  EXPECT_TRUE(tensor) << path;
  std::vector<double> all;
  for (std::int64_t i = 0; tensor && i < tensor->elements(); ++i) all.push_back(tensor->at(i));
  return all;
}

TEST_F(CliDebug, memory_is_dumped_at_a_line_an_event_and_the_end) {
  std::vector<std::string> words = {"run", program(), "--interpret", "--devices", "2"};
  for (const std::string& more :
       {"slot[now, 0, 0 .. 2]@10,i=1,dev1=" + file("line.npy"), "dev1.out@end=" + file("end.npy"),
        "slot@event:0=" + file("zero=.npy"), "a@end dev1=" + file("a1.npy")}) {
    words.push_back("--dump");
    words.push_back(more);
  }
  words.insert(words.end(), {"--out", "out@1=" + file("out.npy")});
  const Ran done = gmm_run(words);
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(done.has("dumped    dev1 slot[1, 0, 0 .. 2] at event ")) << done.out;
  EXPECT_TRUE(done.has("dev0 slot[0 .. 2, 0 .. 4, 0 .. 8] at event 0 -> " + file("zero=.npy") +
                       "; not all of its elements are defined"))
      << done.out;
  EXPECT_EQ(values(file("end.npy")), values(file("out.npy")));
  const std::vector<double> a = values(file("a1.npy")), line = values(file("line.npy"));
  ASSERT_EQ(line.size(), 2U);
  EXPECT_EQ(line[0], a[32]);
  EXPECT_EQ(line[1], a[33]);
}

TEST_F(CliDebug, an_operation_dumps_as_a_program_does) {
  const Ran ran = gmm_run({"gmm", "--group-sizes", "3,5", "--k", "8", "--n", "8", "--interpret",
                           "--dump", "out@end=" + file("o.npy"), "--out", file("out.npy")});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(values(file("o.npy")), values(file("out.npy")));
}

TEST_F(CliDebug, a_dump_that_cannot_be_is_refused_or_told) {
  const auto dumped = [&](const std::string& words, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"run", program(), "--interpret", "--dump", words};
    all.insert(all.end(), more.begin(), more.end());
    return gmm_run(all);
  };
  const std::string to = "=" + file("x.npy");
  EXPECT_NE(dumped("slot@here" + to).err.find("--dump: expected NAME@PLACE=FILE"),
            std::string::npos);
  EXPECT_NE(dumped("slot" + to).err.find("--dump: expected NAME@PLACE=FILE"), std::string::npos);
  EXPECT_NE(dumped("slott@end" + to).err.find("nothing here is called `slott`"), std::string::npos);
  EXPECT_NE(dumped("slot@9,q=1" + to).err.find("`q` is the index of no loop around line 9"),
            std::string::npos);
  EXPECT_NE(dumped("landed@end" + to).err.find("is not memory"), std::string::npos);
  EXPECT_NE(dumped("out@end" + to, {"--no-math"}).err.find("--dump is about values"),
            std::string::npos);
  EXPECT_EQ(dumped("out@end" + to, {"--out", "out" + to}).code, 2);
  const Ran never = dumped("slot@9,i=7" + to);
  EXPECT_EQ(never.code, 2);
  EXPECT_TRUE(never.has("proved")) << never.out;  // the run is reported anyway
  EXPECT_NE(never.err.find("no core reached this place before the run ended"), std::string::npos)
      << never.err;
  EXPECT_EQ(dumped("out@end" + file("y.npy")).code, 2);
  EXPECT_EQ(gmm_run({"verify", program(), "--dump", "out@end" + to}).code, 2);
}

}  // namespace
}  // namespace tessera::cli
