// The tree from which commands build their JSON.
#include "text/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera::cli {
namespace {

TEST(Json, lists_of_named_pairs_are_objects_and_others_arrays) {
  const std::vector<std::int64_t> shape = {3, 4};
  const Json json = {{"name", "a"}, {"shape", shape}, {"pair", {"x", "y"}}, {"inner", {{"n", 1}}}};
  EXPECT_EQ(json.text(), R"({"name":"a","shape":[3,4],"pair":["x","y"],"inner":{"n":1}})");
  EXPECT_EQ(Json::array({"x"}).text(), R"(["x"])");
  EXPECT_EQ(Json::array().text() + Json::object().text() + Json().text(), "[]{}null");
}

TEST(Json, numbers_keep_their_kind_and_every_bit) {
  const Json json = {std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::uint64_t>::max(), 0.1, true, 1};
  EXPECT_EQ(json.text(), "[-9223372036854775808,18446744073709551615,0.1,true,1]");
  EXPECT_EQ(Json::parse(json.text()).text(), json.text());
}

TEST(Json, members_keep_their_order_and_are_replaced_in_place) {
  Json json;
  json["b"] = 1;
  json["a"]["c"].push_back("x");
  json.update({{"b", nullptr}, {"d", 2.5}});
  EXPECT_EQ(json.text(), R"({"b":null,"a":{"c":["x"]},"d":2.5})");
  EXPECT_EQ(json.find("none"), nullptr);
  ASSERT_NE(json.find("d"), nullptr);
  EXPECT_EQ(json["a"]["c"][0].text(), "x");
}

TEST(Json, text_that_is_not_utf8_or_not_json_does_no_harm) {
  EXPECT_EQ(Json("a\xff").lines(), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(Json("\"\n").lines(), R"("\"\n")");
  EXPECT_EQ(Json::parse("{").text(), "null");
}

}  // namespace
}  // namespace tessera::cli
