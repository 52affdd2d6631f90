// Observers on a thread of their own see what those see that the run tells itself.
#include "interp/observe/relayed_observers.h"

#include <gtest/gtest.h>

#include <bit>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include "core/program/refs.h"
#include "interp/run.h"
#include "tests/unit/small_program.h"

namespace tessera {
namespace {

// More events than a run tells itself: tiles of their own rows, copies, assertions, pipelines.
const std::string text =
    "kernel k()\n  in a: f32[64, 8] hbm\n  in n: i32[64] smem\n  out o: f32[64, 8] hbm\n"
    "  smem c: i32[64]\n  sem s: bytes\n  vmem v: f32[8, 8]\n  tile acc: f32[8, 8]\n{\n"
    "  start n -> c, s\n  wait s for c\n"
    "  for r in 600 {\n    v = 0\n    assert c[r mod 64] == 0\n"
    "    for i in 8 { start v[i +: 1, :] -> v[(i + 1) mod 8 +: 1, :], s\n wait s for v[0 +: 1, :] "
    "}\n"
    "    pipeline i in 8 parallel {\n      window x = a[i * 8 +: 8, :]\n"
    "      window y = o[i * 8 +: 8, :]\n      acc = x + real(r)\n"
    "      acc[(i + r) mod 8 +: 1, :] = acc[i +: 1, :] + 2\n      y = acc\n    }\n  }\n}\n";

// All that an observer may look at.
class Seen : public Observer {
 public:
  explicit Seen(bool judges_assertions) : judges_assertions_(judges_assertions) {}
  void begin(const Program& program, const RunOptions&) override { program_ = &program; }
  bool judges_assertions() const override { return judges_assertions_; }
  void on(const Event& event) override {
    std::vector<std::int64_t> numbers = {static_cast<std::int64_t>(event.kind),
                                         event.agent.device,
                                         event.agent.dma,
                                         event.index,
                                         event.step,
                                         event.agent_step,
                                         event.statement.index,
                                         event.object.index,
                                         event.cell,
                                         event.amount,
                                         event.token};
    if (event.box != nullptr)
      for (int d = 0; d < event.box->rank; ++d) {
        numbers.push_back(event.box->start[Box::at(d)]);
        numbers.push_back(event.box->size[Box::at(d)]);
      }
    if (event.registers != nullptr && event.statement)
      for (const FieldInfo& f : info(program_->body[event.statement].op).fields) {
        if (f.kind != FieldKind::Slice) continue;
        const Slice& slice = field<Slice>(program_->body[event.statement].op, f);
        if (is_number(*program_, slice)) numbers.push_back(event.registers[slice.base.index]);
        for (int d = 0; d < slice.rank; ++d)
          numbers.push_back(event.registers[slice.start[Box::at(d)].index]);
      }
    seen.push_back(std::move(numbers));
  }
  void end(RunResult& result) override { ended_by = result.end; }

  std::vector<std::vector<std::int64_t>> seen;
  RunEnd ended_by = RunEnd::stop;

 private:
  bool judges_assertions_;
  const Program* program_ = nullptr;
};

// Of a run with these observers.
Expected<RunResult> run_with(const std::vector<Observer*>& observers) {
  const auto program = *expand_at_once(*test::program(text));
  Tensor a(DType::f32, {64, 8}), n(DType::i32, {64}), o(DType::f32, {64, 8});
  const Binding binding{{"a", &a}, {"n", &n}, {"o", &o}};
  RunOptions options;
  options.math = Math::none;
  options.observers = observers;
  return run(program, {binding}, options);
}

TEST(RelayedObservers, see_what_the_run_tells) {
  Seen all(true), done(false), all_relayed(true), done_relayed(false);
  ASSERT_TRUE(run_with({&all, &done}));
  RelayedObservers relayed({&all_relayed, &done_relayed});
  ASSERT_TRUE(run_with({&relayed}));
  EXPECT_GT(done.seen.size(), 30'000U);
  EXPECT_GT(all.seen.size(), done.seen.size());
  EXPECT_EQ(all.seen, all_relayed.seen);
  EXPECT_EQ(done.seen, done_relayed.seen);
  EXPECT_EQ(all_relayed.ended_by, RunEnd::program);
}

// Engines do with the graph what its actions say.
TEST(RelayedObservers, keep_the_numbers_that_ops_take) {
  test::SmallProgram program(text);
  const auto graph = program.graph();
  ASSERT_TRUE(graph) << render(graph.diags());
  std::vector<float> taken;
  for (const graph::Action& action : graph->actions) {
    const Stmt& s = graph->program.body[action.statement];
    if (!std::holds_alternative<TileAdd>(s.op)) continue;
    for (const auto& [value, bits] : action.scalars)
      if (graph->program.value(value).kind == ValueKind::real)
        taken.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  ASSERT_EQ(taken.size(), 600U * 8U);
  for (std::size_t i = 0; i < taken.size(); ++i) ASSERT_EQ(taken[i], static_cast<float>(i / 8));
}

// There is room for so many events.
class Small : public Observer {
 public:
  explicit Small(std::size_t most) : most_(most) {}
  void on(const Event&) override {
    ++count;
    if (count > most_) throw std::bad_alloc();
  }
  void end(RunResult& result) override { ended_by = result.end; }
  RunEnd ended_by = RunEnd::stop;
  std::size_t count = 0;

 private:
  std::size_t most_;
};

TEST(RelayedObservers, end_the_run_where_they_have_no_memory) {
  Seen done(false);
  ASSERT_TRUE(run_with({&done}));
  // In the middle, and with the last event, when the run has come to its end.
  for (const std::size_t most : {std::size_t{25'000}, done.seen.size() - 1}) {
    Small small(most);
    Seen other(true);
    RelayedObservers relayed({&other, &small});
    const auto result = run_with({&relayed});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->end, RunEnd::memory);
    EXPECT_EQ(small.ended_by, RunEnd::memory);
    EXPECT_EQ(small.count, most + 1);
    EXPECT_EQ(other.ended_by, RunEnd::memory);
  }
}

// Takes so many, and says so.
class Full : public Observer {
 public:
  explicit Full(std::size_t most) : most_(most) {}
  void on(const Event&) override { ++count; }
  bool is_full() const override { return count >= most_; }
  std::size_t count = 0;

 private:
  std::size_t most_;
};

TEST(RelayedObservers, end_the_run_when_they_are_full) {
  for (const std::size_t most : {100U, 21'000U}) {
    Full full(most);
    RelayedObservers relayed({&full});
    const auto result = run_with({&relayed});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->end, RunEnd::events) << most;
    EXPECT_LT(full.count, 60'000U) << most;
  }
}

}  // namespace
}  // namespace tessera
