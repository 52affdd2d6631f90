#include "cli/cli.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/command.h"
#include "tests/source_dir.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

struct Ran {
  int exit_code;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

Ran gmm_run(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  const int exit_code = run(args, out, err);
  return {exit_code, out.str(), err.str()};
}

const std::vector<std::string> small_gmm = {
    "gmm", "--group-sizes", "5,0,9", "--k", "12", "--n", "7", "--tiling", "8,8,8", "--interpret"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Cli, no_command_shows_the_commands_and_is_bad_input) {
  const Ran ran = gmm_run({});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("commands"), std::string::npos);
}

TEST(Cli, help_begins_with_examples) {
  for (const char* command :
       {"gmm", "tgmm", "sharded-gmm", "ep-gmm", "ring-of-experts", "ragged-all-to-all", "run",
        "check", "fmt", "expand", "emit", "list", "ops", "explain", "fuzz", "bench"}) {
    const Ran ran = gmm_run({command, "--help"});
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_TRUE(ran.out.starts_with("examples\n  gmm-run " + std::string(command))) << ran.out;
    EXPECT_NE(ran.out.find("--json"), std::string::npos) << command;
    EXPECT_EQ(ran.err, "") << command;
  }
  EXPECT_TRUE(gmm_run({"--help"}).out.starts_with("examples\n"));
  EXPECT_EQ(gmm_run({"-h"}).out, gmm_run({"--help"}).out);
  EXPECT_EQ(gmm_run({"gmm", "-h"}).out, gmm_run({"gmm", "--help"}).out);
  EXPECT_EQ(gmm_run({"help", "gmm"}).out, gmm_run({"gmm", "--help"}).out);
  EXPECT_EQ(gmm_run({"-V"}).out, gmm_run({"--version"}).out);
}

// Examples that read no file.
TEST(Cli, the_examples_of_what_only_tells_run) {
  const TemporaryFolder folder;
  int examples = 0;
  for (const Command& command : commands()) {
    if (command.name != "list" && command.name != "ops" && command.name != "explain" &&
        command.name != "graph")
      continue;
    std::istringstream lines{std::string(command.examples)};
    for (std::string line; std::getline(lines, line);) {
      if (line.find(".tsr") != std::string::npos) continue;
      std::istringstream in(line.substr(0, line.find(" > ")));
      std::vector<std::string> words;
      for (std::string word; in >> word;)
        words.push_back(word.ends_with(".svg") ? folder.file(word) : word);
      ASSERT_EQ(words.at(0), "gmm-run");
      words.erase(words.begin());
      const Ran ran = gmm_run(words);
      EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
      ++examples;
    }
  }
  EXPECT_GE(examples, 9);
}

TEST(Cli, an_unknown_command_gets_a_near_match) {
  const Ran ran = gmm_run({"gnm"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(ran.err.starts_with("error: there is no command 'gnm'; did you mean 'gmm'?\n"))
      << ran.err;
}

TEST(Cli, json_is_the_only_thing_on_standard_output) {
  const Ran ran = gmm_run(with(small_gmm, {"--json"}));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
  const nlohmann::json json = ran.json();
  ASSERT_TRUE(json.is_object()) << ran.out;
  for (const char* field :
       {"status", "device", "kernel", "shape", "tiling", "wall_seconds", "flops", "max_abs_error",
        "max_error_over_bound", "checked_rows", "trace_hash", "findings"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["device"], "interpreter");
  EXPECT_EQ(json["flops"], 2 * 14 * 12 * 7);
  EXPECT_EQ(json["checked_rows"], 14);
  EXPECT_LE(json["max_error_over_bound"], 1.0);
  EXPECT_EQ(json["findings"], nlohmann::json::array());
}

TEST(Cli, errors_are_json_as_well) {
  const Ran ran = gmm_run({"gmm", "--m", "x", "--json"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.json()["status"], "bad_input");
  EXPECT_EQ(ran.json()["error"], "--m: expected an integer of at least 0, found 'x'");
  EXPECT_EQ(gmm_run({"nothing", "--json"}).json()["status"], "bad_input");
}

TEST(Cli, a_file_that_is_not_there_is_the_environment) {
  const Ran ran = gmm_run({"check", "no/such/file.tsr", "--json"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.json()["status"], "environment");
  EXPECT_EQ(gmm_run({"run", "no/such/file.tsr"}).exit_code, 3);
}

TEST(Cli, cuda_without_a_gpu_is_the_environment) {
  const Ran ran =
      gmm_run({"gmm", "--group-sizes", "4", "--k", "4", "--n", "4", "--device", "cuda", "--json"});
  if (ran.json()["status"] == "ok") GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.json()["status"], "environment");
}

TEST(Cli, options_that_do_not_apply_are_refused) {
  const auto refused = [](const std::vector<std::string>& words) {
    const Ran ran =
        gmm_run(with({"gmm", "--group-sizes", "5,0,9", "--k", "12", "--n", "7"}, words));
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    return ran.err;
  };
  EXPECT_EQ(refused({"--device", "reference", "--schedule", "lazy"}),
            "error: --schedule is for the interpreter, and this runs on reference\n");
  EXPECT_EQ(refused({"--device", "reference", "--tiling", "8,8,8"}),
            "error: --tiling is for a kernel, and the reference has none\n");
  EXPECT_EQ(refused({"--device", "reference", "--check", "full"}),
            "error: --check compares with the reference, and this is the reference\n");
  EXPECT_EQ(refused({"--interpret", "--no-math", "--check", "full"}),
            "error: --check compares values, and --no-math computes none\n");
  EXPECT_EQ(refused({"--interpret", "--device", "cuda"}),
            "error: --interpret means --device interpreter, and --device is cuda\n");
  EXPECT_EQ(refused({"--interpret", "--slow-device", "1"}),
            "error: --slow-device: expected an integer from 0 to 0, found '1'\n");
  EXPECT_EQ(refused({"--interpret", "--unchecked", "--trace", "-"}),
            "error: --trace requires a checked run, and --unchecked disables the checks\n");
}

TEST(Cli, the_same_schedule_gives_the_same_trace) {
  const auto hash = [](const std::string& schedule) {
    return gmm_run(with(small_gmm, {"--json", "--schedule", schedule})).json()["trace_hash"];
  };
  EXPECT_TRUE(hash("eager").is_string());
  EXPECT_EQ(hash("random:3"), hash("random:3"));
  EXPECT_NE(hash("random:3"), hash("random:4"));
}

TEST(Cli, group_sizes_must_fit_the_other_options) {
  const auto error_of = [](const std::vector<std::string>& words) {
    const Ran ran = gmm_run(with({"gmm", "--k", "4", "--n", "4", "--interpret"}, words));
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    return ran.err;
  };
  EXPECT_EQ(error_of({}),
            "error: --group-sizes is missing\n"
            "error: --m is missing: only listed group sizes give the number of rows\n");
  EXPECT_EQ(error_of({"--group-sizes", "1,x"}),
            "error: 'x' in the group sizes '1,x' is not a number\n");
  EXPECT_EQ(error_of({"--group-sizes", "3x"}),
            "error: '3x' in the group sizes '3x' is not a number\n");
  EXPECT_EQ(error_of({"--group-sizes", "even"}),
            "error: group sizes 'even' are none of uniform, multinomial, zipf:S, onehot, empty:P, "
            "jitter:P or a list such as 100,150,50\n");
  EXPECT_EQ(error_of({"--group-sizes", "zipf:x"}),
            "error: group sizes 'zipf:x' require a number from 0 to 16 as in zipf:1.2\n");
  EXPECT_EQ(error_of({"--group-sizes", "3,4", "--groups", "3"}),
            "error: --groups gives groups = 3, and --group-sizes gives 2\n");
  EXPECT_EQ(error_of({"--group-sizes", "3,4", "--m", "6"}),
            "error: the group sizes up to group 1 sum to more than m = 6\n");
  EXPECT_EQ(error_of({"--group-sizes", "3,4", "--m", "9", "--strict-sum"}),
            "error: the group sizes sum to 7, not to m = 9\n");
}

TEST(Cli, the_page_of_ops_is_up_to_date) {
  std::ifstream in(test::source_dir() + "/docs/reference/ops.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(gmm_run({"ops", "--md"}).out, page) << "run gmm-run ops --md > docs/reference/ops.md";
}

// The regular expressions of the grammar are portable, so they can be tested here on a program.
TEST(Cli, the_grammar_for_editors_finds_the_words) {
  const nlohmann::json grammar = nlohmann::json::parse(gmm_run({"ops", "--textmate"}).out);
  EXPECT_EQ(grammar["fileTypes"][0], "tsr");
  const std::string line = "if first(j) { window x = a[i +: 8] pad 0 } // in bf16";
  const auto found = [&](const std::string& scope) {
    std::string words;
    for (const nlohmann::json& pattern : grammar["patterns"]) {
      if (pattern["name"] != scope + ".tessera") continue;
      const std::regex expression(pattern["match"].get<std::string>());
      for (std::sregex_iterator at(line.begin(), line.end(), expression), end; at != end; ++at)
        words += (words.empty() ? "" : " ") + at->str();
    }
    return words;
  };
  EXPECT_EQ(found("keyword.control"), "if window");
  EXPECT_EQ(found("support.function"), "first");
  EXPECT_EQ(found("keyword.other"), "pad");
  EXPECT_EQ(found("constant.numeric"), "8 0");
  EXPECT_EQ(found("storage.type"), "bf16");
  EXPECT_EQ(found("comment.line.double-slash"), "// in bf16");
}

TEST(Cli, list_and_ops_have_their_fields) {
  const nlohmann::json kernels = gmm_run({"list", "--json"}).json()["kernels"];
  ASSERT_FALSE(kernels.empty());
  for (const nlohmann::json& kernel : kernels) {
    EXPECT_TRUE(kernel.contains("name") && kernel.contains("command") &&
                kernel.contains("parameters"))
        << kernel;
  }
  const nlohmann::json ops = gmm_run({"ops", "--json"}).json()["ops"];
  ASSERT_FALSE(ops.empty());
  for (const nlohmann::json& op : ops) {
    EXPECT_TRUE(op.contains("name") && op.contains("fields") && op.contains("executions")) << op;
  }
}

}  // namespace
}  // namespace tessera::cli
