// Writes a trace for Perfetto: TrackEvent packets in protobuf's wire format (perfetto.dev,
// protos/perfetto/trace/track_event).
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/timeline/trace_file.h"

namespace tessera {

class PerfettoTrace : public TraceFile {
 public:
  // sink: receives the file's bytes in order. They are only valid during the call. The last ones
  // are passed by finish().
  explicit PerfettoTrace(std::function<void(std::string_view)> sink);
  ~PerfettoTrace() override;
  PerfettoTrace(const PerfettoTrace&) = delete;
  PerfettoTrace& operator=(const PerfettoTrace&) = delete;

  Track group(std::string_view name) override;
  Track track(Track group, std::string_view name, int rank) override;
  Track counter(Track group, std::string_view name, int rank, std::string_view unit) override;
  void begin(Track track, std::int64_t at, const Slice& slice) override;
  void end(Track track, std::int64_t at) override;
  void count(Track counter, std::int64_t at, double value) override;
  void finding(const Finding& finding) override;
  void finish() override;

 private:
  using Known = std::map<std::string, std::uint64_t, std::less<>>;
  Track described(Track group, std::string_view name, int rank, std::string_view fields);
  std::uint64_t known(Known& names, std::string_view name, int kind, std::string& fresh);
  void event(std::int64_t at, std::string_view event, std::string_view fresh = {});
  void packet(std::string_view fields);
  void flush();

  std::function<void(std::string_view)> sink_;
  std::string buffer_;
  std::uint64_t tracks_ = 0;
  int groups_ = 0;
  bool is_first_ = true;
  Known event_names_, argument_names_;
  std::map<std::pair<std::string, int>, std::uint64_t> sources_;
  std::vector<std::string> findings_;
};

}  // namespace tessera
