#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/bench.h"
#include "cli/cli.h"

namespace tessera::bench {
namespace {

TEST(Bench, times) {
  const Times odd = times_of({3, 1, 2}), even = times_of({4, 1, 2, 3});
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.max, 3);
  EXPECT_EQ(even.median, 2.5);
}

TEST(Bench, the_ratio_is_that_to_the_best_peer) {
  int ours = 0, theirs = 0;
  BenchCase a_case;
  a_case.name = "made_up";
  a_case.run = [&]() -> Expected<double> { return ++ours, 1.0; };
  a_case.peers = {{"slow", [&]() -> Expected<double> { return ++theirs, 4.0; }},
                  {"fast", []() -> Expected<double> { return 2.0; }}};
  a_case.work = 10;
  const BenchRow row = measure(a_case, 0);
  EXPECT_EQ(row.ratio(), 0.5);
  EXPECT_EQ(row.rate, 10);
  EXPECT_EQ(row.check, "ok");
  EXPECT_EQ(ours, theirs) << "in turn";
}

TEST(Bench, a_rate_can_be_seconds_for_each_unit) {
  BenchCase a_case;
  a_case.run = []() -> Expected<double> { return 5.0; };
  a_case.work = 10;
  a_case.is_per_unit = true;
  EXPECT_EQ(measure(a_case, 0).rate, 0.5);
}

TEST(Bench, a_run_that_fails_says_why) {
  BenchCase a_case;
  a_case.run = []() -> Expected<double> { return error("no reason"); };
  EXPECT_EQ(measure(a_case, 0).check, "no reason");
}

TEST(Bench, certificates_are_proved_while_they_are_measured) {
  std::ostringstream out, err;
  ASSERT_EQ(cli::run({"bench", "--suite", "certificate", "--filter", "^ring_8_(devices|calls_10)$",
                      "--seconds", "0", "--json"},
                     out, err),
            0)
      << err.str();
  const nlohmann::json json = nlohmann::json::parse(out.str());
  ASSERT_EQ(json["rows"].size(), 2U);
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["check"], "ok");
    EXPECT_TRUE(row["peers"].contains("run_alone"));
    EXPECT_TRUE(row["unit"].get<std::string>().starts_with("s per million of "));
  }
}

TEST(Bench, rows_have_their_fields) {
  std::ostringstream out, err;
  ASSERT_EQ(cli::run({"bench", "--suite", "interp", "--filter", "ring_copies_10000$", "--seconds",
                      "0", "--json"},
                     out, err),
            0)
      << err.str();
  const nlohmann::json json = nlohmann::json::parse(out.str());
  EXPECT_TRUE(json.contains("machine"));
  ASSERT_EQ(json["rows"].size(), 1U);
  for (const char* field : {"name", "seconds", "peers", "ratio", "check"}) {
    EXPECT_TRUE(json["rows"][0].contains(field)) << field;
  }
  EXPECT_EQ(json["rows"][0]["check"], "ok");
}

}  // namespace
}  // namespace tessera::bench
