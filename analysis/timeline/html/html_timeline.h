// Writes a timeline as one HTML page that requests nothing: the data, a script that draws it, and
// the source texts.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/timeline/html/rows.h"
#include "analysis/timeline/trace_file.h"

namespace tessera {

class HtmlTimeline : public TraceFile {
 public:
  // Maximum size of the data in bytes, unless 1000 slices already exceed it. If a run has more
  // slices, the shortest are summarised.
  static constexpr std::size_t most_data = 4'800'000;

  // sink: receives the page in finish(), in one call. title: first line of the page.
  HtmlTimeline(std::function<void(std::string_view)> sink, std::string title);

  Track group(std::string_view name) override;
  Track track(Track group, std::string_view name, int rank) override;
  Track counter(Track group, std::string_view name, int rank, std::string_view unit) override;
  void begin(Track track, std::int64_t at, const Slice& slice) override;
  void end(Track track, std::int64_t at) override;
  void count(Track counter, std::int64_t at, double value) override;
  void finding(const Finding& finding) override;
  void finish() override;

 private:
  // A slice as data of its own refers to it.
  struct Reference {
    std::int32_t row = 0;
    std::int64_t number = 0;
  };
  struct OwnTrack {
    Track group = 0;
    std::string name, unit{};
    int rank = 0;
    std::int32_t counter = -1;                // its values; -1: a track of slices
    std::vector<std::int32_t> rows{};         // by depth
    std::vector<TimelineRows::Slice> open{};  // by depth
  };
  struct Arrow {
    Flow flow = 0;
    Reference slice{};
    bool leaves = false;
  };
  struct Detail {
    Reference slice{};
    std::int32_t name = 0;  // index of the word
    std::variant<std::int64_t, double, std::string> value;
  };
  struct Mark {
    int finding = 0;
    Reference slice{};
  };

  Track add(OwnTrack track);
  OwnTrack& own(Track track) { return tracks_[static_cast<std::size_t>(track)]; }
  // Return the index of a word, of a source (-1: none) and of a label, added if it is new.
  std::int32_t word(std::string_view text);
  std::int32_t source(const Loc& loc);
  std::int32_t label(const Slice& slice);
  void drop_summarised();
  // Parts of the data as JSON.
  std::string data() const;
  static std::string page(std::string_view data);
  std::string tracks_json() const;
  std::string row_json(std::int32_t row) const;
  std::string counter_json(std::int32_t counter) const;
  std::string arrows_json() const;
  std::string details_json() const;
  std::string findings_json() const;
  std::string texts_json() const;
  std::string reference_json(const Reference& slice) const;

  std::function<void(std::string_view)> sink_;
  std::string title_;
  TimelineRows rows_;
  std::vector<std::string> groups_;
  std::vector<OwnTrack> tracks_;
  std::int64_t slices_ = 0;  // without summaries
  std::vector<Arrow> arrows_;
  std::vector<Detail> details_;
  std::vector<Mark> marks_;
  std::vector<Finding> findings_;
  std::map<std::string, std::int32_t, std::less<>> known_words_;
  std::vector<std::string> words_;
  std::map<const Source*, std::int32_t> known_sources_;
  std::vector<std::shared_ptr<const Source>> sources_;
  using Label = std::array<std::int32_t, 4>;  // word, kind, source or -1, line
  std::map<Label, std::int32_t> known_labels_;
  std::vector<Label> labels_;
  std::int64_t last_ = 0;                         // end of the last slice
  std::size_t drop_at_ = 4 * TimelineRows::most;  // number of arrows and details to drop some at
};

}  // namespace tessera
