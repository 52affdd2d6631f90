// The tracks of a timeline file, parsed from its bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/certificate/certifier.h"
#include "analysis/timeline/perfetto_trace.h"
#include "analysis/timeline/timeline_drawing.h"
#include "tests/unit/timed_program.h"

namespace tessera {
namespace {

// A field of a message in protobuf's wire format.
struct Field {
  std::uint64_t number = 0, value = 0;
  std::string_view bytes{};
};

std::uint64_t varint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (int shift = 0; !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

std::vector<Field> fields(std::string_view rest) {
  std::vector<Field> result;
  while (!rest.empty()) {
    const std::uint64_t key = varint(rest);
    Field field{key >> 3};
    if ((key & 7) == 0) {
      field.value = varint(rest);
    } else if ((key & 7) == 1) {
      for (std::size_t i = 0; i < 8; ++i)
        field.value |= std::uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
      rest.remove_prefix(8);
    } else {
      EXPECT_EQ(key & 7, 2U);
      const std::uint64_t size = varint(rest);
      field.bytes = rest.substr(0, size);
      rest.remove_prefix(size);
    }
    result.push_back(field);
  }
  return result;
}

Field field(std::string_view message, std::uint64_t number) {
  const std::vector<Field> all = fields(message);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Field& each) { return each.number == number; });
  return found == all.end() ? Field{} : *found;
}

struct Slice {
  std::string name;
  std::uint64_t begin = 0, end = 0, line = 0;
};
struct Drawn {
  std::map<std::string, std::vector<Slice>> slices;  // by track name
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counts;
  std::multiset<std::uint64_t> from, to;  // arrows that start and end at slices
};

// Field numbers are from perfetto's protos.
class Reader {
 public:
  Drawn read(std::string_view file) {
    for (const Field& packet : fields(file)) {
      EXPECT_EQ(packet.number, 1U);
      if (const auto described = field(packet.bytes, 60).bytes; !described.empty())
        tracks_[field(described, 1).value] = field(described, 2).bytes;
      learn(field(packet.bytes, 12).bytes);
      if (const auto event = field(packet.bytes, 11).bytes; !event.empty())
        see(field(packet.bytes, 8).value, event);
    }
    for (const auto& [track, open] : open_) EXPECT_TRUE(open.empty()) << tracks_[track];
    return drawn_;
  }

 private:
  void learn(std::string_view interned) {
    for (const Field& each : fields(interned)) {
      if (each.number == 2) names_[field(each.bytes, 1).value] = field(each.bytes, 2).bytes;
      if (each.number == 4) lines_[field(each.bytes, 1).value] = field(each.bytes, 4).value;
    }
  }
  void see(std::uint64_t at, std::string_view event) {
    const std::uint64_t track = field(event, 11).value;
    ASSERT_TRUE(tracks_.contains(track));
    const std::string& name = tracks_[track];
    switch (field(event, 9).value) {
      case 1:
        EXPECT_GE(at, last_[track]) << name;
        open_[track].push_back(
            {names_.at(field(event, 10).value), at, 0, lines_[field(event, 34).value]});
        for (const Field& each : fields(event)) {
          if (each.number == 47) drawn_.from.insert(each.value);
          if (each.number == 48) drawn_.to.insert(each.value);
        }
        break;
      case 2:
        ASSERT_FALSE(open_[track].empty()) << name;
        EXPECT_GE(at, last_[track]) << name;
        open_[track].back().end = last_[track] = at;
        drawn_.slices[name].push_back(open_[track].back());
        open_[track].pop_back();
        break;
      case 4:
        drawn_.counts[name].emplace_back(at, std::bit_cast<double>(field(event, 44).value));
        break;
      default:
        ADD_FAILURE() << "an event of another type";
    }
  }

  Drawn drawn_;
  std::map<std::uint64_t, std::string> tracks_, names_;
  std::map<std::uint64_t, std::uint64_t> lines_, last_;
  std::map<std::uint64_t, std::vector<Slice>> open_;
};

struct Timeline {
  Timing timing;
  Drawn drawn;
};
Timeline timeline_of(const std::string& text, const MachineProfile& machine,
                     const MachineRates& rates = {}, int devices = 1, Observer* first = nullptr) {
  std::string file;
  PerfettoTrace trace([&](std::string_view bytes) { file += bytes; });
  TimelineDrawing drawing(trace);
  const Timing timing = test::timed(text, machine, rates, devices, "eager", 1, &drawing, first);
  EXPECT_TRUE(drawing.is_drawn());
  return {timing, Reader().read(file)};
}

std::vector<std::string> names(const std::vector<Slice>& slices) {
  std::vector<std::string> result;
  for (const Slice& slice : slices) result.push_back(slice.name);
  return result;
}

TEST(Timeline, ShowsWhatACoreDoesWithTheLinesOfTheSource) {
  const Timeline told = timeline_of(test::two_copies, test::plain_machine());
  const std::vector<Slice>& core = told.drawn.slices.at("core");
  EXPECT_EQ(names(core),
            (std::vector<std::string>{"start a -> x", "start b -> y", "wait s", "wait t", "x . y",
                                      "start x -> o", "wait copied"}));
  EXPECT_EQ(core[2].line, 13U);
  // 1 MB at 1 GB/s each, then 250 MFLOP at 1 TFLOP/s.
  EXPECT_EQ(core[2].end, 1000000U);
  EXPECT_EQ(core[3].end, 2000000U);
  EXPECT_EQ(core[4].end - core[4].begin, 250000U);
  EXPECT_EQ(names(told.drawn.slices.at("matrix unit")), std::vector<std::string>{"x . y"});
  EXPECT_EQ(core.back().end, static_cast<std::uint64_t>(std::llround(told.timing.seconds * 1e9)));
}

TEST(Timeline, ShowsCopiesSideBySideAndTheirTurnsAtTheMemory) {
  const Drawn drawn = timeline_of(test::two_copies, test::plain_machine()).drawn;
  EXPECT_EQ(names(drawn.slices.at("copies in flight, 1")),
            (std::vector<std::string>{"a -> x", "x -> o"}));
  EXPECT_EQ(names(drawn.slices.at("copies in flight, 2")), std::vector<std::string>{"b -> y"});
  const std::vector<Slice>& memory = drawn.slices.at("hbm");
  ASSERT_EQ(memory.size(), 3U);
  EXPECT_EQ(memory[0].end, memory[1].begin);
  // Each copy has an arrow from its start and one to its wait.
  EXPECT_EQ(drawn.from.size(), 6U);
  EXPECT_EQ(drawn.from, drawn.to);
}

TEST(Timeline, CountsSemaphoresVmemAndBandwidth) {
  const Drawn drawn = timeline_of(test::two_copies, test::plain_machine()).drawn;
  EXPECT_EQ(drawn.counts.at("s"),
            (std::vector<std::pair<std::uint64_t, double>>{{1000000, 1e6}, {1000000, 0}}));
  EXPECT_EQ(drawn.counts.at("vmem").front().second, 2e6);
  double largest = 0;
  for (const auto& [at, value] : drawn.counts.at("hbm bandwidth"))
    largest = std::max(largest, value);
  EXPECT_NEAR(largest, 1, 1e-9);
}

TEST(Timeline, ShowsTraceRegionsAndLinks) {
  const Timeline told = timeline_of(R"(kernel t()
  in   a:    f32[1, 250] hbm
  out  o:    f32[1, 250] hbm
  sem  sent: bytes
  sem  got:  bytes
{
  trace 1 "shift" {
    start a -> (device + 1) mod devices: o, sent, got
    wait sent for a
    wait got for o
  }
}
)",
                                    test::plain_machine(), {}, 3);
  const std::vector<Slice>& region = told.drawn.slices.at("core");
  EXPECT_EQ(std::count_if(region.begin(), region.end(),
                          [](const Slice& slice) { return slice.name == "shift"; }),
            3);
  EXPECT_EQ(names(told.drawn.slices.at("link to device 1")),
            std::vector<std::string>{"a -> o of device 1"});
  EXPECT_EQ(told.drawn.from, told.drawn.to);
}

// Arrows of findings have numbers above those of copies and signals.
std::multiset<std::uint64_t> of_findings(const std::multiset<std::uint64_t>& arrows) {
  return {arrows.lower_bound(std::uint64_t{1} << 62), arrows.end()};
}

TEST(Timeline, ConnectsTheAccessesOfARace) {
  Certifier certifier(CopyGranularity::whole, 1000);
  const Drawn drawn = timeline_of(R"(kernel t()
  in   a: f32[1, 250] hbm
  out  o: f32[1, 250] hbm
  vmem x: f32[1, 250]
  sem  s: bytes
{
  start a -> x, s
  copy x -> o
  wait s for x
}
)",
                                  test::plain_machine(), {}, 1, &certifier)
                          .drawn;
  ASSERT_EQ(certifier.certificate().races.size(), 1U);
  EXPECT_EQ(of_findings(drawn.from).size(), 1U);
  EXPECT_EQ(of_findings(drawn.from), of_findings(drawn.to));
}

TEST(Timeline, DrawsTheCycleOfADeadlock) {
  Certifier certifier(CopyGranularity::whole, 1000);
  const Timeline told = timeline_of(R"(kernel t()
  in   a:    f32[1, 250] hbm
  out  o:    f32[1, 250] hbm
  sem  sent: bytes
  sem  got:  bytes
{
  wait got for o
  start a -> (device + 1) mod devices: o, sent, got
  wait sent for a
}
)",
                                    test::plain_machine(), {}, 3, &certifier);
  const std::vector<Slice>& core = told.drawn.slices.at("core");
  EXPECT_EQ(std::count_if(core.begin(), core.end(),
                          [](const Slice& slice) {
                            return slice.name == "blocked: wait got >= 1000, has 0";
                          }),
            3);
  EXPECT_EQ(of_findings(told.drawn.from).size(), 3U);
  EXPECT_EQ(of_findings(told.drawn.from), of_findings(told.drawn.to));
}

}  // namespace
}  // namespace tessera
