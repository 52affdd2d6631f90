// The stable JSON output: the status and exit code of every kind of ending, and the fields of
// reports, findings and notes.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "tests/source_dir.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::json;

struct Ran {
  int exit_code;
  Json json;
};

Ran run_json(std::vector<std::string> words) {
  words.emplace_back("--json");
  std::ostringstream out, err;
  const int exit_code = run(words, out, err);
  return {exit_code, Json::parse(out.str(), nullptr, false)};
}

std::string program(const std::string& name) { return test::source_dir() + "/tests/" + name; }

std::set<std::string> fields(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

const std::set<std::string> place = {"message", "file", "line", "column", "device", "agent"};

void expect_finding(const Json& finding) {
  std::set<std::string> wanted = place;
  wanted.insert({"kind", "notes"});
  std::set<std::string> of_note = place;
  if (finding["kind"] != "error" && finding["kind"] != "unused_option") {  // findings of a run
    wanted.insert({"loops", "access", "insert", "folded_into", "follows_from", "count", "devices"});
    of_note.insert({"loops", "detail", "role", "buffer"});
  }
  EXPECT_EQ(fields(finding), wanted) << finding;
  for (const Json& note : finding["notes"]) EXPECT_EQ(fields(note), of_note) << note;
}

TEST(JsonContract, every_status_has_its_exit_code) {
  const std::vector<std::string> mismatch = {"gmm",
                                             "--program",
                                             program("findings/bad_mismatch.tsr"),
                                             "--group-sizes",
                                             "5,0,9",
                                             "--k",
                                             "12",
                                             "--n",
                                             "7",
                                             "--dtype",
                                             "f32",
                                             "--tiling",
                                             "8,8,8",
                                             "--fill",
                                             "integers",
                                             "--interpret"};
  struct Way {
    std::vector<std::string> words;
    const char* status;
    int exit_code;
  };
  const Way ways[] = {
      {{"gmm", "--group-sizes", "5,0,9", "--k", "12", "--n", "7", "--interpret"}, "ok", 0},
      {{"run", program("findings/good_capacity.tsr"), "--interpret"}, "ok", 0},
      {mismatch, "mismatch", 1},
      {{"run", program("findings/bad_never_written.tsr"), "--interpret"}, "finding", 1},
      {{"gmm", "--group-sizes", "5,0,9", "--k", "12", "--interpret"}, "bad_input", 2},
      {{"check", program("cli/bad_parameter.tsr"), "--set", "row=1"}, "bad_input", 2},
      {{"run", program("findings/bad_unsupported_remote_vmem.tsr"), "--devices", "2", "--profile",
        "h200", "--interpret"},
       "unsupported",
       2},
      {{"run", program("no_such_file.tsr")}, "environment", 3},
  };
  for (const Way& way : ways) {
    const Ran ran = run_json(way.words);
    ASSERT_TRUE(ran.json.is_object()) << way.status;
    EXPECT_EQ(ran.json["status"], way.status) << ran.json;
    EXPECT_EQ(ran.exit_code, way.exit_code) << ran.json;
  }
}

TEST(JsonContract, a_finding_has_its_place_and_its_notes) {
  const Ran ran = run_json(
      {"run", program("findings/bad_semaphore_leak.tsr"), "--devices", "2", "--interpret"});
  ASSERT_EQ(ran.json["findings"].size(), 2U) << ran.json;
  for (const Json& finding : ran.json["findings"]) expect_finding(finding);
  const Json& second = ran.json["findings"][1];
  EXPECT_EQ(second["kind"], "semaphore_leak");
  EXPECT_EQ(second["message"], "s of dev1 is 1 at exit, expected 0");
  EXPECT_TRUE(second["file"].get<std::string>().ends_with("bad_semaphore_leak.tsr"));
  EXPECT_EQ(second["line"], 5);
  EXPECT_EQ(second["column"], 7);
  EXPECT_EQ(second["device"], 1);
  EXPECT_EQ(second["agent"], "dev1.core0");
  ASSERT_EQ(second["notes"].size(), 2U);
  EXPECT_EQ(second["notes"][0]["line"], 7);
  EXPECT_EQ(second["notes"][0]["agent"], "dev0.core0");
  EXPECT_TRUE(ran.json["replay"].get<std::string>().starts_with("gmm-run run "));
}

TEST(JsonContract, findings_of_every_kind_have_the_same_fields) {
  for (const char* name : {"findings/bad_race_overlap.tsr", "findings/bad_capacity.tsr",
                           "findings/bad_out_of_bounds_read.tsr", "findings/bad_revisit.tsr",
                           "findings/bad_unwaited_dma.tsr", "findings/bad_uninitialised_read.tsr",
                           "findings/bad_semaphore_overflow.tsr"}) {
    const Ran ran = run_json({"run", program(name), "--interpret", "--profile", "v4"});
    EXPECT_EQ(ran.json["status"], "finding") << name;
    ASSERT_FALSE(ran.json["findings"].empty()) << name;
    for (const Json& finding : ran.json["findings"]) expect_finding(finding);
  }
}

TEST(JsonContract, an_operation_reports_its_fields) {
  const Json json =
      run_json({"gmm", "--group-sizes", "5,0,9", "--k", "12", "--n", "7", "--interpret"}).json;
  for (const char* field :
       {"status", "device", "kernel", "shape", "tiling", "wall_seconds", "flops", "max_abs_error",
        "max_error_over_bound", "checked_rows", "trace_hash", "findings"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_TRUE(json["trace_hash"].is_string());
  EXPECT_EQ(json["trace_hash"].get<std::string>().size(), 16U);
  EXPECT_EQ(json["shape"], Json({{"m", 14}, {"k", 12}, {"n", 7}, {"groups", 3}}));
  const Json reference =
      run_json({"gmm", "--group-sizes", "5,0,9", "--k", "12", "--n", "7", "--device", "reference"})
          .json;
  EXPECT_TRUE(reference["trace_hash"].is_null());
}

TEST(JsonContract, a_program_reports_its_fields) {
  const Json json = run_json({"run", program("pipeline/scalar_prefetch.tsr"), "--interpret", "--in",
                              "order=3,1,0,2"})
                        .json;
  for (const char* field : {"status", "device", "devices", "kernel", "shape", "wall_seconds",
                            "trace_hash", "findings", "replay", "results"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  ASSERT_EQ(json["results"].size(), 1U);
  EXPECT_EQ(json["results"][0]["name"], "o");
  EXPECT_EQ(json["results"][0]["shape"], Json({4, 128}));
}

TEST(JsonContract, a_syntax_error_is_an_error_with_its_place) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("bad.tsr")) << "kernel k()\n{\n  x = y\n}\n";
  const Ran ran = run_json({"run", folder.file("bad.tsr")});
  ASSERT_EQ(ran.json["errors"].size(), 1U) << ran.json;
  const Json& error = ran.json["errors"][0];
  expect_finding(error);
  EXPECT_EQ(error["kind"], "error");
  EXPECT_EQ(error["message"], "unknown name `y`");
  EXPECT_EQ(error["line"], 3);
  EXPECT_EQ(error["column"], 7);
}

// Each fuzz case has a command that reproduces it. Each benchmark row names its reference.
TEST(JsonContract, fuzz_and_bench_report_their_fields) {
  const Json fuzz = run_json({"fuzz", "--cases", "3", "--seed", "5"}).json;
  EXPECT_EQ(fuzz["cases"], 3);
  EXPECT_EQ(fuzz["failures"], Json::array());
  EXPECT_TRUE(fuzz["wall_seconds"].is_number());
}

}  // namespace
}  // namespace tessera::cli
