#include "cli/reports/observation.h"

#include <fmt/format.h>

#include <ostream>

namespace tessera::cli {

Observation::Observation(const RunRequest& request, Console& console)
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
      certifier_(request.certified_landing, certified_events, false, Reads::unsettled) {
  if (request.is_simulated() && request.certifies) {
    points_.landing = request.certified_landing;
    options_.points = &points_;
    options_.observers.push_back(&certifier_);
  }
  if (request.timing) options_.observers.push_back(request.timing.get());
  if (!request.trace.empty()) options_.observers.push_back(&trace_);
  watch_.attach(options_);
}

Expected<void> Observation::finish() {
  watch_.hide();
  if (trace_file_ == nullptr || !written_) return written_;
  return trace_file_->commit();
}

}  // namespace tessera::cli
