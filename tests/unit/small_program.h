// A program from text that moves blocks atomically (core/passes/at_once.h), with its verdicts and
// task graphs.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/certificate/points/judged_points.h"
#include "analysis/task_graph/task_graph.h"
#include "core/passes/at_once.h"
#include "tests/unit/language_support.h"

namespace tessera::test {

// Runs on all devices, with operands that are zero.
class SmallProgram {
 public:
  explicit SmallProgram(const std::string& text, int devices = 1)
      : structured_(*program(text)), expanded_(*expand(structured_)), points_(structured_) {
    how_.run.machine.devices = devices;
    how_.run.math = Math::none;
    how_.run.computes_values = false;
    for (int device = 0; device < devices; ++device) {
      bindings_.emplace_back();
      for (const Buffer& b : structured_.buffers)
        if (b.role != Role::scratch) {
          tensors_.push_back(std::make_unique<Tensor>(b.dtype, b.shape));
          bindings_.back().emplace(b.name, tensors_.back().get());
        }
    }
  }
  const Program& structured() const { return structured_; }
  // at_once: with atomic block moves, like the planner; otherwise expanded.
  Certificate verdict(bool at_once, const MachineProfile& profile = {}) {
    CertifyOptions how = how_;
    how.run.machine.profile = profile;
    if (at_once) how.run.rewrite = MoveAtOnce{};
    return verdict(how);
  }
  Certificate verdict(const MoveAtOnce& form) {
    CertifyOptions how = how_;
    how.run.rewrite = form;
    return verdict(how);
  }
  Expected<graph::TaskGraph> graph(const MachineProfile& profile = {}) {
    CertifyOptions how = how_;
    how.run.machine.profile = profile;
    return graph::task_graph(simulate(), how);
  }
  Expected<graph::TaskGraph> folded_graph() { return graph::folded_task_graph(simulate(), how_); }

 private:
  Simulate simulate() {
    return [this](const RunOptions& options) { return points_.run(expanded_, bindings_, options); };
  }
  Certificate verdict(const CertifyOptions& how) {
    const auto certificate = certify(simulate(), how);
    if (!certificate) ADD_FAILURE() << render(certificate.diags());
    return *certificate;
  }

  Program structured_, expanded_;
  JudgedPoints points_;
  CertifyOptions how_;
  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::vector<Binding> bindings_;
};

}  // namespace tessera::test
