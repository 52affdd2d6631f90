// Checks docs/reference/language.md: its programs run, or are rejected with the messages that the
// page shows; it contains every op, type, keyword and library function; and its grammar has the
// words of the parser.
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/data/dtype.h"
#include "core/lang/keywords.h"
#include "core/lang/language.h"
#include "core/program/op.h"
#include "kernels/programs/library_functions.h"
#include "tests/unit/language_support.h"
#include "tests/unit/page.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using test::Fenced;
using test::Message;
using Words = std::set<std::string, std::less<>>;

std::string page() { return test::read_file("docs/reference/language.md"); }

// Returns the messages in comments `// error: text` at the end of lines.
std::vector<Message> announced(const Fenced& block) {
  static const std::regex announcement(R"(^ *[^ /].*// (error): (.*)$)");
  std::vector<Message> found;
  int number = block.first - 1;
  std::smatch match;
  for (const std::string& line : test::lines_of(block.text)) {
    ++number;
    if (std::regex_match(line, match, announcement))
      found.emplace_back(number, match[1].str(), match[2].str());
  }
  return found;
}

test::Outcome outcome_of(test::Lines command, const Fenced& block) {
  command.insert(command.end(), block.words.begin() + 1, block.words.end());
  return test::outcome_of(command);
}

// Each program keeps the line numbers of the page, so that reported places are places in the page.
TEST(LanguagePage, programs_run_or_are_refused_as_it_shows) {
  const TemporaryFolder folder;
  const std::string file = folder.file("language.tsr");
  int valid = 0, refused = 0;
  for (const Fenced& block : test::page_of(page()).blocks) {
    if (!block.is_in("tsr")) continue;
    SCOPED_TRACE("docs/reference/language.md:" + std::to_string(block.first));
    write_bytes(file, std::string(static_cast<std::size_t>(block.first) - 1, '\n') + block.text);
    const std::vector<Message> wanted = announced(block);
    const test::Outcome checked = outcome_of({"check", file}, block);
    EXPECT_EQ(test::reported(checked.output, file), wanted) << checked.output;
    EXPECT_EQ(checked.exit_code, wanted.empty() ? 0 : 2) << checked.output;
    if (!wanted.empty()) {
      ++refused;
      continue;
    }
    ++valid;
    EXPECT_NE(checked.output.find(": ok\n"), std::string::npos) << checked.output;
    const auto tidy = format(test::source(file, block.text));
    ASSERT_TRUE(tidy) << render(tidy.diags());
    EXPECT_EQ(*tidy, block.text);
    const test::Outcome ran = outcome_of({"run", file, "--interpret"}, block);
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_NE(ran.output.find("\nproved "), std::string::npos) << ran.output;
  }
  EXPECT_GE(valid, 12);
  EXPECT_GE(refused, 2);
}

// Returns the words in code on the page: fenced blocks, and text between backquotes.
Words words_in_code() {
  static const std::regex span("`([^`\n]+)`"), word("[A-Za-z_][A-Za-z_0-9]*");
  const test::Page parts = test::page_of(page());
  std::string code;
  for (const Fenced& block : parts.blocks) code += block.text;
  for (std::sregex_iterator at(parts.prose.begin(), parts.prose.end(), span), end; at != end; ++at)
    code += (*at)[1].str() + "\n";
  Words words;
  for (std::sregex_iterator at(code.begin(), code.end(), word), end; at != end; ++at)
    words.insert(at->str());
  return words;
}

// Returns the first group of each match.
Words matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  Words found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    found.insert((*at)[1].str());
  return found;
}

TEST(LanguagePage, names_every_op_type_word_and_library_function) {
  const Words named = words_in_code();
  for (const OpInfo& row : op_table().subspan(1))
    EXPECT_TRUE(named.contains(row.mnemonic)) << "op `" << row.mnemonic << "`";
  for (int i = 0; i < dtype_count; ++i)
    EXPECT_TRUE(named.contains(name(static_cast<DType>(i)))) << name(static_cast<DType>(i));
  for (const Module* module : test::library()) {
    for (const auto& [function, node] : module->functions)
      EXPECT_TRUE(named.contains(function)) << module->source->name << ": `" << function << "`";
  }
  int words = 0;
  for (const char* path : {"core/lang/word_lowering.cpp", "core/lang/array_words.cpp",
                           "core/lang/order_words.cpp", "core/lang/tile_words.cpp"}) {
    for (const std::string& word : matches(test::read_file(path), R"re(word == "([a-z_]+)")re")) {
      ++words;
      EXPECT_TRUE(named.contains(word)) << path << ": `" << word << "`";
    }
  }
  EXPECT_GE(words, 10);
}

TEST(LanguagePage, has_the_signature_and_the_meaning_of_each_library_function) {
  const auto functions = library_functions();
  ASSERT_TRUE(functions) << render(functions.diags());
  EXPECT_GE(functions->size(), 16u);
  const std::string text = page();
  for (const LibraryFunction& function : *functions) {
    EXPECT_FALSE(function.meaning.empty()) << function.name;
    const std::string row = "| `" + function.signature + "` | " + function.meaning + " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << "expected the row\n" << row;
  }
}

// In both directions: the grammar has the words that the parser expects, and the parser's source
// has the words that the grammar quotes.
TEST(LanguagePage, grammar_has_the_words_of_the_parser) {
  std::string grammar;
  for (const Fenced& block : test::page_of(page()).blocks)
    if (block.is_in("ebnf")) grammar += block.text;
  const Words terminals =
      matches(std::regex_replace(grammar, std::regex(R"(\(\*.*?\*\))"), ""), R"re("([^"]+)")re");
  std::string parser;
  for (const char* path :
       {"core/lang/parse.cpp", "core/lang/parse_declaration.cpp", "core/lang/parse_definition.cpp",
        "core/lang/parse_expression.cpp", "core/lang/parse_expression_postfix.cpp",
        "core/lang/parse_statement.cpp", "core/lang/parse_transfer.cpp"})
    parser += test::read_file(path);
  const Words asked = matches(parser, R"re(\b(?:is|accept|expect|continues)\("([^"]+)")re");
  EXPECT_GE(asked.size(), 50U);
  for (const std::string& word : asked)
    EXPECT_TRUE(terminals.contains(word)) << "the grammar lacks \"" << word << "\"";
  // The keyword list for editors has the same words.
  Words known;
  for (const Keyword& keyword : keywords()) known.insert(std::string(keyword.text));
  for (const std::string& word : terminals) {
    const bool is_word = std::isalpha(static_cast<unsigned char>(word[0])) != 0;
    EXPECT_TRUE(!is_word || known.contains(word))
        << "core/lang/keywords.cpp lacks \"" << word << '"';
  }
  for (const std::string& word : known)
    EXPECT_TRUE(terminals.contains(word)) << "the grammar has no \"" << word << "\"";
  // Comparisons, semaphore kinds and barriers are named in other files than the parser.
  const std::string sources = parser + test::read_file("core/lang/ast.cpp") +
                              test::read_file("core/program/program.cpp") +
                              test::read_file("core/lang/declaration_lowering.cpp");
  for (const std::string& word : terminals)
    EXPECT_NE(sources.find('"' + word + '"'), std::string::npos)
        << "the parser does not know \"" << word << "\"";
}

// Text by section number. A comment "(* sections 2, 10 *)" precedes the rules that these sections
// explain.
using Sections = std::map<int, std::string>;

// Returns the text of each numbered section.
Sections sections_of(const std::string& text) {
  static const std::regex heading(R"(## (\d+)\. .*)");
  Sections sections;
  int number = 0;
  std::smatch match;
  for (const std::string& line : test::lines_of(text)) {
    if (std::regex_match(line, match, heading)) number = std::stoi(match[1]);
    sections[number] += line + '\n';
  }
  return sections;
}

// Each grammar rule has sections, which explain the words that the rule quotes.
TEST(LanguagePage, rules_of_the_grammar_have_their_sections) {
  static const std::regex about(R"(\(\* sections? ([0-9, ]+) \*\))"), rule(R"(^(\w+) += )");
  const Sections sections = sections_of(page());
  std::string text;
  int rules = 0;
  for (const Fenced& block : test::page_of(page()).blocks) {
    if (!block.is_in("ebnf")) continue;
    std::smatch match;
    for (const std::string& line : test::lines_of(block.text)) {
      if (std::regex_match(line, match, about)) {
        text.clear();
        for (const std::string& number : matches(match[1].str(), R"((\d+))")) {
          ASSERT_TRUE(sections.contains(std::stoi(number))) << line;
          text += sections.at(std::stoi(number));
        }
      }
      if (std::regex_search(line, match, rule)) {
        ++rules;
        EXPECT_FALSE(text.empty()) << "rule `" << match[1] << "` stands below no section";
      }
      for (const std::string& word : matches(line, R"re("([a-z]+)")re"))
        EXPECT_TRUE(std::regex_search(text, std::regex("\\b" + word + "\\b")))
            << "the sections of this rule say nothing of `" << word << "`: " << line;
    }
  }
  EXPECT_GE(rules, 30);
}

}  // namespace
}  // namespace tessera
