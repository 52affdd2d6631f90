// Every kind of finding has twin golden programs: a bad one, which announces the whole message on
// its line, and the same program with the defect fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "core/report/finding.h"
#include "tests/source_dir.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

const fs::path tests_folder = fs::path(test::source_dir()) / "tests";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename F>
void for_each_bad(F&& f) {
  for (const char* folder : {"findings", "deadlock", "suite"}) {
    for (const auto& entry : fs::recursive_directory_iterator(tests_folder / folder)) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with("bad_")) f(entry.path(), "good_" + file.substr(4));
    }
  }
}

TEST(Twins, each_bad_program_has_its_good_one) {
  int pairs = 0;
  for_each_bad([&](const fs::path& bad, const std::string& good) {
    EXPECT_TRUE(fs::exists(bad.parent_path() / good)) << bad << " has no " << good;
    ++pairs;
  });
  EXPECT_GE(pairs, 13);
}

TEST(Twins, each_kind_of_finding_has_a_pair_with_its_whole_message) {
  static const std::regex announced(R"RE(// (\w+): "[^"]+")RE");
  std::set<std::string> shown;
  for_each_bad([&](const fs::path& bad, const std::string& good) {
    if (!fs::exists(bad.parent_path() / good)) return;
    const std::string text = text_of(bad);
    for (std::sregex_iterator at(text.begin(), text.end(), announced), end; at != end; ++at)
      shown.insert((*at)[1]);
  });
  for (const FindingKind kind : finding_kinds()) {
    EXPECT_TRUE(shown.contains(std::string(name(kind))))
        << name(kind) << " has no pair in tests/findings or tests/deadlock";
  }
}

}  // namespace
}  // namespace tessera
