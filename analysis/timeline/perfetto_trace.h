// Writes a trace for Perfetto: TrackEvent packets in protobuf's wire format (perfetto.dev,
// protos/perfetto/trace/track_event).
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

// Times are nanoseconds from the start of the trace. Slices of a track must be nested and in time
// order. Tracks are independent.
class PerfettoTrace {
 public:
  using Track = std::uint64_t;
  using Flow = std::uint64_t;  // an arrow from one slice to another; not 0
  struct Argument {
    std::string_view name;
    std::variant<std::int64_t, double, std::string> value;
  };
  // An interval on a track.
  struct Slice {
    std::string_view name;
    std::string_view file{};  // source file; empty: none
    int line = 0;
    std::span<const Argument> arguments{};
    std::span<const Flow> from{}, to{};  // arrows that leave the slice, arrows that end at it
  };

  // sink: receives the file's bytes in order. They are only valid during the call. The last ones
  // are passed by finish().
  explicit PerfettoTrace(std::function<void(std::string_view)> sink);
  ~PerfettoTrace();
  PerfettoTrace(const PerfettoTrace&) = delete;
  PerfettoTrace& operator=(const PerfettoTrace&) = delete;

  // Add a group of tracks, a track of slices to a group, and a track of numbers to a group. Tracks
  // of a group are shown by ascending rank, groups in the order of their creation.
  Track group(std::string_view name);
  Track track(Track group, std::string_view name, int rank);
  Track counter(Track group, std::string_view name, int rank, std::string_view unit);

  // Begin a slice, end the last slice that is open on the track, and set the value of a counter.
  void begin(Track track, std::int64_t at, const Slice& slice);
  void end(Track track, std::int64_t at);
  void count(Track counter, std::int64_t at, double value);
  // Passes all remaining bytes to the sink; the destructor does not.
  void finish();

 private:
  using Known = std::map<std::string, std::uint64_t, std::less<>>;
  Track described(Track group, std::string_view name, int rank, std::string_view fields);
  std::uint64_t known(Known& names, std::string_view name, int kind, std::string& fresh);
  void event(std::int64_t at, std::string_view event, std::string_view fresh = {});
  void packet(std::string_view fields);

  std::function<void(std::string_view)> sink_;
  std::string buffer_;
  std::uint64_t tracks_ = 0;
  int groups_ = 0;
  bool is_first_ = true;
  Known event_names_, argument_names_;
  std::map<std::pair<std::string, int>, std::uint64_t> sources_;
};

}  // namespace tessera
