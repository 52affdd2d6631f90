// Small programs for the interpreter's tests: a builder with line numbers, and functions to run the
// programs.
#pragma once
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/program/builder.h"
#include "core/report/check.h"
#include "interp/launch.h"
#include "interp/run.h"

namespace tessera::testing {

// A range in one dimension, or one index, which drops the dimension.
struct Range {
  ValueId start;
  ValueId size = no_value;  // no_value: one index
};

class Kernel {
 public:
  Kernel() : builder_("t") {
    source_ = std::make_shared<const Source>(Source{"t.tsr", std::string(200, '\n')});
  }

  // Sets the line of the statements and declarations that follow.
  Kernel& line(int number) {
    builder_.at(Loc{source_, number, 1, 1});
    return *this;
  }
  ValueId integer(std::int64_t v) { return builder_.integer(v); }
  ValueId ref(const std::string& name, Role role, Space space, Shape shape,
              DType dtype = DType::f32) {
    return builder_.buffer({.name = name,
                            .role = role,
                            .space = space,
                            .dtype = dtype,
                            .shape = std::move(shape),
                            .order = {}});
  }
  ValueId scoped(const std::string& name, Space space, Shape shape, DType dtype = DType::f32) {
    return builder_.buffer({.name = name,
                            .space = space,
                            .dtype = dtype,
                            .shape = std::move(shape),
                            .order = {},
                            .scoped = true});
  }
  ValueId sem(const std::string& name, SemKind kind, Shape shape = {}) {
    return builder_.semaphore({.name = name, .kind = kind, .shape = std::move(shape)});
  }
  ValueId semaphore(Semaphore s) { return builder_.semaphore(std::move(s)); }
  Slice all(ValueId ref) { return builder_.whole(ref); }
  Slice at(ValueId ref, const std::vector<Range>& ranges) {
    Slice s{.base = ref, .rank = static_cast<std::int8_t>(ranges.size())};
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      s.start[d] = ranges[d].start;
      s.size[d] = ranges[d].size == no_value ? integer(1) : ranges[d].size;
      if (ranges[d].size == no_value) s.dropped |= static_cast<std::uint8_t>(1U << d);
    }
    return s;
  }
  Slice cell(ValueId ref, std::int64_t i) { return at(ref, {{integer(i)}}); }
  Slice rows(ValueId ref, std::int64_t begin, std::int64_t end) {
    return at(ref, {{integer(begin), integer(end - begin)}});
  }
  ValueId emit(Op op, std::string_view name = {}) { return builder_.emit(std::move(op), name); }
  ValueId device() { return emit(DeviceId{}); }
  ValueId device_to_the_right() {
    return emit(Mod{builder_.add(device(), integer(1)), emit(DeviceCount{})});
  }
  ValueId device_to_the_left() {
    const ValueId n = emit(DeviceCount{});
    return emit(Mod{builder_.sub(builder_.add(device(), n), integer(1)), n});
  }
  Builder& builder() { return builder_; }
  // Enters a loop, like `expand` for a `for` statement.
  void enter_loop(ValueId index) {
    builder_.enter_loop(builder_.program().value(index).name, index);
  }
  Program finish() { return builder_.finish(); }

 private:
  Builder builder_;
  std::shared_ptr<const Source> source_;
};

// Operands of all devices, created from the program's declarations.
class Operands {
 public:
  Operands(const Program& program, int devices) {
    for (int d = 0; d < devices; ++d) {
      bindings_.emplace_back();
      for (const Buffer& b : program.buffers) {
        if (b.role == Role::scratch) continue;
        tensors_.emplace_back(b.dtype, b.shape);
        Tensor& tensor = tensors_.back();
        // Small integers that depend on the device and the element.
        for (std::int64_t i = 0; b.role == Role::in && i < tensor.elements(); ++i)
          tensor.set(i, static_cast<double>(d * 16 + i % 13));
        bindings_.back()[b.name] = &tensor;
      }
    }
  }
  const std::vector<Binding>& bindings() const { return bindings_; }
  Tensor& of(int device, std::string_view name) {
    return *bindings_[static_cast<std::size_t>(device)].find(name)->second;
  }
  std::vector<double> values(int device, std::string_view name) {
    const Tensor& t = of(device, name);
    std::vector<double> v;
    for (std::int64_t i = 0; i < t.elements(); ++i) v.push_back(t.at(i));
    return v;
  }

 private:
  std::deque<Tensor> tensors_;
  std::vector<Binding> bindings_;
};

inline RunResult run_ok(const Program& program, Operands& operands, const RunOptions& options) {
  auto result = run(program, operands.bindings(), options);
  if (!result) {
    ADD_FAILURE() << render(result.diags());
    return {};
  }
  return *std::move(result);
}

// Returns the launch of the run.
inline KeptRun launch(const Program& program, const Operands& operands, const RunOptions& options) {
  auto kept = launch_of(
      [&](const RunOptions& once) { return run(program, operands.bindings(), once); }, options);
  CHECK(kept && *kept);
  return **std::move(kept);
}

inline RunResult run_ok(const Program& program, const RunOptions& options = {}) {
  Operands operands(program, options.machine.devices);
  return run_ok(program, operands, options);
}

// Returns the message with its loops, without the agent.
inline std::string text(FindingPlace place, const std::string& message) {
  place.agent.clear();
  place.device = -1;
  return message_text(place, message);
}

// Returns "line: kind: message", then "  line: note" for each note.
inline std::string text(const Finding& f) {
  std::string s = std::to_string(f.at.loc.line) + ": " + std::string(name(f.kind)) + ": " +
                  text(f.at, f.message);
  for (const FindingPlace& n : f.notes)
    s += "\n  " + std::to_string(n.loc.line) + ": " + text(n, n.message);
  return s;
}

inline std::string text(const RunResult& result) {
  std::string s;
  for (const Finding& f : result.findings) s += (s.empty() ? "" : "\n") + text(f);
  return s;
}

}  // namespace tessera::testing
