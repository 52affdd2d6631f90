#include "tests/fuzz/harness/simulated.h"

#include <utility>

#include "core/data/splitmix.h"
#include "devices/interpreter/interpreter_device.h"
#include "interp/findings/cause.h"
#include "tests/fuzz/harness/harness.h"

namespace tessera::fuzz {
namespace {

void fill(Tensor& tensor, const std::string& name, const Directive& d, int device) {
  const auto given = d.inputs.find(name);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    if (given != d.inputs.end() && !given->second.empty()) {
      tensor.set(i, given->second[static_cast<std::size_t>(i) % given->second.size()]);
    } else {
      SplitMix random(d.seed * 1000003 + static_cast<std::uint64_t>(i * 8 + device));
      tensor.set(i, static_cast<double>(random.below(9)) - (size_of(tensor.dtype()) < 8 ? 2 : 0));
    }
  }
}

}  // namespace

Expected<bool> Operands::make(const Program& program, const Directive& directive) {
  for (int device = 0; device < directive.run.machine.devices; ++device) {
    bindings_.emplace_back();
    for (const Buffer& buffer : program.buffers) {
      if (buffer.role == Role::scratch) continue;
      Shape shape = buffer.shape;
      for (std::size_t i = 0; i < buffer.order.size(); ++i)
        shape[i] = buffer.shape[static_cast<std::size_t>(buffer.order[i])];
      Expected<Tensor> tensor = Tensor::allocate(buffer.dtype, shape);
      if (!tensor) return tensor.diags();
      if (buffer.role == Role::in) fill(*tensor, buffer.name, directive, device);
      tensors_.push_back(*std::move(tensor));
      bindings_.back()[buffer.name] = &tensors_.back();
    }
  }
  return true;
}

Expected<RunResult> Runs::run(const RunOptions& options) const {
  const Expected<DeviceReport> report = interpreter_device().run(
      program_, operands_.bindings(), {.profile = profile_.machine, .interpreter = &options});
  if (!report) {
    require_said(report.diags());
    return report.diags();
  }
  require_shown(report->findings);
  return *report->simulated;
}

void require_shown(const std::vector<Finding>& findings) {
  const std::vector<CauseLink> links = causes(findings);
  REQUIRE(links.size() == findings.size(), "a finding without its cause");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    REQUIRE(!render(findings[i]).empty(), "a finding is not shown");
    if (links[i].is_cause())
      REQUIRE(!folded_message(findings, links, i).empty(), "a cause is not shown");
  }
}

bool is_refused(const Diags& diags) {
  return diags.front().code == ErrorCode::environment ||
         diags.front().code == ErrorCode::interrupted;
}

bool is_truncated(const RunResult& result) {
  return result.end == RunEnd::stop || result.end == RunEnd::memory;
}

}  // namespace tessera::fuzz
