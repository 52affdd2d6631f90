#include "analysis/timeline/html/html_timeline.h"

#include <algorithm>
#include <utility>

namespace tessera {

HtmlTimeline::HtmlTimeline(std::function<void(std::string_view)> sink, std::string title)
    : sink_(std::move(sink)), title_(std::move(title)) {}

TraceFile::Track HtmlTimeline::group(std::string_view name) {
  groups_.emplace_back(name);
  return groups_.size() - 1;
}

TraceFile::Track HtmlTimeline::add(OwnTrack track) {
  tracks_.push_back(std::move(track));
  return tracks_.size() - 1;
}

TraceFile::Track HtmlTimeline::track(Track group, std::string_view name, int rank) {
  return add({.group = group, .name = std::string(name), .rank = rank});
}

TraceFile::Track HtmlTimeline::counter(Track group, std::string_view name, int rank,
                                       std::string_view unit) {
  return add({.group = group,
              .name = std::string(name),
              .unit = std::string(unit),
              .rank = rank,
              .counter = rows_.add_counter()});
}

std::int32_t HtmlTimeline::word(std::string_view text) {
  if (const auto found = known_words_.find(text); found != known_words_.end()) return found->second;
  words_.emplace_back(text);
  return known_words_.emplace(text, static_cast<std::int32_t>(words_.size()) - 1).first->second;
}

std::int32_t HtmlTimeline::source(const Loc& loc) {
  if (!loc) return -1;
  const auto [found, is_new] =
      known_sources_.try_emplace(loc.source.get(), static_cast<std::int32_t>(sources_.size()));
  if (is_new) sources_.push_back(loc.source);
  return found->second;
}

std::int32_t HtmlTimeline::label(const Slice& slice) {
  const Label label = {word(slice.name), static_cast<std::int32_t>(slice.kind), source(slice.loc),
                       slice.loc.line};
  const auto [found, is_new] =
      known_labels_.try_emplace(label, static_cast<std::int32_t>(labels_.size()));
  if (is_new) labels_.push_back(label);
  return found->second;
}

void HtmlTimeline::begin(Track track, std::int64_t at, const Slice& slice) {
  OwnTrack& own = this->own(track);
  if (own.open.size() == own.rows.size()) own.rows.push_back(rows_.add_row());
  const std::int32_t row = own.rows[own.open.size()];
  const Reference reference{row, rows_.next(row)};
  own.open.push_back(
      {.begin = at, .end = at, .label = label(slice), .is_kept = !slice.findings.empty()});
  ++slices_;
  for (const Flow flow : slice.from) arrows_.push_back({flow, reference, true});
  for (const Flow flow : slice.to) arrows_.push_back({flow, reference, false});
  for (const int finding : slice.findings) marks_.push_back({finding, reference});
  for (const Argument& argument : slice.arguments)
    details_.push_back({reference, word(argument.name), argument.value});
  if (arrows_.size() + details_.size() > drop_at_) drop_summarised();
}

void HtmlTimeline::end(Track track, std::int64_t at) {
  OwnTrack& own = this->own(track);
  own.open.back().end = at;
  rows_.add(own.rows[own.open.size() - 1], own.open.back());
  own.open.pop_back();
  last_ = std::max(last_, at);
}

void HtmlTimeline::count(Track counter, std::int64_t at, double value) {
  rows_.add(own(counter).counter, TimelineRows::Point{at, value});
}

void HtmlTimeline::finding(const Finding& finding) { findings_.push_back(finding); }

// Drops the arrows and details of slices that are in summaries.
void HtmlTimeline::drop_summarised() {
  const auto is_summarised = [&](const Reference& slice) {
    return slice.number < rows_.next(slice.row) && !rows_.find(slice.row, slice.number);
  };
  std::erase_if(arrows_, [&](const Arrow& arrow) { return is_summarised(arrow.slice); });
  std::erase_if(details_, [&](const Detail& detail) { return is_summarised(detail.slice); });
  drop_at_ = std::max(drop_at_, 2 * (arrows_.size() + details_.size()));
}

void HtmlTimeline::finish() {
  for (Track track = 0; track < tracks_.size(); ++track)
    while (!own(track).open.empty()) end(track, last_);
  std::string data = this->data();
  std::size_t slices = rows_.slice_count(), points = rows_.point_count();
  while (data.size() > most_data && slices > 1000) {
    rows_.reduce(slices = slices / 4 * 3, points = points / 4 * 3);
    data = this->data();
  }
  sink_(page(data));
}

}  // namespace tessera
