// Checks the direction of dependencies in every #include of the repository (see CONTRIBUTING).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "devices/devices.h"
#include "tests/include_knots.h"
#include "tests/source_dir.h"
#include "tests/source_files.h"

namespace {

namespace fs = std::filesystem;

const std::set<std::string> of_tests = {"tests/",
                                        "tests/mutation/",
                                        "cli/",
                                        "debugger/",
                                        "bench/",
                                        "fuzz/",
                                        "text/",
                                        "kernels/",
                                        "kernels/programs",
                                        "kernels/oracle/reference",
                                        "devices/",
                                        "devices/cuda/",
                                        "devices/cuda/graph/",
                                        "devices/device.h",
                                        "devices/emitted_kernel.h",
                                        "devices/workbench.h",
                                        "analysis/",
                                        "interp/",
                                        "core/"};

// Units that each unit may include. A key is a path prefix; the unit of a file is the longest
// prefix that matches. A unit may always include itself.
const std::map<std::string, std::set<std::string>> may_include = {
    {"core/", {}},
    {"text/", {"core/"}},
    {"interp/", {"core/"}},
    {"analysis/", {"interp/", "core/"}},
    {"devices/device.h", {"core/"}},
    // Interfaces of a device in addition to runs.
    {"devices/emitted_kernel.h", {"core/"}},
    {"devices/workbench.h", {"core/"}},
    {"devices/",
     {"devices/device.h", "devices/emitted_kernel.h", "devices/workbench.h", "devices/cuda/",
      "analysis/", "interp/", "core/"}},
    {"devices/cuda/",
     {"devices/device.h", "devices/emitted_kernel.h", "devices/workbench.h", "devices/cuda/graph/",
      "core/"}},
    // Task graphs of programs, which are built from runs.
    {"devices/cuda/graph/",
     {"devices/", "devices/device.h", "devices/cuda/", "analysis/", "interp/", "core/"}},
    // Programs and their references do not depend on devices.
    {"kernels/programs", {"core/"}},
    {"kernels/oracle/reference", {"core/"}},
    {"kernels/",
     {"kernels/programs", "kernels/oracle/reference", "devices/", "devices/device.h",
      "devices/workbench.h", "core/"}},
    {"fuzz/", {"kernels/", "kernels/programs", "analysis/", "interp/", "text/", "core/"}},
    {"bench/",
     {"kernels/", "kernels/programs", "kernels/oracle/reference", "devices/", "devices/device.h",
      "devices/workbench.h", "analysis/", "interp/", "text/", "core/"}},
    {"debugger/", {"interp/", "text/", "core/"}},
    // Used by the tests and by `verify --mutants`.
    {"tests/mutation/", {"kernels/programs", "kernels/", "analysis/", "interp/", "core/"}},
    {"cli/",
     {"tests/mutation/", "debugger/", "bench/", "fuzz/", "kernels/", "kernels/programs",
      "kernels/oracle/reference", "devices/", "devices/device.h", "devices/emitted_kernel.h",
      "analysis/", "interp/", "text/", "core/"}},
    // Only runs commands.
    {"python/", {"cli/", "core/"}},
    {"tests/", of_tests},
    {"tests/mutation/table", of_tests},
    {"examples/", {}},
};

// External headers (prefixes) and the files (prefixes) that may include them.
const std::map<std::string, std::vector<std::string>> used_by = {
    {"Eigen/", {"kernels/oracle/reference", "kernels/peers", "tests/"}},
    {"unsupported/Eigen/", {"kernels/oracle/reference", "tests/"}},
    {"boost/container", {"interp/machine/loop_values"}},
    {"histedit.h", {"debugger/commands/line_reader"}},
    // Slow to compile: each file that includes it takes seconds.
    {"nlohmann/",
     {"core/data/safetensors", "core/report/json_text", "kernels/tuning/", "text/json",
      "bench/report", "tests/"}},
    {"oneapi/dnnl", {"interp/tiles/tile_math", "tests/"}},
    {"cuda", {"devices/cuda/", "tests/"}},
    {"nvrtc", {"tests/"}},
    {"cublas", {"tests/"}},
    {"valijson/", {"tests/"}},
    {"gtest/", {"tests/"}},
    {"benchmark/", {"tests/"}},
    {"fmt/", {""}},
    {"tessera/", {"examples/"}},
    {"nanobind/", {"python/module/"}},
    // The operating system and the processor.
    {"sys/", {""}},
    {"unistd.h", {""}},
    {"poll.h", {"debugger/dap/byte_source"}},
    {"fcntl.h", {""}},
    {"immintrin.h", {""}},
    {"elf.h", {"core/host/build_id", "devices/cuda/"}},
    {"link.h", {"core/host/build_id", "devices/cuda/"}},
    {"dlfcn.h", {"interp/tiles/tile_math", "devices/cuda/", "devices/mpi/library", "tests/"}},
    {"mpi.h", {"devices/mpi/plugin/plugin", "tests/mpi/"}},
    {"malloc.h", {"core/host/host_memory", "tests/fuzz/harness/memory_budget"}},
    {"pthread.h", {"core/host/stack_room", "tests/fuzz/harness/harness"}},
    {"ucontext.h", {"tests/"}},
};

struct Violation {
  int line;
  std::string message;
};

template <typename Rows>
auto longest_prefix(const Rows& rows, const std::string& path) {
  auto best = rows.end();
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    if (!path.starts_with(row->first)) continue;
    if (best == rows.end() || row->first.size() > best->first.size()) best = row;
  }
  return best;
}

// Returns the reason why `includer` (a path from the root) may not include `header`, or empty.
std::string problem(const std::string& includer, const std::string& header, bool is_ours) {
  const auto unit = longest_prefix(may_include, includer);
  if (unit == may_include.end()) return includer + " belongs to no unit";
  if (is_ours) {
    const auto target = longest_prefix(may_include, header);
    if (target == may_include.end()) return "\"" + header + "\" does not start at the root";
    if (target == unit || unit->second.contains(target->first)) return "";
    return unit->first + " may not include " + target->first + ": \"" + header + "\"";
  }
  const auto dependency = longest_prefix(used_by, header);
  if (dependency == used_by.end()) {
    const bool is_standard = header.find_first_of("./") == std::string::npos;
    return is_standard ? "" : "<" + header + "> is no known dependency";
  }
  for (const std::string& user : dependency->second) {
    if (includer.starts_with(user)) return "";
  }
  return includer + " may not include <" + header + ">";
}

std::vector<Violation> violations(const std::string& path, std::istream& text) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Violation> found;
  std::string line;
  std::smatch match;
  for (int number = 1; std::getline(text, line); ++number) {
    if (!std::regex_search(line, match, include)) continue;
    std::string message = problem(path, match[2], match[1] == "\"");
    if (!message.empty()) found.push_back({number, std::move(message)});
  }
  return found;
}

std::vector<Violation> violations(const std::string& path, const std::string& text) {
  std::istringstream stream(text);
  return violations(path, stream);
}

// Returns the files with a match of the pattern. Each match must contain `word`: it is searched
// first, because std::regex is slow.
std::set<std::string> files_with(std::string_view word, const std::regex& pattern) {
  std::set<std::string> found;
  for (const std::string& path : tessera::test::source_files()) {
    if (path.find('/') == std::string::npos || path.starts_with("tests/") ||
        path.starts_with("examples/") || path.starts_with("devices/"))
      continue;
    std::ifstream text(fs::path(tessera::test::source_dir()) / path);
    for (std::string line; std::getline(text, line);)
      if (line.find(word) != std::string::npos && std::regex_search(line, pattern))
        found.insert(path);
  }
  return found;
}

// Code outside devices/ may not include the headers of a device, except the simulated one.
TEST(Layering, nobody_knows_the_parts_of_a_device) {
  for (const tessera::Device* device : tessera::devices()) {
    if (device->is_simulated()) continue;
    const std::regex includes(fmt::format("^#include \"devices/{}/", device->name()));
    EXPECT_EQ(files_with(device->name(), includes), std::set<std::string>()) << device->name();
  }
}

// Files in which the name of a device has another meaning: a protocol word, an option or a suite.
const std::map<std::string_view, std::set<std::string>> other_words = {
    {"threads",
     {"cli/args/run_options.cpp", "cli/args/run_request.cpp", "cli/commands/bench.cpp",
      "cli/pack/pack.h", "debugger/dap/debug_adapter.cpp", "debugger/dap/debug_adapter_look.cpp"}}};

// Code outside devices/ may not depend on which device it uses, only on its properties
// (devices/device.h).
TEST(Layering, nobody_names_a_device) {
  for (const tessera::Device* device : tessera::devices()) {
    const std::regex names(fmt::format("\"{0}\"|\\b{0}_device\\(\\)", device->name()));
    std::set<std::string> found = files_with(device->name(), names);
    if (const auto own = other_words.find(device->name()); own != other_words.end())
      for (const std::string& file : own->second) found.erase(file);
    EXPECT_EQ(found, std::set<std::string>()) << device->name();
  }
}

TEST(Layering, every_include_points_the_allowed_way) {
  const std::vector<std::string> files = tessera::test::source_files();
  EXPECT_FALSE(files.empty());
  for (const std::string& path : files) {
    std::ifstream text(fs::path(tessera::test::source_dir()) / path);
    for (const Violation& violation : violations(path, text)) {
      ADD_FAILURE_AT(path.c_str(), violation.line) << violation.message;
    }
  }
}

TEST(Layering, allowed_includes_pass) {
  EXPECT_TRUE(
      violations("core/program/op.cpp", "#include \"core/program/op.h\"\n#include <vector>\n")
          .empty());
  EXPECT_TRUE(violations("interp/machine/machine.h", "#include \"core/program/op.h\"").empty());
  EXPECT_TRUE(violations("kernels/oracle/reference_gmm.cpp", "#include <Eigen/Core>").empty());
  EXPECT_TRUE(
      violations("cli/commands/run.cpp", "#include \"kernels/programs/embedded.h\"").empty());
}

TEST(Layering, a_forbidden_include_is_found_on_its_line) {
  const auto only = [](const std::string& path, const std::string& include) {
    const std::vector<Violation> found = violations(path, "\n  #include " + include + "\n");
    return found.size() == 1 && found[0].line == 2 ? found[0].message : "nothing, or not on line 2";
  };
  EXPECT_EQ(only("core/program/op.h", "\"interp/machine/machine.h\""),
            "core/ may not include interp/: \"interp/machine/machine.h\"");
  EXPECT_EQ(only("kernels/gmm.cpp", "\"interp/machine/machine.h\""),
            "kernels/ may not include interp/: \"interp/machine/machine.h\"");
  EXPECT_EQ(only("devices/device.h", "\"interp/machine/machine.h\""),
            "devices/device.h may not include interp/: \"interp/machine/machine.h\"");
  EXPECT_EQ(only("interp/run.h", "\"analysis/certificate/certificate.h\""),
            "interp/ may not include analysis/: \"analysis/certificate/certificate.h\"");
  EXPECT_EQ(only("debugger/dap/fields.h", "\"cli/command.h\""),
            "debugger/ may not include cli/: \"cli/command.h\"");
  EXPECT_EQ(only("kernels/oracle/reference.h", "\"devices/device.h\""),
            "kernels/oracle/reference may not include devices/device.h: \"devices/device.h\"");
  EXPECT_EQ(only("kernels/gmm.cpp", "\"cli/cli.h\""),
            "kernels/ may not include cli/: \"cli/cli.h\"");
  EXPECT_EQ(only("interp/exec.cpp", "<Eigen/Core>"),
            "interp/exec.cpp may not include <Eigen/Core>");
  EXPECT_EQ(only("core/program/op.h", "\"op.h\""), "\"op.h\" does not start at the root");
  EXPECT_EQ(only("core/program/op.h", "<zlib.h>"), "<zlib.h> is no known dependency");
  EXPECT_EQ(only("extra/a.cpp", "<vector>"), "extra/a.cpp belongs to no unit");
}

// Components in an include cycle can only be understood together.
TEST(Layering, components_that_include_each_other_are_few) {
  constexpr std::size_t most = 4;
  static const std::regex include(R"RE(^\s*#\s*include\s*"([^"]+)")RE");
  tessera::test::Includes includes;
  for (const std::string& path : tessera::test::source_files()) {
    if (path.starts_with("tests/") || path.starts_with("examples/")) continue;
    std::ifstream text(fs::path(tessera::test::source_dir()) / path);
    std::vector<std::string>& included = includes[path];
    std::smatch match;
    for (std::string line; std::getline(text, line);)
      if (std::regex_search(line, match, include)) included.push_back(match[1]);
  }
  for (const std::vector<std::string>& knot : tessera::test::include_knots(includes)) {
    std::string members;
    for (const std::string& member : knot) members += "\n  " + member;
    EXPECT_LE(knot.size(), most) << "these include each other in a circle:" << members;
  }
}

TEST(Layering, a_knot_is_found_with_its_satellites) {
  const tessera::test::Includes includes = {
      {"a/one.h", {"a/two.h"}},
      {"a/one.cpp", {"a/one.h"}},
      {"a/one_more.cpp", {"a/one.h"}},
      {"a/two.h", {}},
      {"a/two.cpp", {"a/two.h", "b/three.h"}},
      {"a/two_more.cpp", {"a/one.h"}},
      {"b/three.h", {"a/one.h"}},
      {"b/four.h", {"a/one.h"}},
  };
  EXPECT_EQ(tessera::test::include_knots(includes),
            (std::set<std::vector<std::string>>{{"a/one", "a/two", "b/three"}}));
}

// Only a few files open files, so that they can check file types and sizes, and write atomically.
TEST(Layering, files_are_opened_in_one_place) {
  const std::set<std::string> places = {"core/host/file.cpp", "core/host/output_file.cpp",
                                        "core/host/disk_cache.cpp"};
  const std::regex opens(R"(\b[io]?fstream\b|\bfopen\b|(^|[\s(])::open(at)?\()");
  const auto may_open = [](const std::string& line) {
    return line.find("open") != std::string::npos || line.find("fstream") != std::string::npos;
  };
  for (const std::string& path : tessera::test::source_files()) {
    if (path.starts_with("tests/") || path.starts_with("examples/")) continue;
    if (places.contains(path)) continue;
    std::ifstream text(fs::path(tessera::test::source_dir()) / path);
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      EXPECT_FALSE(may_open(line) && std::regex_search(line, opens))
          << path << ":" << number << ": " << line;
    }
  }
}

// Only prints the sizes. A long file is not an error.
TEST(Layering, sizes_of_the_source_files) {
  std::vector<std::pair<std::ptrdiff_t, std::string>> sizes;
  for (const std::string& path : tessera::test::source_files()) {
    if (path.starts_with("tests/") || path.starts_with("examples/")) continue;
    std::ifstream text(fs::path(tessera::test::source_dir()) / path);
    const auto lines = std::count(std::istreambuf_iterator<char>(text), {}, '\n');
    sizes.emplace_back(lines, path);
  }
  ASSERT_FALSE(sizes.empty());
  std::sort(sizes.begin(), sizes.end());
  std::cout << sizes.size() << " source files beside the tests, median "
            << sizes[sizes.size() / 2].first << " lines, largest " << sizes.back().second
            << " with " << sizes.back().first << "\n";
}

}  // namespace
