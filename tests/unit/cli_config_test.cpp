// The commands tune and cache, and the options --config, --explain and list --support.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/args/operation_options.h"
#include "cli/cli.h"
#include "cli/operations/config_choice.h"
#include "kernels/tuning/grouped_tuning.h"
#include "tests/unit/language_support.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

struct Ran {
  int code = 0;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// Uses a separate cache for each test.
class ConfigCommands : public testing::Test {
 protected:
  ConfigCommands() { ::setenv("TESSERA_CACHE", folder_.file("cache").c_str(), 1); }
  ~ConfigCommands() override { ::unsetenv("TESSERA_CACHE"); }

  static Ran gmm_run(std::vector<std::string> words) {
    std::ostringstream out, err;
    const int code = run(words, out, err);
    return {code, out.str(), err.str()};
  }
  // Returns a problem for which the best tiling is not the default one.
  static std::vector<std::string> problem(std::vector<std::string> before,
                                          std::vector<std::string> after = {}) {
    std::vector<std::string> words = std::move(before);
    for (const char* word : {"--m", "512", "--groups", "2", "--k", "512", "--n", "256",
                             "--group-sizes", "uniform", "--interpret"})
      words.emplace_back(word);
    words.insert(words.end(), after.begin(), after.end());
    return words;
  }
  TemporaryFolder folder_;
};

TEST_F(ConfigCommands, what_tune_finds_the_next_run_takes) {
  const Ran before = gmm_run(problem({"gmm"}, {"--explain", "--json", "--no-math"}));
  ASSERT_EQ(before.code, 0) << before.out << before.err;
  EXPECT_EQ(before.json()["config"]["source"], "heuristics");
  EXPECT_EQ(before.json()["kernel"], "gmm_128x128x128");
  const Ran tuned = gmm_run(problem({"tune", "gmm"}, {"--json"}));
  ASSERT_EQ(tuned.code, 0) << tuned.out << tuned.err;
  const nlohmann::json found = tuned.json();
  EXPECT_GE(found["candidates"].size(), 3u);
  const nlohmann::json config = found["config"];
  EXPECT_NE(config["block_m"], 128);
  const Ran after = gmm_run(problem({"gmm"}, {"--json"}));
  ASSERT_EQ(after.code, 0) << after.out << after.err;
  EXPECT_EQ(after.json()["status"], "ok");
  EXPECT_EQ(after.json()["config"]["source"], "persistent");
  EXPECT_EQ(after.json()["config"]["config"], config);
  EXPECT_EQ(after.json()["tiling"]["m"], config["block_m"]);
  EXPECT_EQ(after.json()["tiling"]["k"], config["block_k"]);
  EXPECT_EQ(after.json()["tiling"]["n"], config["block_n"]);
  // --tiling has precedence, and another problem has another key.
  const Ran given = gmm_run(problem({"gmm"}, {"--tiling", "64,64,64", "--json", "--explain"}));
  EXPECT_EQ(given.json()["config"]["source"], "override");
  EXPECT_EQ(given.json()["kernel"], "gmm_64x64x64");
  const Ran other = gmm_run(problem({"gmm"}, {"--out-dtype", "bf16", "--json", "--explain"}));
  EXPECT_EQ(other.json()["config"]["source"], "heuristics");
}

TEST_F(ConfigCommands, a_report_names_the_source_and_explain_the_chain) {
  const Ran plain = gmm_run(problem({"gmm"}, {"--no-math"}));
  EXPECT_EQ(plain.out.find("config"), std::string::npos) << plain.out;
  const Ran explained = gmm_run(problem({"gmm"}, {"--no-math", "--explain"}));
  for (const char* text : {"asked     override: none given\n", "overlay: none for this key\n",
                           "memory: not seen yet\n", "persistent: has no entry\n",
                           "autotune: the policy selects the heuristics\n",
                           "config    128x128x128, from heuristics\n"})
    EXPECT_NE(explained.out.find(text), std::string::npos) << text << explained.out;
  const Ran told = gmm_run(problem({"gmm"}, {"--no-math", "--explain", "--json"}));
  for (const auto& step : told.json()["config"]["steps"]) EXPECT_GE(step["seconds"], 0) << step;
  ASSERT_EQ(gmm_run(problem({"tune", "gmm"})).code, 0);
  const Ran tuned = gmm_run(problem({"gmm"}, {"--no-math"}));
  EXPECT_NE(tuned.out.find(", from persistent\n"), std::string::npos) << tuned.out;
}

TEST_F(ConfigCommands, a_config_is_json_or_a_file_of_it) {
  const std::string json = R"({"block_m": 64, "block_k": 32, "block_n": 128, "num_stages": 3})";
  const Ran inlined = gmm_run(problem({"gmm"}, {"--config", json, "--json"}));
  ASSERT_EQ(inlined.code, 0) << inlined.out << inlined.err;
  EXPECT_EQ(inlined.json()["kernel"], "gmm_64x32x128");
  const std::string file = folder_.file("config.json");
  write_bytes(file, json);
  const Ran read = gmm_run(problem({"gmm"}, {"--config", file, "--json"}));
  EXPECT_EQ(read.json()["kernel"], "gmm_64x32x128");
  const auto message = [&](std::vector<std::string> words) {
    const Ran ran = gmm_run(problem({"gmm"}, std::move(words)));
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  EXPECT_NE(message({"--config", "{\"block\": 1}"}).find("a config has no field block;"),
            std::string::npos);
  EXPECT_NE(message({"--config", json, "--tiling", "8,8,8"})
                .find("--config already gives the tiling and the stages: omit --tiling"),
            std::string::npos);
  EXPECT_NE(message({"--config", R"({"platform": "cuda"})"})
                .find("the config is for platform cuda, and this runs on interpreter"),
            std::string::npos);
  EXPECT_NE(message({"--config", R"({"num_warps": 8})"}).find("num_warps = 8 is not supported"),
            std::string::npos);
  write_bytes(file, "[]");
  EXPECT_NE(message({"--config", file}).find("config.json: a config is a JSON object, got array"),
            std::string::npos);
  EXPECT_EQ(gmm_run(problem({"gmm"}, {"--config", folder_.file("none")})).code, 3);
}

TEST_F(ConfigCommands, cache_lists_shows_and_clears) {
  EXPECT_EQ(gmm_run({"cache", "list", "--json"}).json()["configurations"].size(), 0u);
  ASSERT_EQ(gmm_run(problem({"tune", "gmm"})).code, 0);
  const Ran dry = gmm_run(problem({"tune", "tgmm"}, {"--dry-run"}));
  ASSERT_EQ(dry.code, 0) << dry.err;
  const auto listed = gmm_run({"cache", "list", "--json"}).json()["configurations"];
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]["operation"], "grouped_matmul@v1");
  EXPECT_EQ(listed[0]["measure"], "simulated on v5e");
  const std::string id = listed[0]["id"];
  const Ran shown = gmm_run({"cache", "show", id.substr(0, 8), "--json"});
  EXPECT_EQ(shown.json()["config"], listed[0]["config"]);
  EXPECT_EQ(gmm_run({"cache", "show", "zz"}).code, 2);
  EXPECT_EQ(gmm_run({"cache", "show"}).code, 2);
  EXPECT_EQ(gmm_run({"cache", "list", id}).code, 2);
  EXPECT_EQ(gmm_run({"cache", "drop"}).code, 2);
  EXPECT_EQ(gmm_run({"cache"}).code, 2);
  EXPECT_EQ(gmm_run({"cache", "clear", id, "--json"}).json()["configurations"], 1);
  EXPECT_EQ(gmm_run({"cache", "clear", id}).code, 2);
  EXPECT_EQ(gmm_run({"cache", "list", "--json"}).json()["configurations"].size(), 0u);
}

TEST_F(ConfigCommands, a_replay_gives_the_tiling_that_a_cache_gave) {
  const Options options = operation_options(problem_options(GroupedKind::gmm));
  const Expected<Arguments> arguments = parse_arguments(options, problem({"gmm"}));
  ASSERT_TRUE(arguments);
  ConfigDecision decision;
  decision.source = ConfigSource::Persistent;
  decision.config.kernel.tiling.m = decision.config.kernel.tiling.k = 64;
  const std::vector<std::string> words = with_config(arguments->invocation(), decision).words();
  const std::vector<std::string> last(words.end() - 4, words.end());
  EXPECT_EQ(last, (std::vector<std::string>{"--tiling", "64,64,128", "--buffers", "2"}));
}

// Cache entries may come from another machine or be edited. They never break a call.
TEST_F(ConfigCommands, a_cached_configuration_that_does_not_fit_is_a_miss_that_is_told) {
  const Ran asked = gmm_run(problem({"gmm"}, {"--explain", "--json", "--no-math"}));
  const auto key = asked.json()["config"]["key"];
  const OperationKey kept{key["device"], key["operation"], key["call"]};
  const auto after = [&](const GroupedMatmulConfig& config) {
    EXPECT_TRUE(
        PersistentCache::of_user().store({kept, to_json(config), "autotune", 1, "by hand"}));
    const Ran ran = gmm_run(problem({"gmm"}, {"--json", "--no-math"}));
    EXPECT_EQ(ran.code, 0) << ran.out;
    return ran.json();
  };
  GroupedMatmulConfig fits;
  fits.kernel.tiling.m = 64;
  EXPECT_EQ(after(fits)["kernel"], "gmm_64x128x128");
  GroupedMatmulConfig large, far, staged, warped, hinted, cuda;
  large.kernel.tiling.m = large.kernel.tiling.k = 8192;
  far.kernel.tiling.m = std::int64_t{1} << 40;
  staged.kernel.buffers = 1024;
  warped.num_warps = 8;
  hinted.kernel.hints.band = 4;
  cuda.platform = Platform("cuda");
  for (const GroupedMatmulConfig& config : {large, far, staged, warped, hinted, cuda}) {
    const nlohmann::json object = after(config);
    EXPECT_EQ(object["kernel"], "gmm_128x128x128") << describe(config);
    EXPECT_EQ(object["config"]["source"], "heuristics");
    const std::string warning = object["config"]["warnings"].at(0);
    EXPECT_TRUE(warning.starts_with("the cache's entry " +
                                    folder_.file("cache/configurations/" + kept.id() + ".json") +
                                    " is not used: "))
        << warning;
  }
  const Ran text = gmm_run(problem({"gmm"}, {"--no-math"}));
  EXPECT_NE(text.out.find("warning   the cache's entry "), std::string::npos) << text.out;
}

TEST_F(ConfigCommands, a_transposed_product_asks_whether_its_own_kernel_fits) {
  const Ran asked = gmm_run(problem({"tgmm"}, {"--explain", "--json", "--no-math"}));
  const auto key = asked.json()["config"]["key"];
  GroupedMatmulConfig config;
  config.kernel.tiling.m = 64;
  const auto store = [&] {
    ASSERT_TRUE(PersistentCache::of_user().store({{key["device"], key["operation"], key["call"]},
                                                  to_json(config),
                                                  "autotune",
                                                  1,
                                                  "by hand"}));
  };
  store();
  EXPECT_EQ(gmm_run(problem({"tgmm"}, {"--json", "--no-math"})).json()["config"]["source"],
            "persistent");
  config.kernel.align = 8;
  store();
  const Ran ran = gmm_run(problem({"tgmm"}, {"--no-math"}));
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("align is for gmm"), std::string::npos) << ran.out;
}

TEST_F(ConfigCommands, clearing_takes_the_caches_own_files_and_counts_them) {
  ASSERT_EQ(gmm_run(problem({"tune", "gmm"})).code, 0);
  const std::string cache = folder_.file("cache"), configurations = cache + "/configurations";
  const std::string key(32, 'a');
  const std::vector<std::string> own = {cache + "/" + key, cache + "/" + key + ".tmp17.0",
                                        configurations + "/" + key + ".json.tmp17.0"};
  const std::vector<std::string> others = {cache + "/thesis", cache + "/" + key + ".txt",
                                           configurations + "/thesis.txt",
                                           configurations + "/notes.json"};
  for (const std::string& file : own) write_bytes(file, "x");
  for (const std::string& file : others) write_bytes(file, "mine");
  const nlohmann::json cleared = gmm_run({"cache", "clear", "--json"}).json();
  EXPECT_EQ(cleared["configurations"], 1);
  EXPECT_EQ(cleared["compiled_kernels"], 1);
  for (const std::string& file : own) EXPECT_FALSE(std::filesystem::exists(file)) << file;
  for (const std::string& file : others) EXPECT_EQ(read_bytes(file), "mine") << file;
  EXPECT_EQ(gmm_run({"cache", "list", "--json"}).json()["configurations"].size(), 0u);
}

// The command in a report takes the time that the report shows.
TEST_F(ConfigCommands, what_tune_offers_takes_the_time_that_it_says) {
  const Ran tuned =
      gmm_run({"tune", "ragged-dot", "--m", "256", "--groups", "4", "--k", "256", "--n", "256",
               "--tune", "tm=64,256", "--tune", "tk=128,256", "--json"});
  ASSERT_EQ(tuned.code, 0) << tuned.out << tuned.err;
  const nlohmann::json found = tuned.json();
  EXPECT_EQ(found["candidates"].size(), 5U);
  EXPECT_TRUE(found["candidates"][0]["config"].empty());
  EXPECT_EQ(found["candidates"][0]["seconds"], found["default_seconds"]);
  double best = found["default_seconds"];
  for (const auto& candidate : found["candidates"])
    best = std::min<double>(best, candidate["seconds"]);
  EXPECT_EQ(found["seconds"], best);
  EXPECT_EQ(found["config"]["tm"], 256);
  std::istringstream line(found["use"].get<std::string>());
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  ASSERT_EQ(words.front(), "gmm-run");
  words.erase(words.begin());
  words.insert(words.end(), {"--timing", "--json"});
  const Ran used = gmm_run(words);
  ASSERT_EQ(used.code, 0) << used.out;
  EXPECT_EQ(used.json()["simulated"]["seconds"], best);
  EXPECT_TRUE(gmm_run({"cache", "list", "--json"}).json()["configurations"].empty());
}

TEST_F(ConfigCommands, tune_makes_no_more_candidates_than_it_says) {
  std::string many = "tm=1";
  for (int i = 2; i <= 40; ++i) many += "," + std::to_string(i);
  std::string more = "tk" + many.substr(2);
  const Ran ran = gmm_run({"tune", "ragged-dot", "--m", "8", "--groups", "1", "--k", "8", "--n",
                           "8", "--tune", many, "--tune", more});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "error: --tune makes more than 1000 candidates\n");
}

TEST_F(ConfigCommands, tune_refuses_what_it_does_not_know) {
  EXPECT_EQ(gmm_run({"tune", "ag-matmul"}).code, 2);
  EXPECT_EQ(gmm_run({"tune"}).code, 2);
  const Ran clock = gmm_run(problem({"tune", "gmm"}, {"--iters", "3"}));
  EXPECT_EQ(clock.code, 2);
  EXPECT_NE(clock.err.find("--warmup and --iters repeat measurements"), std::string::npos);
}

// Tuning uses representative sizes and a part of the run. Here every candidate is run completely,
// on the actual sizes.
TEST_F(ConfigCommands, tuning_picks_within_five_percent_of_the_best_of_all_candidates) {
  const std::vector<std::vector<std::string>> problems = {
      {"gmm", "--m", "1024", "--groups", "4", "--group-sizes", "uniform", "--k", "1024", "--n",
       "2048"},
      {"gmm", "--m", "2048", "--groups", "8", "--group-sizes", "zipf:1.2", "--k", "512", "--n",
       "1536", "--profile", "v6e"},
      {"gmm", "--m", "1500", "--groups", "16", "--group-sizes", "multinomial", "--k", "768", "--n",
       "1000", "--profile", "v5p"},
      {"gmm", "--m", "300", "--groups", "3", "--group-sizes", "100,150,50", "--k", "2048", "--n",
       "640", "--transpose-rhs"},
      {"gmm", "--m", "1024", "--groups", "4", "--group-sizes", "onehot", "--k", "1024", "--n",
       "1024", "--existing-out", "accumulate"},
      {"gmm", "--m", "512", "--groups", "4", "--group-sizes", "uniform", "--k", "512", "--n", "512",
       "--profile", "h200"},
      {"tgmm", "--m", "2048", "--groups", "8", "--group-sizes", "jitter:30", "--k", "1024", "--n",
       "1024"},
  };
  for (const auto& problem : problems) {
    std::vector<std::string> words = {"tune"};
    words.insert(words.end(), problem.begin(), problem.end());
    words.insert(words.end(), {"--interpret", "--all", "--dry-run", "--json"});
    const Ran ran = gmm_run(words);
    ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
    const nlohmann::json object = ran.json();
    EXPECT_GE(object["chosen_over_best"], 1.0);
    EXPECT_LE(object["chosen_over_best"], 1.05) << ran.out;
  }
}

TEST(List, tells_the_rates_that_modelled_times_assume) {
  std::ostringstream out, err;
  ASSERT_EQ(run({"list"}, out, err), 0) << err.str();
  const std::string text = out.str();
  const std::size_t v5e = text.find("\n  v5e ");
  const std::string rates = text.substr(v5e, text.find("\n  mosaic", v5e) - v5e);
  for (const char* rate : {"times assume matmul_flops 1.97e+14, hbm_bandwidth 8.2e+11",
                           "vmem_bandwidth", "copy_latency", "op_overhead"})
    EXPECT_NE(rates.find(rate), std::string::npos) << rates;
  std::ostringstream json;
  ASSERT_EQ(run({"list", "--json"}, json, err), 0) << err.str();
  for (const auto& profile : nlohmann::json::parse(json.str())["profiles"])
    EXPECT_GT(profile["rates"]["matmul_flops"], 1e14) << profile;
}

TEST(Support, its_page_holds_the_table_of_the_registries) {
  std::ostringstream out, err;
  ASSERT_EQ(run({"list", "--support"}, out, err), 0) << err.str();
  const std::string page = test::read_file("docs/reference/support.md");
  EXPECT_NE(page.find("\n" + out.str()), std::string::npos)
      << "docs/reference/support.md contains the output of `gmm-run list --support`, which is now\n"
      << out.str();
}

TEST(Support, every_answer_has_its_reason_and_the_interpreter_runs_everything) {
  std::ostringstream out, err;
  ASSERT_EQ(run({"list", "--support", "--json"}, out, err), 0);
  const auto rows = nlohmann::json::parse(out.str())["support"];
  EXPECT_GE(rows.size(), 50u);
  for (const auto& row : rows) {
    for (const auto& [execution, answer] : row["executions"].items()) {
      EXPECT_EQ(answer["ok"].get<bool>(), answer["reason"].is_null()) << row;
      if (execution != "interpreter") continue;
      EXPECT_TRUE(answer["ok"].get<bool>()) << row;
    }
  }
}

}  // namespace
}  // namespace tessera::cli
