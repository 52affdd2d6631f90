// Command lines, in process: the first line has the words after gmm-run, lines behind it that begin
// with "&& " further commands, and what follows is the file that %s stands for; %d is the folder it
// lies in. No word names a file outside, and numbers are cut to what a harness has time for.
#include <array>
#include <charconv>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/command.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"
#include "tests/fuzz/harness/mutate_command.h"
#include "tests/fuzz/harness/scratch_folder.h"
#include "text/json.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{24} << 20;

// What takes time and nothing else, as it is given; sizes only where they are large enough to take
// time and small enough to be taken.
struct Bound {
  std::string_view option;
  std::int64_t most;
  bool is_always = false;
};
constexpr std::array<Bound, 24> bounds = {{{"budget", 5000, true},
                                           {"schedules", 3, true},
                                           {"exhaust", 10, true},
                                           {"cases", 2, true},
                                           {"max-steps", 3000, true},
                                           {"warmup", 1, true},
                                           {"iters", 2, true},
                                           {"minutes", 0, true},
                                           {"seconds", 0, true},
                                           {"races", 20, true},
                                           {"m", 160},
                                           {"k", 160},
                                           {"n", 160},
                                           {"devices", 8},
                                           {"cores", 4},
                                           {"calls", 4},
                                           {"groups", 32},
                                           {"experts", 16},
                                           {"rings", 4},
                                           {"batch", 8},
                                           {"tokens", 64},
                                           {"rows", 160},
                                           {"top-k", 4},
                                           {"slices", 16}}};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool is_quoted = false, is_in_word = false;
  for (const char c : line) {
    if (c == '\'') {
      is_quoted = !is_quoted;
      if (!is_in_word) words.emplace_back();
      is_in_word = true;
    } else if (c == ' ' && !is_quoted) {
      is_in_word = false;
    } else {
      if (!is_in_word) words.emplace_back();
      is_in_word = true;
      words.back() += c;
    }
  }
  return words;
}

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
}

std::string bounded(const Bound& bound, const std::string& value) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc() || number <= bound.most) return value;
  if (!bound.is_always && number > 1'000'000'000) return value;
  return std::to_string(bound.most);
}

// The words as they are run: inside the folder, and bounded.
std::vector<std::string> safe(std::vector<std::string> words) {
  for (std::string& word : words) {
    replace_all(word, "/", "_");
    replace_all(word, "%s", (scratch_folder() / "fuzz.tsr").string());
    replace_all(word, "%d", scratch_folder().string());
  }
  const auto bound_of = [](std::string_view word) -> const Bound* {
    for (const Bound& bound : bounds)
      if (word.size() > 2 && word.substr(0, 2) == "--" && word.substr(2) == bound.option)
        return &bound;
    return nullptr;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (const Bound* b = bound_of(std::string_view(words[i]).substr(0, equals));
        b != nullptr && equals != std::string::npos)
      words[i] = words[i].substr(0, equals + 1) + bounded(*b, words[i].substr(equals + 1));
    else if (const Bound* next = bound_of(words[i]); next != nullptr && i + 1 < words.size())
      words[i + 1] = bounded(*next, words[i + 1]);
  }
  return words;
}

bool has_option(std::string_view name, std::string_view option) {
  for (const cli::Command& command : cli::commands())
    if (command.name == name)
      for (const cli::Option& known : command.options)
        if (known.name == option) return true;
  return false;
}

// Where nobody says how much is enough.
void add_bounds(std::vector<std::string>& words) {
  const auto add = [&](std::string_view option, std::string_view value) {
    for (const std::string& word : words)
      if (word.starts_with("--" + std::string(option))) return;
    words.insert(words.end(), {"--" + std::string(option), std::string(value)});
  };
  if (words.front() == "verify") {
    add("budget", "5000");
    add("exhaust", "10");
    add("schedules", "3");
  } else if (has_option(words.front(), "max-steps")) {
    add("max-steps", "3000");
  }
  if (words.front() == "fuzz") add("cases", "1");
}

// The exit code is one of those that are promised; with --json there is one object, which says the
// same.
void run(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  const int code = cli::run(words, out, err);
  REQUIRE(code >= 0 && code <= 3, "exit code " + std::to_string(code));
  bool is_json = false, is_help = false;
  for (const std::string& word : words) {
    is_json = is_json || word == "--json";
    is_help = is_help || word == "--help" || word == "help" || word == "-h" || word == "--version";
  }
  if (code >= 2) REQUIRE(is_json || !err.str().empty() || !out.str().empty(), "nothing is said");
  if (!is_json || is_help) return;
  const Json json = Json::parse(out.str());
  REQUIRE(json.find("schema") != nullptr && json.find("status") != nullptr, out.str());
  REQUIRE((json.find("status")->text() == "ok") == (code == 0),
          "exit code " + std::to_string(code) + "\n" + out.str());
}

void check_nothing_left() {
  const Unbounded unbounded;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_folder()))
    REQUIRE(entry.path().filename().string().find(".tmp") == std::string::npos,
            "a temporary file is left: " + entry.path().string());
}

void check(std::string_view text) {
  std::vector<std::vector<std::string>> commands;
  while (commands.empty() || text.starts_with("&& ")) {
    const std::size_t line = std::min(text.find('\n'), text.size());
    std::string_view command = text.substr(0, line);
    if (command.starts_with("&& ")) command.remove_prefix(3);
    commands.push_back(safe(words_of(command)));
    text.remove_prefix(std::min(line + 1, text.size()));
    if (commands.back().empty()) return;
    add_bounds(commands.back());
    // What measures takes as long as measuring takes.
    if (commands.back().front() == "bench") return;
    if (commands.size() > 3) break;
  }
  scratch_file("fuzz.tsr", text);
  for (const std::vector<std::string>& words : commands) {
    const MemoryBudget memory(max_bytes);
    try {
      run(words);
    } catch (const std::bad_alloc&) {
      REQUIRE(memory.was_refused(), "bad_alloc, and nothing was refused");
    }
    check_nothing_left();
  }
  empty_scratch_folder();
}

}  // namespace
}  // namespace tessera::fuzz

// Files without a folder lie in the scratch folder, caches too; no GPU is asked for.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const std::string folder = tessera::fuzz::scratch_folder().string();
  std::filesystem::current_path(folder);
  setenv("TESSERA_CACHE", (folder + "/cache").c_str(), 1);
  setenv("TESSERA_CUDA_LIBRARIES", "/nonexistent", 1);
  unsetenv("TESSERA_AUTOTUNE_POLICY");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}

#ifdef TESSERA_FUZZ
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string changed =
      tessera::fuzz::mutated_command({reinterpret_cast<const char*>(data), size}, seed, most);
  changed.copy(reinterpret_cast<char*>(data), changed.size());
  return changed.size();
}
#endif
