// Bench reports as table and plot. The numbers are invented for the test.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/report.h"

namespace tessera::bench {
namespace {

BenchReport made_up() {
  BenchRow first{
      "A_nn", {0.9, 1.0, 1.1}, {{"loop", {1, 2, 3}}, {"dense", {0.7, 0.8, 0.9}}}, 700, "TFLOP/s"};
  BenchRow second{"B<&", {0.5, 0.5, 0.5}, {{"dense", {4, 4, 4}}}, 0, "", "row 3 is wrong"};
  return {"moe", "cuda", "a machine", {first, second}};
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST(BenchReport, json_is_read_as_it_was_written) {
  const BenchReport report = made_up();
  const Expected<BenchReport> again = read_report(to_json(report).text());
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again).text(), to_json(report).text());
  ASSERT_EQ(again->rows.size(), 2u);
  EXPECT_EQ(again->rows[0].peers[0].first, "loop");
}

TEST(BenchReport, what_is_no_report_is_refused_with_the_field) {
  auto object = nlohmann::ordered_json::parse(to_json(made_up()).text());
  object["rows"][1].erase("seconds");
  const Expected<BenchReport> report = read_report(object.dump());
  ASSERT_FALSE(report);
  EXPECT_NE(report.diags()[0].message.find("seconds"), std::string::npos);
  EXPECT_FALSE(read_report("{"));
}

TEST(BenchReport, the_table_has_our_time_over_each_peers) {
  EXPECT_EQ(
      table_of(made_up()),
      "row        ours             rate           loop          dense  ours over the best\n"
      "A_nn     1.00 s      700 TFLOP/s          0.500          1.250  1.250\n"
      "B<&      500 ms                                          0.125  0.125  row 3 is wrong\n");
}

TEST(BenchReport, the_plot_has_a_mark_for_each_peer_and_row) {
  const std::string svg = plot_of(made_up());
  EXPECT_EQ(count(svg, "<circle"), 3);
  EXPECT_NE(svg.find("<title>A_nn loop: 2.000</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>A_nn dense: 0.800</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>B&lt;&amp; dense: 8.000</title>"), std::string::npos);
  EXPECT_EQ(count(svg, "<svg"), count(svg, "</svg>"));
  // The scale ends at 3: a result that is eight times as fast is drawn at the edge, inside.
  EXPECT_NE(svg.find("cx=\"89.0\" cy=\"40.0\""), std::string::npos);
}

}  // namespace
}  // namespace tessera::bench
