#include "cli/observation.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/text.h"

namespace tessera::cli {

Observation::Observation(const RunRequest& request, Console& console)
    : console_(console),
      options_(request.options),
      progress_(console),
      trace_file_(request.trace_file),
      trace_([this](std::string_view line) {
        if (trace_file_ == nullptr) {
          console_.err << line;
        } else if (unwritten_.empty()) {
          unwritten_ = trace_file_->append(line);
        }
      }),
      certifier_(request.lands_in_parts, certified_events, false, Reads::unsettled) {
  if (request.is_interpreter() && request.certifies) {
    points_.in_parts = request.lands_in_parts;
    options_.points = &points_;
    options_.observers.push_back(&certifier_);
  }
  if (request.timing) options_.observers.push_back(request.timing.get());
  if (!request.trace.empty()) options_.observers.push_back(&trace_);
  options_.progress_context = &progress_;
  options_.progress = [](void* context, std::int64_t steps) {
    auto& progress = *static_cast<Progress*>(context);
    if (!progress.is_due()) return;
    progress.show(fmt::format("running: {} steps, {:.0f} s",
                              human_count(static_cast<double>(steps)), progress.elapsed()));
  };
}

Diags Observation::finish() {
  if (trace_file_ == nullptr || !unwritten_.empty()) return unwritten_;
  return trace_file_->commit();
}

}  // namespace tessera::cli
