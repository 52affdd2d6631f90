// Runs every .tsr file under tests/ as a test, in process. tests/README.tsr describes the format.
// BLESS=1 rewrites the OUT blocks instead of comparing them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/report/finding.h"
#include "tests/schema_check.h"
#include "tests/source_dir.h"

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

const fs::path tests_folder = fs::path(tessera::test::source_dir()) / "tests";

bool blessing() { return std::getenv("BLESS") != nullptr; }

// An expected report: `kind: text` on a line. Text in double quotes must be the whole message.
struct Report {
  int line;
  std::string kind;
  std::string text;

  bool is_met_by(const Report& reported) const {
    if (reported.line != line || reported.kind != kind) return false;
    const bool is_whole = text.size() > 1 && text.starts_with('"') && text.ends_with('"');
    return is_whole ? reported.text == text.substr(1, text.size() - 2)
                    : reported.text.find(text) != std::string::npos;
  }
};

// Commands that share one OUT block. `begin` and `end`: its line range in the file, from 0.
struct Block {
  std::vector<std::string> commands;
  bool has_out = false;
  std::size_t begin = 0, end = 0;
  Lines out;
  int exit_code = -1;  // -1: 0, or the exit code implied by the annotations
};

// One program of a file.
struct Part {
  std::size_t first = 0;
  Lines lines;
  std::vector<Block> blocks;
  std::vector<Report> reports;
};

Lines read_lines(const fs::path& path) {
  std::ifstream in(path);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Returns the trailing comments of the form `kind: text`; kind is "error" or a finding kind.
std::vector<Report> reports_on(const std::string& line, int number) {
  static const std::regex annotation = [] {
    std::string kinds = "error";
    for (const tessera::FindingKind kind : tessera::finding_kinds())
      kinds.append("|").append(name(kind));
    return std::regex("// (" + kinds + "): (.*?)(?= *//|$)");
  }();
  std::vector<Report> found;
  if (trimmed(line).starts_with("//")) return found;
  for (std::sregex_iterator at(line.begin(), line.end(), annotation), end; at != end; ++at) {
    found.push_back({number, (*at)[1], trimmed((*at)[2])});
  }
  return found;
}

std::vector<Part> parse(const Lines& lines) {
  std::vector<Part> parts(1);
  bool open = false;  // RUN lines are being collected
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = trimmed(lines[i]);
    Part& part = parts.back();
    if (line == "// -----") {
      parts.push_back({i + 1, {}, {}, {}});
      open = false;
      continue;
    }
    // The copy to run contains only the program, with unchanged line numbers.
    const bool is_command = line.starts_with("// RUN: ") || line.starts_with("// EXIT: ");
    part.lines.push_back(is_command || line == "// OUT" ? "" : lines[i]);
    if (line.starts_with("// RUN: ")) {
      if (!open) part.blocks.emplace_back();
      open = true;
      part.blocks.back().commands.push_back(line.substr(8));
    } else if (line.starts_with("// EXIT: ") && open) {
      part.blocks.back().exit_code = std::stoi(line.substr(9));
    } else if (line == "// OUT" && !part.blocks.empty()) {
      Block& block = part.blocks.back();
      block.has_out = true;
      block.begin = i + 1;
      while (i + 1 < lines.size() && lines[i + 1].starts_with("//") &&
             !lines[i + 1].starts_with("// RUN: ") && lines[i + 1] != "// -----") {
        part.lines.emplace_back();
        ++i;
        block.out.push_back(lines[i].size() > 3 ? lines[i].substr(3) : "");
      }
      block.end = i + 1;
      open = false;
    } else {
      open = false;
      for (Report& report : reports_on(lines[i], static_cast<int>(i) + 1)) {
        part.reports.push_back(std::move(report));
      }
    }
  }
  // A program without commands uses the commands of the first program.
  for (Part& part : parts) {
    if (part.blocks.empty() && !parts.front().blocks.empty()) {
      part.blocks.push_back({parts.front().blocks.front().commands, false, 0, 0, {}, -1});
    }
  }
  return parts;
}

// Splits at spaces, except in 'single quotes'. Replaces %s by the program's file. Without %s,
// inserts the file after a command that takes a file and has no operand.
std::vector<std::string> words(const std::string& command, const std::string& file) {
  std::vector<std::string> result;
  bool quoted = false, in_word = false;
  for (const char c : command) {
    if (c == '\'') {
      quoted = !quoted;
      if (!in_word) result.emplace_back();
      in_word = true;
    } else if (c == ' ' && !quoted) {
      in_word = false;
    } else {
      if (!in_word) result.emplace_back();
      in_word = true;
      result.back() += c;
    }
  }
  bool named = false;
  for (std::string& word : result) {
    for (std::size_t at; (at = word.find("%s")) != std::string::npos; named = true) {
      word.replace(at, 2, file);
    }
  }
  const bool has_operand = result.size() > 1 && !result[1].starts_with("--");
  if (!named && !has_operand && !result.empty() && tessera::cli::takes_file(result.front())) {
    result.insert(result.begin() + 1, file);
  }
  return result;
}

// Replaces the parts that differ from run to run (times and rates, with their units), and hashes.
std::string stable(const std::string& text) {
  static const std::regex time(R"(\b[0-9.]+(e[+-]?[0-9]+)? (ns|us|ms|s)\b)");
  static const std::regex rate(R"(\b[0-9.]+(e[+-]?[0-9]+)? (GFLOP/s|cases a second))");
  static const std::regex json(R"(("\w*seconds": )[0-9.e+-]+)");
  // The hash of a program changes with every change of a pass.
  static const std::regex hash(R"(\b(program|protocol) [0-9a-f]{16}\b)");
  static const std::regex kept(R"([0-9a-f]{16} in the certificate, and [0-9a-f]{16} now)");
  const std::string timeless = std::regex_replace(text, time, "# s");
  const std::string rateless =
      std::regex_replace(std::regex_replace(timeless, rate, "# $2"), json, "$1#");
  return std::regex_replace(std::regex_replace(rateless, hash, "$1 #"), kept,
                            "# in the certificate, and # now");
}

Lines split_lines(const std::string& text) {
  std::istringstream in(text);
  Lines lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(trimmed(line).empty() ? "" : line);
  return lines;
}

// Returns the messages in the output that have a place in `file`, without notes.
std::vector<Report> reported(const Lines& output, const std::string& file) {
  static const std::regex message(
      R"(^(?:\d+\.(?:\d+\.)? )?([^:\s]+):(\d+)(?::\d+)?: (\w+): (.*)$)");
  std::vector<Report> found;
  std::smatch match;
  for (const std::string& line : output) {
    if (std::regex_match(line, match, message) && match[1] == file && match[3] != "note") {
      found.push_back({std::stoi(match[2]), match[3], match[4]});
    }
  }
  return found;
}

// Temporary folder of a test. It is the working directory while the test runs, so that commands
// write their files there.
class Sandbox {
 public:
  explicit Sandbox(const std::string& name)
      : before_(fs::current_path()),
        folder_(fs::temp_directory_path() / (name + "." + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~Sandbox() {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

 private:
  fs::path before_, folder_;
};

std::string join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class Golden : public testing::Test {
 public:
  explicit Golden(fs::path path) : path_(std::move(path)) {}

  void TestBody() override {
    Lines lines = read_lines(path_);
    std::vector<Part> parts = parse(lines);
    ASSERT_FALSE(parts.front().blocks.empty()) << path_.string() << " has no RUN line";
    const Sandbox sandbox("tessera_" + path_.stem().string());
    // In reverse order, because rewriting a block moves the lines after it.
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      const std::string file = path_.filename();
      std::ofstream(file) << std::string(part->first, '\n') << join(part->lines);
      for (auto block = part->blocks.rbegin(); block != part->blocks.rend(); ++block) {
        run(*part, *block, file, lines);
      }
    }
    if (blessing()) std::ofstream(path_) << join(lines);
  }

 private:
  void run(const Part& part, const Block& block, const std::string& file, Lines& lines) {
    bool blessed = false;
    for (const std::string& command : block.commands) {
      SCOPED_TRACE("RUN: " + command);
      std::ostringstream stream;
      const int exit_code = tessera::cli::run(words(command, file), stream, stream);
      expect_schema(words(command, file), exit_code);
      const Lines output = split_lines(stable(stream.str()));
      EXPECT_EQ(exit_code, expected_exit(part, block)) << stream.str();
      // An OUT block already contains all reports.
      if (!part.reports.empty() || !block.has_out) expect_reports(part, output, file);
      if (blessing() && block.has_out && !blessed) {
        rewrite(lines, block, output);
        blessed = true;
      } else if (block.has_out && !blessing()) {
        EXPECT_EQ(join(output), join(block.out)) << path_.string() << ":" << block.begin;
      }
    }
  }

  // Runs a command with --json: its output must fit the schema, and the exit code must be the same.
  static void expect_schema(std::vector<std::string> words, int exit_code) {
    constexpr std::array<std::string_view, 3> left_out = {"bench", "fuzz", "tune"};  // slow
    if (std::find(left_out.begin(), left_out.end(), words.front()) != left_out.end()) return;
    if (std::find(words.begin(), words.end(), "--help") != words.end()) return;
    if (words.front().starts_with("-")) return;
    if (std::find(words.begin(), words.end(), "--json") == words.end()) words.push_back("--json");
    std::ostringstream out, err;
    EXPECT_EQ(tessera::cli::run(words, out, err), exit_code) << "with --json\n" << out.str();
    EXPECT_EQ(tessera::test::schema_problem(words.front(), out.str()), "") << out.str();
  }

  static int expected_exit(const Part& part, const Block& block) {
    if (block.exit_code >= 0) return block.exit_code;
    if (part.reports.empty()) return 0;
    const std::string& kind = part.reports.front().kind;
    return kind == "error" || kind == "unsupported" ? 2 : 1;
  }

  void expect_reports(const Part& part, const Lines& output, const std::string& file) {
    std::vector<Report> found = reported(output, file);
    for (const Report& wanted : part.reports) {
      // Several devices may report the same message on one line.
      const std::size_t matching =
          std::erase_if(found, [&](const Report& report) { return wanted.is_met_by(report); });
      if (matching == 0) {
        ADD_FAILURE_AT(path_.c_str(), wanted.line)
            << "not reported: " << wanted.kind << ": " << wanted.text << "\n"
            << join(output);
      }
    }
    for (const Report& extra : found) {
      ADD_FAILURE_AT(path_.c_str(), extra.line)
          << "not announced: " << extra.kind << ": " << extra.text;
    }
  }

  static void rewrite(Lines& lines, const Block& block, const Lines& output) {
    const auto at = [&](std::size_t line) {
      return lines.begin() + static_cast<std::ptrdiff_t>(line);
    };
    Lines comment;
    for (const std::string& line : output) comment.push_back(line.empty() ? "//" : "// " + line);
    lines.insert(lines.erase(at(block.begin), at(block.end)), comment.begin(), comment.end());
  }

  fs::path path_;
};

TEST(JsonSchema, IsCompared) {
  const std::string reason = tessera::test::schema_check_is_missing();
  if (!reason.empty()) GTEST_SKIP() << reason;
  EXPECT_EQ(
      tessera::test::schema_problem("fmt", R"({"schema": 2, "status": "ok", "formatted": true})"),
      "");
  EXPECT_NE(tessera::test::schema_problem("fmt", R"({"status": "ok", "formatted": true})"), "");
  EXPECT_NE(
      tessera::test::schema_problem("fmt", R"({"schema": 2, "status": "ok", "formatted": 1})"), "");
}

TEST(JsonSchema, OfACertificate) {
  const std::string reason = tessera::test::schema_check_is_missing();
  if (!reason.empty()) GTEST_SKIP() << reason;
  const Sandbox sandbox("tessera_certificate_schema");
  std::ostringstream out;
  ASSERT_EQ(
      tessera::cli::run({"verify", tessera::test::source_dir() + "/examples/right_permute.tsr",
                         "--devices", "2", "--save", "c.json"},
                        out, out),
      0)
      << out.str();
  std::ifstream in("c.json");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(tessera::test::schema_problem("certificate", text), "") << text;
}

// "race/bad_read.tsr" is the test race.bad_read; files of tests/ itself are the suite "golden".
void register_file(const fs::path& path) {
  std::string suite = path.lexically_relative(tests_folder).parent_path().string();
  std::replace(suite.begin(), suite.end(), '/', '_');
  if (suite.empty()) suite = "golden";
  testing::RegisterTest(suite.c_str(), path.stem().c_str(), nullptr, nullptr, path.c_str(), 1,
                        [path]() -> testing::Test* { return new Golden(path); });
}

const bool registered = [] {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(tests_folder)) {
    if (entry.path().extension() == ".tsr") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) register_file(path);
  return !files.empty();
}();

}  // namespace
