// The debugger as a command: its options beside those of what it runs, scripts that lead to the
// same place again, and where a run with findings opens it.
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/command.h"
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
  // A value may look like it.
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

}  // namespace
}  // namespace tessera::cli
