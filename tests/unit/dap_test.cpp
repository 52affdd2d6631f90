// The debug adapter: pauses, and behaviour with hostile clients.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/data/splitmix.h"
#include "core/report/finding.h"
#include "debugger/dap/debug_adapter.h"
#include "tests/source_dir.h"
#include "tests/unit/dap_support.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using test::Asked;
using test::Conversation;
using test::SaidPieces;

constexpr const char* long_kernel = R"(kernel long_one(times = 3000000)
  in  a:   i32[8] hbm
  out out: i32[8] hbm
{
  for i in times { copy a -> out }
}
)";

constexpr const char* short_kernel = R"(kernel short_one(rows = 4)
  in  a:   f32[rows, 8] hbm
  out out: f32[rows, 8] hbm
  vmem slot: f32[rows, 8]
  sem landed[2]: bytes
{
  for i in 3 {
    start a -> slot, landed[i mod 2]
    wait landed[i mod 2] for slot
  }
  copy slot -> out
}
)";

std::string file_with(const TemporaryFolder& folder, const char* text) {
  const std::string file = folder.file("program.tsr");
  write_bytes(file, text);
  return file;
}

// All that is written for these bytes, and whether they were a conversation.
struct Heard {
  std::string out;
  bool is_fine = false;
};
Heard receive(const std::vector<std::string>& words, const std::vector<std::string>& pieces,
              bool is_ready = false) {
  const auto arguments = cli::parse_arguments(cli::target_options(words), words);
  SaidPieces said(pieces, is_ready);
  debugger::MessageReader reader(said);
  std::ostringstream out;
  debugger::DebugAdapter adapter(reader, out, cli::dap_target(*arguments));
  const bool is_fine = static_cast<bool>(adapter.serve());
  return {out.str(), is_fine};
}

TEST(Dap, a_pause_ends_a_movement_on_its_way) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"dap", file_with(folder, long_kernel)};
  const Heard heard =
      receive(words,
              {test::request(1, "initialize"), test::request(2, "launch"),
               test::request(3, "configurationDone"), test::request(4, "pause"),
               test::request(5, "evaluate", R"({"expression": "info", "context": "repl"})"),
               test::request(6, "disconnect")},
              true);
  EXPECT_TRUE(heard.is_fine);
  const std::size_t pause = heard.out.find(R"("command":"pause")");
  const std::size_t stopped = heard.out.find(R"("reason":"pause")");
  EXPECT_NE(stopped, std::string::npos) << heard.out;
  EXPECT_LT(pause, stopped);
  EXPECT_EQ(heard.out.find("has finished"), std::string::npos) << heard.out;
}

TEST(Dap, a_client_that_leaves_does_not_wait_for_the_end) {
  const TemporaryFolder folder;
  const Heard heard =
      receive({"dap", file_with(folder, long_kernel)},
              {test::request(1, "initialize"), test::request(2, "launch"),
               test::request(3, "configurationDone"), test::request(4, "disconnect")},
              true);
  EXPECT_TRUE(heard.is_fine);
  EXPECT_EQ(heard.out.find("\"stopped\""), std::string::npos) << heard.out;
}

TEST(Dap, its_json_is_not_that_of_json) {
  std::ostringstream out, err;
  EXPECT_EQ(cli::run({"dap", "--json"}, out, err), 2);
  EXPECT_NE(out.str().find("the JSON of its protocol"), std::string::npos);
}

TEST(Dap, every_kind_of_finding_is_a_filter) {
  const auto answers = Conversation::hold({"dap"}, {{"initialize"}});
  const Json& filters = *answers.at(0).at(0).find("body")->find("exceptionBreakpointFilters");
  ASSERT_EQ(filters.elements().size(), finding_kinds().size());
  for (std::size_t i = 0; i < finding_kinds().size(); ++i)
    EXPECT_EQ(filters.elements()[i].find("filter")->text(), name(finding_kinds()[i]));
}

TEST(Dap, sources_of_the_binary_are_there_to_be_read) {
  const auto answers = Conversation::hold(
      {"dap", test::source_dir() + "/examples/right_permute.tsr", "--devices", "2"},
      {{"initialize"},
       {"launch"},
       {"stackTrace", R"({"threadId": 1})"},
       {"source", R"({"sourceReference": 2})"},
       {"source", R"({"sourceReference": 1})"}});
  const Json& body = *answers.at(3).at(0).find("body");
  EXPECT_NE(body.find("content")->text().find("function neighbour_barrier"), std::string::npos);
  EXPECT_EQ(answers.at(4).at(0).find("message")->text(), "no source has the number 1");
}

// Each request with each value in the place of its arguments and of each of their members gets one
// response.
TEST(Dap, whatever_is_asked_gets_one_response) {
  const TemporaryFolder folder;
  const std::vector<std::string> commands = {
      "initialize",     "launch",    "attach",
      "setBreakpoints", "variables", "setExceptionBreakpoints",
      "scopes",         "source",    "dataBreakpointInfo",
      "evaluate",       "threads",   "setDataBreakpoints",
      "stackTrace",     "next",      "exceptionInfo",
      "completions",    "stepBack",  "stepIn",
      "stepOut",        "continue",  "reverseContinue",
      "pause",          "nothing",   "configurationDone"};
  const std::vector<std::string> members = {"threadId",   "frameId",     "variablesReference",
                                            "source",     "breakpoints", "filters",
                                            "expression", "text",        "column",
                                            "start",      "count",       "filter",
                                            "name",       "levels",      "startFrame",
                                            "context",    "granularity", "sourceReference"};
  const std::vector<std::string> values = {"null",
                                           "-1",
                                           "1",
                                           "4611686018427387904",
                                           "1e300",
                                           "\"\"",
                                           "\"slot[\"",
                                           "\"slot[0, 0]\"",
                                           "[]",
                                           "{}",
                                           "[{}]",
                                           "[[]]",
                                           R"({"path": "program.tsr"})",
                                           R"([{"line": -5}])",
                                           R"([{"line": 1, "condition": "= == && ,"}])",
                                           R"("\u0000{text}")"};
  const std::map<std::string, std::string> good = {
      {"threadId", "1"}, {"frameId", "1"}, {"name", "\"slot\""}, {"expression", "\"slot\""}};
  std::vector<Asked> asked = {{"initialize"}, {"launch"}, {"configurationDone"}};
  for (const std::string& command : commands)
    for (const std::string& member : members)
      for (const std::string& value : values) {
        std::map<std::string, std::string> one = good;
        one[member] = value;
        std::string arguments;
        for (const auto& [name, text] : one)
          arguments += (arguments.empty() ? "{\"" : ", \"") + name + "\": " + text;
        asked.push_back({command, arguments + "}"});
      }
  const auto answers = Conversation::hold({"dap", file_with(folder, short_kernel)}, asked);
  ASSERT_EQ(answers.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    int responses = 0;
    for (const Json& message : answers[i])
      if (message.find("type")->text() == "response") ++responses;
    EXPECT_EQ(responses, 1) << asked[i].command << " " << asked[i].arguments;
  }
}

// Bytes of a good conversation, some of them changed, left out or repeated.
TEST(Dap, no_bytes_break_it) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"dap", file_with(folder, short_kernel)};
  std::string good;
  int seq = 0;
  for (const Asked& one : std::vector<Asked>{
           {"initialize", R"({"linesStartAt1": true})"},
           {"launch", R"({"stopOnEntry": true})"},
           {"setBreakpoints", R"({"source": {"name": "x"}, "breakpoints": [{"line": 8}]})"},
           {"configurationDone"},
           {"next", R"({"threadId": 1})"},
           {"stackTrace", R"({"threadId": 1})"},
           {"scopes", R"({"frameId": 1})"},
           {"variables", R"({"variablesReference": 2, "start": 0, "count": 2})"},
           {"evaluate", R"({"expression": "slot[0, :]", "context": "hover"})"},
           {"disconnect"}})
    good += test::request(++seq, one.command, one.arguments);
  EXPECT_TRUE(receive(words, {good}).is_fine);
  SplitMix random(7);
  int fine = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = good;
    for (std::size_t change = 1 + random.below(3); change > 0; --change) {
      const std::size_t at = random.below(bytes.size());
      const std::size_t many = 1 + random.below(40);
      switch (random.below(4)) {
        case 0:
          bytes[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes.erase(at, many);
          break;
        case 2:
          bytes.insert(at, bytes.substr(random.below(bytes.size()), many));
          break;
        default:
          bytes[at] = "0123456789{}[]\",:-"[random.below(18)];
      }
      if (bytes.empty()) bytes = "x";
    }
    fine += receive(words, {bytes}).is_fine ? 1 : 0;
  }
  EXPECT_GT(fine, 10);
  EXPECT_LT(fine, 390);
}

}  // namespace
}  // namespace tessera
