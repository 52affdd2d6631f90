// explain: explains a kind of finding and its remedies, from docs/reference/findings.md.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/reports/pages.h"
#include "core/report/near.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

struct Section {
  std::string_view kind;
  std::string text;     // programs indented, without fences
  std::string summary;  // the first sentence
};

std::string_view findings_page() {
  for (const EmbeddedText& page : std::span(embedded_pages, embedded_page_count))
    if (std::string_view(page.name) == "findings.md") return page.text;
  return {};
}

std::string first_sentence(std::string_view text) {
  std::string sentence(text.substr(0, text.find("\n\n")));
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  for (const std::string_view end : {". ", ": "})
    if (const auto at = sentence.find(end); at != std::string::npos) sentence.resize(at);
  while (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

// Returns the command that runs a program, from the text after the language in its fence: options
// of `verify`, or a command with %s for the file.
std::string command_of(const std::string& fence) {
  const auto at = fence.find(' ');
  std::string words = at == std::string::npos ? "" : fence.substr(at);
  if (words.empty() || words.starts_with(" --")) return "verify FILE" + words;
  words.erase(0, 1);
  if (const auto file = words.find("%s"); file != std::string::npos) words.replace(file, 2, "FILE");
  return words;
}

std::string without_fences(std::string_view text) {
  std::string result;
  bool is_program = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("```")) {
      is_program = !is_program;
      if (is_program) result += "    // gmm-run " + command_of(line) + "\n";
    } else {
      result += (is_program && !line.empty() ? "    " : "") + line + "\n";
    }
  }
  const auto end = result.find_last_not_of('\n');
  result.erase(end == std::string::npos ? 0 : end + 1);
  return result;
}

// Returns the sections of the page with a heading in backquotes.
std::vector<Section> sections() {
  constexpr std::string_view heading = "\n## ";
  std::vector<Section> all;
  std::string_view rest = findings_page();
  for (auto at = rest.find(heading); at != std::string_view::npos; at = rest.find(heading)) {
    rest.remove_prefix(at + heading.size());
    const std::string_view title = rest.substr(0, rest.find('\n'));
    if (!title.starts_with('`')) continue;
    std::string_view text = rest.substr(title.size(), rest.find(heading) - title.size());
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
    all.push_back({title.substr(1, title.size() - 2), without_fences(text), first_sentence(text)});
  }
  return all;
}

int list_kinds(const std::vector<Section>& all, Console& console) {
  if (console.prints_text()) {
    for (const Section& section : all)
      console.out << fmt::format("{:19}{}\n", section.kind, section.summary);
    if (!console.prints_json()) return 0;
  }
  Json object = {{"status", "ok"}, {"kinds", Json::array()}};
  for (const Section& section : all)
    object["kinds"].push_back({{"kind", section.kind}, {"summary", section.summary}});
  print(console, object);
  return 0;
}

int run(const Arguments& arguments, Console& console) {
  const std::vector<Section> all = sections();
  if (arguments.words().empty()) return list_kinds(all, console);
  const std::string& kind = arguments.words().front();
  const auto section =
      std::find_if(all.begin(), all.end(), [&](const Section& one) { return one.kind == kind; });
  if (section == all.end()) {
    std::vector<std::string_view> kinds;
    for (const Section& one : all) kinds.push_back(one.kind);
    Diag diag =
        error(fmt::format("there is no kind of finding '{}'{}", kind, did_you_mean(kind, kinds)));
    diag.notes.push_back({{}, fmt::format("the kinds are {}", fmt::join(kinds, ", "))});
    return fail(console, diag);
  }
  if (console.prints_json()) {
    print(console, {{"status", "ok"},
                    {"kinds", Json::array({{{"kind", section->kind},
                                            {"summary", section->summary},
                                            {"text", section->text}}})}});
  }
  if (console.prints_text()) console.out << section->text << '\n';
  return 0;
}

}  // namespace

Command explain_command() {
  return {"explain",
          "[KIND]",
          "explain a kind of finding: its meaning, a program that has it, and how to fix it",
          "  gmm-run explain\n  gmm-run explain race\n",
          {},
          run};
}

}  // namespace tessera::cli
