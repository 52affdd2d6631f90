// README.md and CONTRIBUTING.md as tests: their commands run as written, what they show is what
// comes, the files they name are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/command.h"
#include "core/language.h"
#include "tests/source_dir.h"
#include "tests/unit/language_support.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  std::istringstream in(text);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Blocks of lines that are indented by four spaces, without them; a blank line inside a block
// stays.
std::vector<Lines> blocks_of(const std::string& page) {
  std::vector<Lines> blocks;
  bool open = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("    ")) {
      if (!open) blocks.emplace_back();
      blocks.back().push_back(line.substr(4));
      open = true;
    } else if (line.empty() && open) {
      blocks.back().emplace_back();
    } else {
      open = false;
    }
  }
  for (Lines& block : blocks) {
    while (!block.empty() && block.back().empty()) block.pop_back();
  }
  return blocks;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A command of a block, and what the page shows under it.
struct Shown {
  std::string command;
  Lines output;
};

std::vector<Shown> commands_of(const std::string& page) {
  std::vector<Shown> commands;
  for (const Lines& block : blocks_of(page)) {
    bool shows_output = false;
    for (const std::string& line : block) {
      const bool prompted = line.starts_with("$ ");
      const std::string command = prompted ? line.substr(2) : line;
      if (command.starts_with("./gmm-run ")) {
        commands.push_back({command.substr(0, command.find(" > ")), {}});
        shows_output = prompted;
      } else if (shows_output && !line.empty()) {
        commands.back().output.push_back(line);
      }
    }
  }
  return commands;
}

Lines words_of(const std::string& command) {
  std::istringstream in(command.substr(command.find(' ')));
  Lines words;
  for (std::string word; in >> word && word != "#";) words.push_back(word);
  return words;
}

// Whether `shown` is `output` where lines "..." stand for any number of lines.
bool shows(const Lines& shown, std::size_t i, const Lines& output, std::size_t j) {
  if (i == shown.size()) return j == output.size();
  if (shown[i] == "...") {
    for (std::size_t k = j; k <= output.size(); ++k) {
      if (shows(shown, i + 1, output, k)) return true;
    }
    return false;
  }
  return j < output.size() && shown[i] == output[j] && shows(shown, i + 1, output, j + 1);
}

// The pages speak of files as seen from the repository's root.
class Docs : public testing::Test {
 protected:
  void SetUp() override {
    fs::current_path(test::source_dir());
    ::setenv("TESSERA_CACHE", cache_.file("cache").c_str(), 1);  // what `tune` keeps
  }
  void TearDown() override {
    fs::current_path(before_);
    ::unsetenv("TESSERA_CACHE");
  }

 private:
  TemporaryFolder cache_;
  fs::path before_ = fs::current_path();
};

TEST_F(Docs, every_command_of_the_readme_runs_and_prints_what_is_shown) {
  const std::vector<Shown> commands = commands_of(test::read_file("README.md"));
  EXPECT_GE(commands.size(), 6U);
  int compared = 0;
  for (const Shown& shown : commands) {
    SCOPED_TRACE(shown.command);
    std::ostringstream stream;
    const int exit_code = cli::run(words_of(shown.command), stream, stream);
    const bool fails = joined(shown.output).find("replay: ") != std::string::npos;
    EXPECT_EQ(exit_code, fails ? 1 : 0) << stream.str();
    if (shown.output.empty()) continue;
    EXPECT_TRUE(shows(shown.output, 0, lines_of(stream.str()), 0)) << stream.str();
    ++compared;
  }
  EXPECT_GE(compared, 1);
}

// A program in the readme is one of the repository's, or runs on its own.
TEST_F(Docs, every_program_of_the_readme_is_a_program) {
  const std::string page = test::read_file("README.md");
  int programs = 0;
  for (const Lines& block : blocks_of(page)) {
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
  EXPECT_GE(programs, 2);
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
  for (const char* page : {"README.md", "CONTRIBUTING.md"}) {
    const std::string text = test::read_file(page);
    int named = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
      const std::string name = (*at)[1];
      const bool is_place = name.find('/') != std::string::npos;
      if (!is_place || name.find("NAME") != std::string::npos) continue;
      ++named;
      const std::string fixed = name.substr(0, name.find('*'));
      if (fixed == name) {
        EXPECT_TRUE(fs::exists(name)) << page << " names " << name;
        continue;
      }
      // A pattern: some file begins like it.
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
    EXPECT_GE(named, 5) << page;
  }
}

}  // namespace
}  // namespace tessera
