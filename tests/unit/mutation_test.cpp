// Fates of the mutants of small programs. Each mutant is the program with one change.
#include "tests/mutation/mutation_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/lang/language.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;

Program expanded(const std::string& text) {
  auto program = test::program(text);
  EXPECT_TRUE(program) << (program ? "" : test::messages(program.diags())) << text;
  return *expand(*program);
}

Expected<MutationTest> judged(const std::string& text, int devices,
                              CertifyOptions options = CertifyOptions{}) {
  const Program program = expanded(text);
  // One set of operands for all runs, because every run overwrites its results.
  Operands operands(program, devices);
  options.run.machine.devices = devices;
  return mutation_test(
      [&](const RunOptions& run_options) { return run(program, operands.bindings(), run_options); },
      options);
}

// Returns a line like "7 wait, count: one less -> leftover" for each mutant.
std::string fates_of(const Expected<MutationTest>& test) {
  if (!test) return render(test.diags());
  std::string text;
  for (const JudgedMutant& m : test->mutants)
    text += fmt::format("{} {}{}{}: {} -> {}\n", m.loc.line, m.mnemonic,
                        m.mutant.field.empty() ? "" : ", ", m.mutant.field, name(m.mutant.mutation),
                        name(m.fate));
  return text;
}

// Mutants replace a named core by the next one, and the own core of a signal by the same core of
// another device.
TEST(mutation, another_core) {
  CertifyOptions options;
  options.run.machine.cores = 2;
  const auto test = judged(
      "kernel k()\n  in a: f32[2, 8] hbm\n  out o: f32[2, 8] hbm\n  sem all: barrier(0)\n"
      "  sem s: count\n  sem sent: bytes\n  sem arrived: bytes\n{\n"
      "  for d in devices { for c in cores { signal all on d core c, 1 } }\n"
      "  wait all, devices * cores\n"
      "  signal s, 1\n"
      "  wait s, 1\n"
      "  start a[core +: 1, :] -> 1 - device core core: o[core +: 1, :], sent, arrived\n"
      "  wait sent, 32\n"
      "  wait arrived, 32\n"
      "}\n",
      2, options);
  const std::string fates = fates_of(test);
  for (const char* line : {"9 signal, core: another core -> equivalent\n",
                           "11 signal, device: another device -> equivalent\n",
                           "13 start_remote, core: another core -> equivalent\n"})
    EXPECT_NE(fates.find(line), std::string::npos) << line << fates;
  EXPECT_EQ(fates.find("undecided"), std::string::npos) << fates;
  EXPECT_EQ(fates.find("finding\n"), std::string::npos) << fates;
}

// Line 0 is the barrier that is added to a kernel without a barrier.
TEST(mutation, every_change_of_a_signal_and_a_wait) {
  const auto test = judged(
      "kernel k()\n  in a: f32[8] hbm\n  out o: f32[8] hbm\n  sem s: count\n"
      "  sem sent: bytes\n  sem arrived: bytes\n{\n"
      "  signal s on (device + 1) mod devices, 2\n"
      "  wait s, 2\n"
      "  start a -> (device + 1) mod devices: o, sent, arrived\n"
      "  wait sent, 32\n"
      "  wait arrived, 32\n"
      "}\n",
      3);
  EXPECT_EQ(fates_of(test),
            "0 signal: removed -> deadlock\n"
            "0 signal, device: another device -> equivalent\n"
            "0 signal, count: one more -> leftover\n"
            "0 signal, count: one less -> deadlock\n"
            "0 wait: removed -> leftover\n"
            "0 wait, count: one more -> deadlock\n"
            "0 wait, count: one less -> leftover\n"
            "8 signal: removed -> deadlock\n"
            "8 signal, device: another device -> equivalent\n"
            "8 signal, count: one more -> leftover\n"
            "8 signal, count: one less -> deadlock\n"
            "9 wait: removed -> leftover\n"
            "9 wait, count: one more -> deadlock\n"
            "9 wait, count: one less -> leftover\n"
            "10 start_remote: removed -> deadlock\n"
            "10 start_remote, device: another device -> value\n"
            "10 start_remote: semaphores swapped -> equivalent\n"
            "11 wait: removed -> leftover\n"
            "11 wait, count: one more -> deadlock\n"
            "11 wait, count: one less -> leftover\n"
            "12 wait: removed -> leftover\n"
            "12 wait, count: one more -> deadlock\n"
            "12 wait, count: one less -> leftover\n");
}

TEST(mutation, slots_and_cells) {
  const auto test = judged(
      "kernel k()\n  in a: f32[4, 8] hbm\n  out o: f32[4, 8] hbm\n  vmem slot: f32[2, 8]\n"
      "  sem landed[2]: bytes\n  sem stored[2]: bytes\n{\n"
      "  for i in 4 {\n"
      "    start a[i, :] -> slot[i mod 2, :], landed[i mod 2]\n"
      "    wait landed[i mod 2], 32\n"
      "    start slot[i mod 2, :] -> o[i, :], stored[i mod 2]\n"
      "    if i > 0 { wait stored[(i + 1) mod 2], 32 }\n"
      "  }\n"
      "  wait stored[1], 32\n"
      "}\n",
      1);
  EXPECT_EQ(fates_of(test),
            "9 start: removed -> deadlock\n"
            "9 start, src: another slot -> value\n"
            "9 start, dst: another slot -> finding\n"
            "9 start, sem: another cell -> deadlock\n"
            "10 wait: removed -> leftover\n"
            "10 wait, sem: another cell -> deadlock\n"
            "10 wait, count: one more -> deadlock\n"
            "10 wait, count: one less -> leftover\n"
            "11 start: removed -> deadlock\n"
            "11 start, src: another slot -> finding\n"
            "11 start, dst: another slot -> value\n"
            "11 start, sem: another cell -> race, other end\n"
            "12 wait: removed -> leftover\n"
            "12 wait, sem: another cell -> deadlock\n"
            "12 wait, count: one more -> deadlock\n"
            "12 wait, count: one less -> leftover\n"
            "14 wait: removed -> leftover\n"
            "14 wait, sem: another cell -> deadlock\n"
            "14 wait, count: one more -> deadlock\n"
            "14 wait, count: one less -> leftover\n");
}

TEST(mutation, what_is_never_reached_changes_nothing) {
  const auto test = judged(
      "kernel k()\n  in a: f32[8] hbm\n  out o: f32[8] hbm\n  sem s: count\n{\n"
      "  copy a -> o\n"
      "  if device > 0 { signal s on 0, 1 }\n"
      "  if device > 0 { wait s, 1 }\n"
      "}\n",
      1);
  EXPECT_EQ(fates_of(test),
            "0 signal: removed -> deadlock\n"
            "0 signal, device: another device -> equivalent\n"
            "0 signal, count: one more -> leftover\n"
            "0 signal, count: one less -> deadlock\n"
            "0 wait: removed -> leftover\n"
            "0 wait, count: one more -> deadlock\n"
            "0 wait, count: one less -> leftover\n"
            "6 start: removed -> deadlock\n"
            "6 wait: removed -> leftover\n"
            "6 wait, count: one more -> deadlock\n"
            "6 wait, count: one less -> leftover\n"
            "7 signal: removed -> unreached\n"
            "7 signal, device: another device -> unreached\n"
            "7 signal, count: one more -> unreached\n"
            "7 signal, count: one less -> unreached\n"
            "8 wait: removed -> unreached\n"
            "8 wait, count: one more -> unreached\n"
            "8 wait, count: one less -> unreached\n");
}

TEST(mutation, only_proved_programs_have_mutants) {
  const auto test = judged("kernel k()\n  sem s: count\n{\n  signal s on device, 1\n}\n", 1);
  ASSERT_FALSE(test);
  EXPECT_EQ(test.diags()[0].message,
            "mutants are made of a program that is proved, and this one is refuted");
}

TEST(mutation, a_mutant_is_the_program_with_one_change) {
  const Program program = expanded(
      "kernel k()\n  sem s[3]: count\n{\n  i = device + 1\n  signal s[i] on device, 2\n"
      "  wait s[i], 2\n}\n");
  const auto lines = [](const Program& p) {
    std::string text = print(p);
    return text.substr(text.find("{\n"));
  };
  std::string text;
  for (const Mutant& mutant : mutants(program))
    text += fmt::format("{} {}\n{}", name(mutant.mutation), mutant.field,
                        lines(mutated(program, mutant)));
  EXPECT_EQ(text,
            "removed \n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  require 1, \"removed\"\n"
            "  wait s[i], 2\n"
            "}\n"
            "another cell sem\n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  x = i + 1\n"
            "  x_2 = x mod 3\n"
            "  signal s[x_2] on device_2, 2\n"
            "  wait s[i], 2\n"
            "}\n"
            "another device device\n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  x = devices\n"
            "  x_2 = device_2 + 1\n"
            "  x_3 = x_2 mod x\n"
            "  signal s[i] on x_3, 2\n"
            "  wait s[i], 2\n"
            "}\n"
            "one more count\n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  x = 2 + 1\n"
            "  signal s[i] on device_2, x\n"
            "  wait s[i], 2\n"
            "}\n"
            "one less count\n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  x = 2 - 1\n"
            "  signal s[i] on device_2, x\n"
            "  wait s[i], 2\n"
            "}\n"
            "removed \n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  signal s[i] on device_2, 2\n"
            "  require 1, \"removed\"\n"
            "}\n"
            "another cell sem\n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  signal s[i] on device_2, 2\n"
            "  x = i + 1\n"
            "  x_2 = x mod 3\n"
            "  wait s[x_2], 2\n"
            "}\n"
            "one more count\n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  signal s[i] on device_2, 2\n"
            "  x = 2 + 1\n"
            "  wait s[i], x\n"
            "}\n"
            "one less count\n"
            "{\n"
            "  device_2 = device\n"
            "  i = device_2 + 1\n"
            "  signal s[i] on device_2, 2\n"
            "  x = 2 - 1\n"
            "  wait s[i], x\n"
            "}\n");
}

}  // namespace
}  // namespace tessera
