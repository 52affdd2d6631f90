// Observer that creates a certificate of the run.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "analysis/certificate/certificate.h"
#include "analysis/certificate/record/recorder.h"
#include "analysis/coverage/coverage.h"
#include "interp/observe/observer.h"
#include "interp/observe/relay.h"

namespace tessera {

// Treatment of programs that read counts without waiting. Races are decided for the schedules in
// which each read returns the same count as in this run, if the reads can be pinned
// (races/pinned.h).
//
//   free       condition waits_only is reported as broken.
//   pinned     the condition is not reported: the caller runs the other executions.
//   unsettled  as free, but without races if the reads cannot be pinned: other counts might rule
//              them out.
enum class Reads : std::uint8_t { free, pinned, unsettled };

// Records one run and analyses it when the run ends. Appends its findings to the result of the run
// and sets RunResult::certificate. An observer that sets RunResult::points must come before it.
class Certifier : public Observer {
 public:
  // granularity, budget (only events), necessity, listed: as in CertifyOptions.
  Certifier(CopyGranularity granularity, std::int64_t budget, bool necessity = false,
            Reads reads = Reads::free, std::size_t listed = listed_races)
      : recorder_(granularity, budget),
        asks_necessity_(necessity),
        reads_(reads),
        listed_(listed) {}
  void expanded(const Program& structured, const Program& expanded,
                const std::vector<Binding>& bindings, const RunOptions& options) override {
    coverage_.expanded(structured, expanded, bindings, options);
  }
  bool wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                 const RunOptions& options) override {
    return coverage_.wants_run(expanded, bindings, options);
  }
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool observes_assertions() const override { return true; }
  // Ends the run if the budget of events is exceeded. For callers that only use the analysis.
  void end_run_when_full() { ends_run_ = true; }
  bool is_full() const override { return ends_run_ && recorder_.is_full(); }
  void end(RunResult& result) override;
  // Requires that the run has ended. If it ended early, only its own findings are listed.
  const Certificate& certificate() const { return certificate_; }
  // Record of the run; without events if the run or analysis ended early.
  const Record& record() const { return recorder_.record(); }
  // The record that was analysed, with its reads of counts pinned if possible.
  const Record& analysed() const { return pinned_ ? *pinned_ : record(); }
  // Order seed of parallel loops; none: ascending.
  std::optional<std::uint64_t> order() const { return order_; }

 private:
  void analyse(RunResult& result);
  void judge_loops(RunResult& result);
  void list_races(const RunResult& result, const Record& record, const RaceAnalysis& analysis,
                  const ControlFlow& control);
  void give_up(const RunResult& result, RunEnd end);
  void explain_waits(const ControlFlow& control);

  Recorder recorder_;
  Coverage coverage_;
  // Number of events still to be recorded on this thread, before relay_ is used.
  std::int64_t relayed_from_ = 0;
  std::optional<Relay<std::int64_t>> relay_;  // to the recorder's own thread
  std::optional<Record> pinned_;
  bool asks_necessity_;
  bool ends_run_ = false;
  Reads reads_;
  std::size_t listed_;
  std::string profile_;
  std::optional<std::uint64_t> order_;
  std::shared_ptr<const PointsVerdict> points_;
  bool orders_copies_ = false;  // --dma-order fifo
  Certificate certificate_;
};

}  // namespace tessera
