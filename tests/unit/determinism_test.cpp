// A run is a pure function of program, inputs and schedule. The hash of its events is the same in a
// hundred runs, and the hashes below are the same for every process, compiler and build.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "interp/run_options.h"
#include "tests/source_dir.h"

namespace tessera {
namespace {

constexpr const char* schedules[] = {"eager", "lazy", "lifo", "random:7", "pct:7:3"};

std::string trace_hash(const std::string& line, const std::string& schedule,
                       CopyGranularity granularity) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    if (word.ends_with(".tsr")) word = std::string(test::source_dir()) + "/" + word;
    words.push_back(std::move(word));
  }
  words.insert(words.end(), {"--interpret", "--no-verify", "--json", "--schedule", schedule});
  if (granularity == CopyGranularity::partial)
    words.insert(words.end(), {"--copy-granularity", "partial"});
  std::ostringstream out, err;
  const int exit_code = cli::run(words, out, err);
  const nlohmann::json report = nlohmann::json::parse(out.str(), nullptr, false);
  if (exit_code != 0 || report.is_discarded()) return out.str() + err.str();
  return report["trace_hash"].get<std::string>();
}

TEST(determinism, a_hundred_runs_of_a_kernel_do_the_same) {
  for (const char* line :
       {"gmm --group-sizes 5,0,9 --k 16 --n 16 --tiling 8,8,8",
        "tgmm --group-sizes 5,0,9 --k 16 --n 16 --tiling 8,8,8",
        "ag-matmul --devices 4 --m 8 --k 32 --n 8", "matmul-rs --devices 2 --m 16 --k 16 --n 8",
        "all-reduce --devices 3 --m 12 --n 8", "run examples/double_buffer.tsr"}) {
    std::vector<std::string> first;
    for (int i = 0; i < 100; ++i) {
      std::vector<std::string> hashes;
      // Each of the schedules in every fifth run, with whole and with partial copies.
      for (std::size_t s = 0; s < std::size(schedules); ++s)
        hashes.push_back(i % 5 == 0 || s == 3 ? trace_hash(line, schedules[s],
                                                           s % 2 == 1 ? CopyGranularity::partial
                                                                      : CopyGranularity::whole)
                                              : first[s]);
      if (i == 0) first = hashes;
      ASSERT_EQ(hashes, first) << line << ", run " << i;
    }
    for (const std::string& hash : first) EXPECT_EQ(hash.size(), 16U) << line << ": " << hash;
  }
}

// Fixed hashes: all processes, compilers and builds must have the same ones. They only change with
// the program's text or the machine's behaviour.
TEST(determinism, the_hashes_are_those_of_every_build) {
  const auto all = [](const std::string& line) {
    std::string text;
    for (const char* schedule : schedules)
      for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial})
        text += trace_hash(line, schedule, granularity) + "\n";
    return text;
  };
  EXPECT_EQ(all("run examples/double_buffer.tsr"),
            "71519560462d8d5f\n"
            "df3a94e4f95759d3\n"
            "04509705028b2c19\n"
            "80d9adc8d0ffde67\n"
            "a4e3c7fea47717a6\n"
            "0dbf9561017cf6bb\n"
            "0544f3df30857030\n"
            "e1752b950282793b\n"
            "6cda9d4330b710db\n"
            "dabf44c855a8a731\n");
  EXPECT_EQ(all("run examples/right_permute.tsr --devices 3"),
            "6539438c23014e73\n"
            "115a289545c18356\n"
            "c9404baa49a981ad\n"
            "5add0715f5e87f16\n"
            "c6a699f4ae558981\n"
            "fd5b7c02ae04fe06\n"
            "802c018d7e2e34ae\n"
            "79bda32ef65e2673\n"
            "741112ba2630ffaa\n"
            "6954622710136d33\n");
  EXPECT_EQ(all("run examples/matmul_bias.tsr --set m=20 --set k=24 --set n=16 --set T=bf16 "
                "--set tm=8 --set tk=8 --set tn=8"),
            "3bd84af19a00fe72\n"
            "70659ba2550d4722\n"
            "6c6db6184984caf3\n"
            "629bbf0eb53aaaa9\n"
            "9ff07f45f73de8cc\n"
            "eaf3e23d1df443f4\n"
            "54b6f724eb382c75\n"
            "0a586650af031124\n"
            "c891594c447ef333\n"
            "cf4d7a018ee9a43a\n");
}

}  // namespace
}  // namespace tessera
