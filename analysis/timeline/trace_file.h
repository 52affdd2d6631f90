// A file that shows a timeline: groups of tracks with slices, counters, arrows between slices, and
// the findings of the run.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/report/finding.h"

namespace tessera {

// Times are nanoseconds from the start of the run. Slices of a track must be nested and in time
// order. Tracks are independent.
class TraceFile {
 public:
  using Track = std::uint64_t;
  using Flow = std::uint64_t;  // an arrow from one slice to another; not 0
  struct Argument {
    std::string_view name;
    std::variant<std::int64_t, double, std::string> value;
  };
  // Kind of slice. The enumerator is its name in files.
  enum class Kind : std::uint8_t { work, wait, signal, copy, region, finding };
  // An interval on a track.
  struct Slice {
    std::string_view name;
    Kind kind = Kind::work;
    Loc loc{};  // statement; empty: none
    std::span<const Argument> arguments{};
    std::span<const Flow> from{}, to{};  // arrows that leave the slice, arrows that end at it
    std::span<const int>
        findings{};  // findings that the slice belongs to, in the order of finding()
  };

  virtual ~TraceFile() = default;
  // Add a group of tracks, a track of slices to a group, and a track of numbers to a group. Tracks
  // of a group are shown by ascending rank, groups in the order of their creation.
  virtual Track group(std::string_view name) = 0;
  virtual Track track(Track group, std::string_view name, int rank) = 0;
  virtual Track counter(Track group, std::string_view name, int rank, std::string_view unit) = 0;

  // Begin a slice, end the last slice that is open on the track, and set the value of a counter. A
  // slice must be open at end(). The views of a slice are only read during the call.
  virtual void begin(Track track, std::int64_t at, const Slice& slice) = 0;
  virtual void end(Track track, std::int64_t at) = 0;
  virtual void count(Track counter, std::int64_t at, double value) = 0;
  // Adds a finding, before all slices that belong to it.
  virtual void finding(const Finding& finding) = 0;
  // Completes the file. Must be called once, after all others.
  virtual void finish() = 0;
};

std::string_view name(TraceFile::Kind kind);

}  // namespace tessera
