// Checks README.md, CONTRIBUTING.md and pages of docs/: their commands run as written and print the
// output shown, and the files that they name exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "core/lang/language.h"
#include "tests/source_dir.h"
#include "tests/unit/language_support.h"
#include "tests/unit/page.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using test::joined;
using test::Lines;
using test::Shown;

// File names in the pages are relative to the repository's root.
class Docs : public testing::Test {
 protected:
  void SetUp() override {
    fs::current_path(test::source_dir());
    ::setenv("TESSERA_CACHE", cache_.file("cache").c_str(), 1);  // used by `tune`
  }
  void TearDown() override {
    fs::current_path(before_);
    ::unsetenv("TESSERA_CACHE");
  }

 private:
  TemporaryFolder cache_;
  fs::path before_ = fs::current_path();
};

// Returns the expected exit code of a command, from the output that the page shows.
int exit_code_of(const Shown& shown) {
  const std::string output = "\n" + joined(shown.output);
  const auto has = [&](const char* text) { return output.find(text) != std::string::npos; };
  const bool is_refuted = has("replay: ") || has("\nrefuted ") ||
                          has("\npromises  proved if copies ") || has(": deadlock: ");
  if (has("\nnot shown ")) return 4;
  return has("used up its budget") ? 3 : is_refuted || has("\ndifferent ") ? 1 : 0;
}

void expect_commands_run(const std::string& page, std::size_t commands, int compared) {
  const std::vector<Shown> all = test::commands_of(test::read_file(page));
  EXPECT_GE(all.size(), commands);
  for (const Shown& shown : all) {
    SCOPED_TRACE(page + ": " + shown.command);
    const test::Outcome outcome = test::outcome_of(shown.words());
    EXPECT_EQ(outcome.exit_code, exit_code_of(shown)) << outcome.output;
    if (shown.output.empty()) continue;
    EXPECT_TRUE(test::shows(shown.output, test::lines_of(outcome.output))) << outcome.output;
    --compared;
  }
  EXPECT_LE(compared, 0);
}

TEST_F(Docs, every_command_of_the_readme_runs_and_prints_what_is_shown) {
  expect_commands_run("README.md", 3, 2);
}

TEST_F(Docs, every_command_about_debugging_runs_and_prints_what_is_shown) {
  fs::create_directory("build");
  expect_commands_run("docs/how-to/debug.md", 7, 6);
}

TEST_F(Docs, every_command_about_expected_values_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/explain/expect.md", 2, 2);
}

TEST_F(Docs, every_command_about_equality_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/explain/equal.md", 3, 3);
}

TEST_F(Docs, every_command_about_the_certificate_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/explain/certificate.md", 9, 9);
}

TEST_F(Docs, every_command_about_coverage_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/explain/coverage.md", 3, 3);
}

TEST_F(Docs, every_command_about_timing_runs_and_prints_what_is_shown) {
  fs::create_directory("build");
  expect_commands_run("docs/explain/timing.md", 3, 3);
}

TEST_F(Docs, every_command_about_task_graphs_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/internals/engines.md", 1, 1);
}

TEST_F(Docs, every_command_about_devices_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/how-to/run.md", 5, 3);
}

TEST_F(Docs, every_command_about_tuning_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/how-to/tune.md", 4, 2);
}

TEST_F(Docs, every_command_of_the_kernel_tutorial_runs_and_prints_what_is_shown) {
  expect_commands_run("docs/tutorial/kernel.md", 6, 6);
}

TEST_F(Docs, fragments_of_the_kernel_tutorial_are_lines_of_its_programs) {
  std::set<std::string> lines;
  for (const char* file : {"docs/tutorial/kernel/whole_blocks.tsr",
                           "docs/tutorial/kernel/own_rows.tsr", "examples/grouped_bias.tsr"})
    for (const std::string& line : test::lines_of(test::read_file(file))) lines.insert(line);
  int fragments = 0;
  for (const test::Fenced& block :
       test::page_of(test::read_file("docs/tutorial/kernel.md")).blocks) {
    if (!block.is_in("tsr")) continue;
    ++fragments;
    for (const std::string& line : test::lines_of(block.text))
      EXPECT_TRUE(lines.contains(line)) << line;
  }
  EXPECT_EQ(fragments, 4);
}

// Each program in the readme is a complete program, and equal to the example that the page names.
TEST_F(Docs, every_program_of_the_readme_is_a_program) {
  const std::string page = test::read_file("README.md");
  int programs = 0;
  for (const Lines& block : test::indented_blocks_of(page)) {
    const std::string text = joined(block);
    if (!std::regex_search(text, std::regex("(^|\n)kernel "))) continue;
    // The shown file may be followed by the command that runs it.
    const std::string program = text.substr(0, text.find("\n$ ") + 1);
    ++programs;
    const auto module = parse(test::source("README.md", program.empty() ? text : program));
    ASSERT_TRUE(module) << render(module.diags()) << text;
    const KernelInfo& kernel = module->kernels.front();
    Settings settings;
    for (const ParameterInfo& parameter : kernel.parameters) {
      if (parameter.default_text.empty() && parameter.choices.empty())
        settings[parameter.name] = "40";
    }
    const auto made = instantiate(*module, kernel.name, settings, test::library());
    EXPECT_TRUE(made) << render(made.diags());
    for (const auto& entry : fs::directory_iterator("examples")) {
      if (entry.path().extension() != ".tsr" ||
          page.find("`" + entry.path().string() + "`:") == std::string::npos)
        continue;
      const std::string file = test::read_file(entry.path().string());
      if (file.find("kernel " + kernel.name + "(") != std::string::npos) {
        EXPECT_EQ(program, file + (program.ends_with("\n\n") ? "\n" : ""));
      }
    }
  }
  EXPECT_GE(programs, 1);
}

TEST_F(Docs, the_readme_lists_every_command) {
  const std::string page = test::read_file("README.md");
  const std::string table = page.substr(page.find("| command |"));
  for (const cli::Command& command : cli::commands()) {
    const std::regex row("\n\\|[^|]*`" + std::string(command.name) + "[` ][^|]*\\|");
    EXPECT_TRUE(std::regex_search(table, row)) << command.name;
  }
}

TEST_F(Docs, the_files_that_are_named_are_there) {
  static const std::regex path(R"(`((?:\./)?[a-z_]+(?:/[A-Za-z_.*0-9]+)*/?)`)");
  for (const char* page :
       {"README.md", "CONTRIBUTING.md", "docs/internals/architecture.md",
        "docs/internals/engines.md", "docs/how-to/embed.md", "docs/how-to/install.md"}) {
    const std::string text = test::read_file(page);
    int named = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
      const std::string name = (*at)[1];
      const bool is_place = name.find('/') != std::string::npos;
      if (!is_place || name.find("NAME") != std::string::npos) continue;
      if (name.starts_with("build/")) continue;  // created by the build
      ++named;
      const std::string fixed = name.substr(0, name.find('*'));
      if (fixed == name) {
        EXPECT_TRUE(fs::exists(name)) << page << " names " << name;
        continue;
      }
      // A pattern: at least one file has this prefix.
      const fs::path begin = fixed;
      const fs::path folder = begin.parent_path();
      const bool found =
          fs::is_directory(folder) &&
          std::any_of(
              fs::directory_iterator(folder), fs::directory_iterator(), [&](const auto& entry) {
                return entry.path().filename().string().starts_with(begin.filename().string());
              });
      EXPECT_TRUE(found || name.find("**") != std::string::npos) << page << " names " << name;
    }
    EXPECT_GE(named, 3) << page;
  }
}

}  // namespace
}  // namespace tessera
