// Makes a certificate of the run that it observes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "analysis/certificate/certificate.h"
#include "analysis/certificate/record/recorder.h"
#include "interp/observe/observer.h"
#include "interp/observe/relay.h"

namespace tessera {

// What an analysis says of a program that reads counts. All speak of the schedules in which the
// reads get what they got in this run, where that can be told. pinned: of no others, the caller
// tries those. unsettled: without races that another count might rule out, where it cannot be told.
enum class Reads : std::uint8_t { free, pinned, unsettled };

// Records one run and analyses it. certificate() means something after the run; findings are added
// to its result.
class Certifier : public Observer {
 public:
  Certifier(CopyGranularity granularity, std::int64_t budget, bool necessity = false,
            Reads reads = Reads::free, std::size_t listed = listed_races)
      : recorder_(granularity, budget),
        asks_necessity_(necessity),
        reads_(reads),
        listed_(listed) {}
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool observes_assertions() const override { return true; }
  // Where the caller wants the analysis and nothing else of the run.
  void end_run_when_full() { ends_run_ = true; }
  bool is_full() const override { return ends_run_ && recorder_.is_full(); }
  void end(RunResult& result) override;
  const Certificate& certificate() const { return certificate_; }
  const Record& record() const { return recorder_.record(); }
  // What was analysed: the record, with the counts that were read held in their places.
  const Record& analysed() const { return pinned_ ? *pinned_ : record(); }
  std::optional<std::uint64_t> order() const { return order_; }  // of parallel loops

 private:
  void analyse(RunResult& result);
  void judge_loops(RunResult& result);
  void list_races(const RunResult& result, const Record& record, const RaceAnalysis& analysis,
                  const ControlFlow& control);
  void give_up(const RunResult& result, RunEnd end);
  void explain_waits(const ControlFlow& control);

  Recorder recorder_;
  std::int64_t relayed_from_ = 0;  // events of the run; those before are recorded at once
  std::optional<Relay<std::int64_t>> relay_;  // then the recorder has a thread of its own
  std::optional<Record> pinned_;
  bool asks_necessity_;
  bool ends_run_ = false;
  Reads reads_;
  std::size_t listed_;
  std::string profile_;
  std::optional<std::uint64_t> order_;
  std::shared_ptr<const PointsVerdict> points_;
  bool orders_copies_ = false;  // of the run: --dma-order fifo
  Certificate certificate_;
};

}  // namespace tessera
