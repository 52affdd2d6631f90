// A run as text: one line for each step, with its accesses and signals, the source line and the
// loop indices; for a copy, the source line of its start.
//   dev0.core0  12  matmul  read a[0 .. 128, 0 .. 64]  write acc[0 .. 128, 3]
//   gmm.tsr:20  i=0 j=1 s=3
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "interp/machine/topology.h"
#include "interp/observe/observer.h"

namespace tessera {

class TextTrace : public Observer {
 public:
  // Called with each line, including its line break, as soon as it is complete.
  using Sink = std::function<void(std::string_view line)>;
  explicit TextTrace(Sink sink) : sink_(std::move(sink)) {}
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  void end(RunResult& result) override;
  bool supports_loop_workers() const override { return true; }

 private:
  void finish_line();
  std::string event_text(const Event& event) const;

  const Program* program_ = nullptr;
  Topology topology_;
  Sink sink_;
  std::string line_;   // line of the current step
  std::string loops_;  // loop indices of the current step
  AgentId agent_;
  std::int64_t step_ = -1;
  StmtId statement_;
};

}  // namespace tessera
