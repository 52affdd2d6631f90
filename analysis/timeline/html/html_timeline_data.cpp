// The data of the page that shows a timeline.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/timeline/html/embedded.h"
#include "analysis/timeline/html/html_timeline.h"
#include "core/report/check.h"
#include "core/report/json_text.h"
#include "core/report/printable.h"

namespace tessera {
namespace {

constexpr std::size_t most_source = 500'000;  // bytes of all source texts

// The text as a JSON string that a script element may contain.
std::string script_string(std::string_view text) {
  std::string result = json_string(printable(text));
  for (std::size_t at = 0; (at = result.find('<', at)) != std::string::npos;)
    result.replace(at, 1, "\\u003c");
  return result;
}

template <typename Range, typename Text>
std::string json_list(const Range& range, const Text& text) {
  std::string result = "[";
  for (const auto& each : range) {
    if (result.size() > 1) result += ',';
    result += text(each);
  }
  return result + "]";
}

std::string_view viewer_file(std::string_view name) {
  const auto* const end = embedded_viewer_files + embedded_viewer_file_count;
  const auto* const found = std::find_if(
      embedded_viewer_files, end, [&](const EmbeddedText& file) { return file.name == name; });
  CHECK(found != end);
  return found->text;
}

}  // namespace

// Gap before the slice, duration, label; for a summary ~label, number and busy time of its slices.
std::string HtmlTimeline::row_json(std::int32_t row) const {
  std::int64_t last = 0;
  return json_list(rows_.slices(row), [&](const TimelineRows::Slice& slice) {
    std::string text = fmt::format("{},{},{}", slice.begin - last, slice.end - slice.begin,
                                   slice.count > 1 ? ~slice.label : slice.label);
    if (slice.count > 1) text += fmt::format(",{},{}", slice.count, slice.busy);
    last = slice.end;
    return text;
  });
}

std::string HtmlTimeline::counter_json(std::int32_t counter) const {
  std::int64_t last = 0;
  return json_list(rows_.points(counter), [&](const TimelineRows::Point& point) {
    return fmt::format("{},{:.6g}", point.at - std::exchange(last, point.at), point.value);
  });
}

std::string HtmlTimeline::tracks_json() const {
  std::vector<std::size_t> order(tracks_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(tracks_[a].group, tracks_[a].rank) <
           std::pair(tracks_[b].group, tracks_[b].rank);
  });
  return json_list(order, [&](std::size_t t) {
    const OwnTrack& track = tracks_[t];
    const std::string head =
        fmt::format(R"({{"group":{},"name":{},)", track.group, script_string(track.name));
    if (track.counter >= 0)
      return head + fmt::format(R"("unit":{},"points":{}}})", script_string(track.unit),
                                counter_json(track.counter));
    return head +
           fmt::format(R"("rows":{},"slices":{}}})",
                       json_list(track.rows, [](std::int32_t row) { return fmt::to_string(row); }),
                       json_list(track.rows, [&](std::int32_t row) { return row_json(row); }));
  });
}

// "row,position"; empty if the slice is in a summary.
std::string HtmlTimeline::reference_json(const Reference& slice) const {
  const std::optional<std::int32_t> position = rows_.find(slice.row, slice.number);
  return position ? fmt::format("{},{}", slice.row, *position) : "";
}

std::string HtmlTimeline::arrows_json() const {
  std::vector<const Arrow*> sorted;
  for (const Arrow& arrow : arrows_) sorted.push_back(&arrow);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Arrow* a, const Arrow* b) {
    return std::pair(a->flow, !a->leaves) < std::pair(b->flow, !b->leaves);
  });
  std::vector<std::string> arrows;
  const Arrow* start = nullptr;
  for (const Arrow* arrow : sorted) {
    if (arrow->leaves) {
      start = arrow;
    } else if (start != nullptr && start->flow == arrow->flow) {
      std::string from = reference_json(start->slice), to = reference_json(arrow->slice);
      if (!from.empty() && !to.empty()) arrows.push_back(fmt::format("{},{}", from, to));
    }
  }
  return json_list(arrows, [](const std::string& arrow) { return arrow; });
}

std::string HtmlTimeline::details_json() const {
  std::string result = "[";
  for (const Detail& detail : details_) {
    const std::string slice = reference_json(detail.slice);
    if (slice.empty()) continue;
    const std::string value = std::visit(
        [](const auto& each) {
          if constexpr (std::is_same_v<std::decay_t<decltype(each)>, std::string>)
            return script_string(each);
          else
            return fmt::format("{}", each);
        },
        detail.value);
    result += fmt::format("{}{},{},{}", result.size() > 1 ? "," : "", slice, detail.name, value);
  }
  return result + "]";
}

std::string HtmlTimeline::findings_json() const {
  std::vector<std::vector<std::string>> slices(findings_.size());
  for (const Mark& mark : marks_)
    slices[static_cast<std::size_t>(mark.finding)].push_back(reference_json(mark.slice));
  std::size_t next = 0;
  return json_list(findings_, [&](const Finding& finding) {
    return fmt::format(R"({{"kind":{},"text":{},"slices":{}}})", script_string(name(finding.kind)),
                       script_string(render(finding, finding.message, false)),
                       json_list(slices[next++], [](const std::string& slice) { return slice; }));
  });
}

std::string HtmlTimeline::texts_json() const {
  std::size_t left = most_source;
  const std::string sources = json_list(sources_, [&](const std::shared_ptr<const Source>& source) {
    const bool fits = source->text.size() <= left;
    if (fits) left -= source->text.size();
    return fmt::format(R"({{"name":{},"text":{}}})", script_string(source->name),
                       fits ? script_string(source->text) : "null");
  });
  const auto numbers = [](const auto& each) {
    return json_list(each, [](std::int32_t number) { return fmt::to_string(number); });
  };
  std::string kinds = "[";
  for (const Kind kind :
       {Kind::work, Kind::wait, Kind::signal, Kind::copy, Kind::region, Kind::finding})
    kinds += fmt::format("{}\"{}\"", kinds.size() > 1 ? "," : "", name(kind));
  return fmt::format(R"("words":{},"kinds":{}],"labels":{},"summaries":{},"sources":{})",
                     json_list(words_, script_string), kinds, json_list(labels_, numbers),
                     json_list(rows_.labels(), numbers), sources);
}

std::string HtmlTimeline::data() const {
  return fmt::format(
      R"({{"title":{},"end":{},"all":{},"groups":{},"tracks":{},"arrows":{},"details":{},"findings":{},{}}})",
      script_string(title_), last_, slices_, json_list(groups_, script_string), tracks_json(),
      arrows_json(), details_json(), findings_json(), texts_json());
}

std::string HtmlTimeline::page(std::string_view data) {
  std::string result(viewer_file("viewer.html"));
  const auto fill = [&](std::string_view place, std::string_view text) {
    const std::size_t at = result.find(place);
    CHECK(at != std::string::npos);
    result.replace(at, place.size(), text);
  };
  fill("@STYLE@", viewer_file("viewer.css"));
  fill("@SCRIPT@", viewer_file("viewer.js"));
  fill("@DATA@", data);
  return result;
}

}  // namespace tessera
