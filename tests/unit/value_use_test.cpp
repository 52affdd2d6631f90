// Unused values of a run. The shipped kernels have none.
#include "interp/observe/value_use.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/verify_target.h"
#include "kernels/programs/kernels.h"
#include "tests/source_dir.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

// Returns the notes for a command line of `verify`, one per line.
std::string notes_of(const std::string& words, CopyGranularity granularity = CopyGranularity::whole,
                     ValueUse use = ValueUse()) {
  std::istringstream stream(words);
  std::vector<std::string> all = {"verify"};
  for (std::string word; stream >> word;) all.push_back(word);
  const Expected<cli::VerifyTarget> target = cli::verify_target(all);
  if (!target) return target.diags().front().message;
  RunOptions options = target->how.run;
  options.observers = {&use};
  options.copies.granularity = granularity;
  const Expected<RunResult> result = target->prepared.simulate(options);
  if (!result) return result.diags().front().message;
  std::string text;
  for (const Finding& finding : result->findings) text += render(finding);
  for (const Finding& note : use.notes()) text += render(note);
  return text + use.why_unknown();
}

TEST(ValueUse, is_silent_on_every_shipped_kernel) {
  int kernels = 0;
  for (const Kernel& kernel : tessera::kernels()) {
    SCOPED_TRACE(kernel.name);
    EXPECT_EQ(notes_of(std::string(kernel.small_call)), "");
    EXPECT_EQ(notes_of(std::string(kernel.small_call), CopyGranularity::partial), "");
    ++kernels;
  }
  EXPECT_GE(kernels, 20);
}

TEST(ValueUse, is_silent_on_the_examples) {
  const std::string folder = test::source_dir() + "/examples/";
  for (const char* words :
       {"double_buffer.tsr --set blocks=5", "right_permute.tsr --devices 4",
        "swap_rows.tsr --devices 2 --cores 2",
        "matmul_bias.tsr --set m=20 --set k=24 --set n=16 --set T=bf16 --set tm=8 "
        "--set tk=8 --set tn=8"})
    EXPECT_EQ(notes_of(folder + words), "") << words;
}

std::string notes_of_program(const std::string& text,
                             CopyGranularity granularity = CopyGranularity::whole,
                             ValueUse use = ValueUse()) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.tsr");
  write_bytes(file, text);
  return notes_of(file, granularity, std::move(use));
}

// Two parts of one copy do not overwrite each other.
TEST(ValueUse, takes_a_copy_that_lands_in_parts_as_one_write) {
  const std::string text = R"(kernel copies()
  in a: f32[8] hbm; out o: f32[8] hbm; vmem t: f32[8]; vmem u: f32[8]
{
  copy a -> t
  copy a -> u
  copy t -> o
}
)";
  for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial}) {
    const std::string notes = notes_of_program(text, granularity);
    EXPECT_NE(
        notes.find(
            "p.tsr:5:3: never_read: nothing reads the data that this copy writes to u[0 .. 8]"),
        std::string::npos)
        << notes;
    EXPECT_EQ(notes.find("p.tsr:4"), std::string::npos) << notes;
  }
}

// A run that is too large is not analysed at all.
TEST(ValueUse, says_why_nothing_is_known_of_a_run_that_is_too_large) {
  const std::string text = R"(kernel copies()
  in a: f32[8] hbm; out o: f32[8] hbm; vmem t: f32[8]; vmem u: f32[8]
{
  copy a -> t
  copy a -> u
  copy t -> o
}
)";
  EXPECT_EQ(notes_of_program(text, CopyGranularity::whole, ValueUse(1)),
            "more than 1 writes wait to be read at one time");
}

// Each of many tiles is found.
TEST(ValueUse, follows_many_writes_of_one_memory) {
  const std::string notes = notes_of_program(R"(kernel tiles_of()
  in a: f32[64, 64] hbm; out o: f32[64, 64] hbm; hbm b: f32[64, 64]
{
  for i in 8 { for j in 8 { copy a[i * 8 +: 8, j * 8 +: 8] -> b[i * 8 +: 8, j * 8 +: 8] } }
  for i in 8 { copy a[i * 8 +: 8, 8 +: 8] -> b[i * 8 +: 8, 8 +: 8] }
  copy b -> o
}
)");
  EXPECT_NE(
      notes.find("nothing reads the data that this copy writes to b[0 .. 8, 8 .. 16] before it is "
                 "overwritten (8 of 64 times), on dev0.core0/dma#1 at i=0 j=1"),
      std::string::npos)
      << notes;
}

}  // namespace
}  // namespace tessera
