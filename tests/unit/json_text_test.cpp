// Untrusted JSON: deep nesting does not end the process, and messages do not contain the whole
// text.
#include "core/report/json_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/report.h"
#include "kernels/tuning/config.h"
#include "text/json.h"
#include "text/read_json.h"

namespace tessera {
namespace {

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

std::string problem(const std::string& text) {
  const auto parsed = parse_json(text, "no value");
  return parsed ? "" : parsed.diags().front().message;
}

TEST(JsonText, depth_is_bounded) {
  EXPECT_EQ(problem(nested(deepest_json)), "");
  const std::string why = fmt::format("no value: it nests deeper than {}", deepest_json);
  EXPECT_EQ(problem(nested(deepest_json + 1)), why);
  EXPECT_EQ(problem(nested(1'000'000)), why);
  EXPECT_EQ(problem(std::string(1'000'000, '[')), why);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(problem(objects), why);
}

TEST(JsonText, a_member_given_twice_is_named_at_any_depth) {
  EXPECT_EQ(problem(R"({"a": 1, "b": [{"c": 1}, {"c": 1}]})"), "");
  EXPECT_EQ(problem(R"({"b": [{"c": 1, "c": 2}]})"), "member c is given twice");
}

TEST(JsonText, a_value_is_read_or_what_is_wrong_with_it_is_told) {
  const auto value = read_json(R"({"a": [1, null, "x"]})", "no value");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->find("a")->text(), R"([1,null,"x"])");
  const auto deep = read_json(nested(deepest_json + 1), "no value");
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.diags().front().message,
            fmt::format("no value: it nests deeper than {}", deepest_json));
}

TEST(JsonText, messages_are_short) {
  const std::string long_text(1'000'000, 'x');
  EXPECT_LT(problem("\"" + long_text).size(), 400u);
  EXPECT_LT(problem("{\"" + long_text + "\": 1, \"" + long_text + "\": 2}").size(), 400u);
  for (const std::string& config :
       {"{\"block_m\": \"" + long_text + "\"}", "{\"" + long_text + "\": 1}",
        "{\"hints\": {\"" + long_text + "\": 1}}", "{\"hints\": \"" + long_text + "\"}",
        "{\"hints\": {\"band\": \"" + long_text + "\"}}", "{\"platform\": \"" + long_text + "\"}",
        "{\"backend\": \"" + long_text + "\"}"}) {
    const auto parsed = parse_config(config);
    ASSERT_FALSE(parsed);
    EXPECT_LT(parsed.diags().front().message.size(), 400u);
  }
  EXPECT_EQ(shown_text("äöü", 3), "ä... (6 bytes)");
}

TEST(JsonText, everything_that_reads_json_is_bounded) {
  const std::string deep = nested(100'000);
  EXPECT_FALSE(parse_config("{\"block_m\": " + deep + "}"));
  EXPECT_FALSE(bench::read_report("{\"suite\": " + deep + "}"));
  EXPECT_EQ(Json::parse(deep).text(), "null");
}

TEST(JsonText, a_member_that_is_left_out_is_not_built) {
  const auto value = read_json(R"({"r": {"a": {"why": [1]}, "why": 2, "x": 3}, "x": {"why": 4}})",
                               "no value", "r");
  ASSERT_TRUE(value) << render(value.diags());
  EXPECT_EQ(value->text(), R"({"x":{"why":4}})");
  EXPECT_FALSE(read_json(R"({"r": {"a": 1, "a": 2}})", "no value", "r"));
  EXPECT_FALSE(read_json(R"({"r": 1, "x": {}, "x": {}})", "no value", "r"));
  EXPECT_TRUE(read_json(R"([{"a": 1}, {"a": 2}])", "no value"));
}

}  // namespace
}  // namespace tessera
