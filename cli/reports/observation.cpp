#include "cli/reports/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <ostream>
#include <string_view>
#include <utility>

#include "analysis/timeline/html/html_timeline.h"
#include "analysis/timeline/perfetto_trace.h"

namespace tessera::cli {
namespace {

bool is_page(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.ends_with(".html") || name.ends_with(".htm");
}

// The file of --timeline, by its name: a page or a trace for Perfetto.
std::unique_ptr<TraceFile> trace_of_time(const RunRequest& request,
                                         std::function<void(std::string_view)> sink) {
  if (request.timeline_file && is_page(request.timeline_file->path()))
    return std::make_unique<HtmlTimeline>(std::move(sink),
                                          request.invocation.without({"timeline", "json"}).line());
  return std::make_unique<PerfettoTrace>(std::move(sink));
}

}  // namespace

Observation::Observation(const RunRequest& request, Console& console,
                         const std::vector<Observer*>& more)
    : console_(console),
      options_(request.options),
      watch_(console),
      trace_file_(request.trace_file),
      trace_([this](std::string_view line) {
        if (trace_file_ == nullptr) {
          console_.err << line;
        } else if (written_) {
          written_ = trace_file_->append(line);
        }
      }),
      timeline_file_(request.timeline_file),
      trace_of_time_(trace_of_time(request,
                                   [this](std::string_view bytes) {
                                     if (drawn_) drawn_ = timeline_file_->append(bytes);
                                   })),
      drawing_(*trace_of_time_),
      timing_(request.timing),
      certifier_(request.certified_granularity, certified_events, false, Reads::unsettled),
      node_check_(request.node_check) {
  if (node_check_) options_.observers.push_back(node_check_.get());
  if (request.is_simulated() && request.certifies) {
    options_.checks.loops = request.certified_granularity;
    options_.observers.push_back(&certifier_);
  }
  if (request.is_simulated() && request.prints) {
    prints_ = request.prints;
    prints_->attach(console, [this] { watch_.hide(); });
    options_.debug_sink = prints_.get();
  }
  for (Observer* observer :
       std::initializer_list<Observer*>{request.deeper.get(), request.compile_notes.get()})
    if (observer != nullptr) options_.observers.push_back(observer);
  if (timing_) options_.observers.push_back(timing_.get());
  if (timeline_file_) timing_->tell(drawing_);
  if (!request.trace.empty()) options_.observers.push_back(&trace_);
  options_.observers.insert(options_.observers.end(), more.begin(), more.end());
  watch_.attach(options_);
}

Expected<void> Observation::finish_timeline() {
  if (timeline_file_ == nullptr || !drawn_) return drawn_;
  if (!drawing_.is_drawn())
    return error(ErrorCode::interrupted, "no timeline is written: the run did not complete");
  if (!timing_->timing().is_complete)
    return error(
        ErrorCode::runtime,
        "no timeline is written: the order of the run is not possible in modelled time, its "
        "control flow depends on counts, or the profile gives no link_bandwidth for its "
        "remote copies");
  return timeline_file_->commit();
}

Expected<void> Observation::finish() {
  watch_.hide();
  if (prints_ && !console_.json) console_.out << prints_->notes();
  const Expected<void> timeline = finish_timeline();
  const Expected<void> trace = trace_file_ && written_ ? trace_file_->commit() : written_;
  if (timeline && trace) return {};
  Diags diags = timeline ? Diags() : timeline.diags();
  if (!trace) diags.insert(diags.end(), trace.diags().begin(), trace.diags().end());
  return diags;
}

}  // namespace tessera::cli
