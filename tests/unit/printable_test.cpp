// Texts of programs, files and command lines are never printed as control sequences.
#include "core/report/printable.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/reports/printable_stream.h"
#include "core/report/diag.h"
#include "tests/unit/temporary.h"
#include "text/invocation.h"
#include "text/json.h"

namespace tessera {
namespace {

// Untrusted texts: escape sequences, C1 codes, cursor movements, text directions, invalid bytes.
const std::vector<std::string> payloads = {"\x1b[2J\x1b[32mproved",
                                           "\x1b]0;title\x07",
                                           "\xc2\x9b"
                                           "2J",
                                           "\x9b"
                                           "2J",
                                           "a\rproved",
                                           "a\b\bb",
                                           "\x7f",
                                           "\xe2\x80\xae"
                                           "devorp",
                                           "\xe2\x81\xa6",
                                           "\xd8\x9c",
                                           "\xff\xfe",
                                           "\x01",
                                           "\xed\xa0\x80"};

// Returns the first bytes that a terminal would execute; empty if it only shows the text.
std::string executed(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const unsigned a = byte(at), b = byte(at + 1), c = byte(at + 2);
    const bool is_control = (a < 0x20 && a != '\n' && a != '\t') || a == 0x7f;
    const bool is_c1 = a == 0xc2 && b >= 0x80 && b <= 0x9f;
    const bool turns = (a == 0xe2 && b == 0x80 && (c == 0x8e || c == 0x8f || c >= 0xa8)) ||
                       (a == 0xe2 && b == 0x81 && c >= 0xa6 && c <= 0xa9) ||
                       (a == 0xd8 && b == 0x9c);
    const bool is_stray = a == 0xff || a == 0xfe || a == 0xed || (a >= 0x80 && a < 0xc2 && at == 0);
    if (is_control || is_c1 || turns || is_stray) return std::string(text.substr(at, 8));
  }
  return {};
}

TEST(Printable, EscapesWhatATerminalExecutes) {
  for (const std::string& payload : payloads) {
    EXPECT_EQ(executed(printable(payload)), "") << printable(payload);
    EXPECT_NE(printable(payload), payload);
    EXPECT_EQ(printable(printable(payload)), printable(payload));
  }
  EXPECT_EQ(printable("\x1b[2J\r"), "\\u001b[2J\\u000d");
  EXPECT_EQ(printable("\xc2\x9b\xff\xed\xa0\x80"), "\\u009b\\xff\\xed\\xa0\\x80");
  EXPECT_EQ(printable_line("a\nb\tc"), "a\\u000ab\tc");
}

TEST(Printable, LeavesTextAlone) {
  for (const std::string text : {"", "a\n\tb", "größer ≤ 日本語 🙂", "\xc2\xa0"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, TakesCharactersInPieces) {
  std::ostringstream out;
  {
    const cli::PrintableStream filter(out);
    out << "\xf0\x9f"
        << "\x99\x82 \xe2\x80"
        << "\xae" << '\x1b' << "\xe2" << std::flush << "x\xc3";
    EXPECT_NE(cli::PrintableStream::raw(out), static_cast<std::ostream&>(out).rdbuf());
  }
  EXPECT_EQ(out.str(), "\xf0\x9f\x99\x82 \\u202e\\u001b\\xe2x\\xc3");
}

TEST(Printable, KeepsTheErrorsOfItsStream) {
  std::ostringstream out;
  {
    const cli::PrintableStream filter(out);
    out.setstate(std::ios::badbit);
  }
  EXPECT_TRUE(out.bad());
}

TEST(Printable, ACaretStandsUnderAnEscapedLine) {
  const auto source = std::make_shared<const Source>(Source{"a\nb.tsr", "x\x1b\xff = yy\n"});
  EXPECT_EQ(render_place({source, 1, 7, 2}, "error", "one\nproved    no race\x1b\n"),
            "a\\u000ab.tsr:1:7: error: one\n  proved    no race\\u001b\n"
            "x\\u001b\\xff = yy\n"
            "              ^~\n");
}

TEST(Printable, AWordForAShellIsQuotedWithoutControls) {
  const std::vector<std::string> words = {"run", "a b", "it's\x1b\n"};
  EXPECT_EQ(shell_line(words), "run 'a b' $'it\\x27s\\x1b\\x0a'");
}

// A command that prints the payload, run in a folder with files that contain it.
struct Channel {
  const char* name;
  std::vector<std::string> words;  // FILE: the program's file
  std::string program;             // PAYLOAD is replaced
  std::string input{};
  std::string other{};  // contents of another file, OTHER in the words
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

constexpr const char* racy = R"(kernel k(rows = 4)
  in a: f32[rows, 128] hbm
  out o: f32[rows, 128] hbm
  vmem x: f32[rows, 128]
  sem s: bytes
{
  start a -> x, s
  copy x -> o // PAYLOAD
  wait s for x
}
)";
constexpr const char* plain = R"(// PAYLOAD
kernel k(n = 4)
  in a: i32[n] smem
  out o: i32[n] smem
{
  assert n == 4, "PAYLOAD"
  print "PAYLOAD"
  for i in n { o[i] = a[i] } // PAYLOAD
}
)";

const std::vector<Channel> channels = {
    {"comment under a finding", {"verify", "FILE"}, racy},
    {"comment of the text", {"fmt", "FILE"}, plain},
    {"list of the debugger", {"debug", "FILE", "--batch", "--commands", "list"}, plain},
    {"print", {"run", "FILE", "--interpret"}, plain},
    {"require", {"check", "FILE"}, "kernel k(n = 4)\n{\n  require n == 5, \"PAYLOAD\"\n}\n"},
    {"assert",
     {"run", "FILE", "--interpret"},
     "kernel k(n = 4)\n{\n  assert n == 5, \"PAYLOAD\"\n}\n"},
    {"error line", {"check", "FILE"}, "kernel k(n = 4)\n{\n  wrong() // PAYLOAD\n}\n"},
    {"unexpected character", {"check", "FILE"}, "kernel k(n = 4)\n{\n  PAYLOAD\n}\n"},
    {"# line", {"check", "FILE"}, "kernel k(n = 4)\n{\n# line 3 \"PAYLOAD\"\n  wrong()\n}\n"},
    {"setting", {"run", "FILE", "--set", "PAYLOAD=3"}, plain},
    {"command", {"PAYLOAD"}, plain},
    {"option", {"run", "FILE", "--PAYLOAD"}, plain},
    {"word", {"run", "FILE", "PAYLOAD"}, plain},
    {"type word",
     {"run", "FILE", "--in", "a=OTHER"},
     plain,
     "",
     std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
         "{'descr': 'PAYLOAD', 'fortran_order': False, 'shape': (4,), }\n"},
    {"certificate", {"check-certificate", "OTHER"}, plain, "", "{\"command\": \"PAYLOAD\"}"},
    {"configuration",
     {"gmm", "--m", "8", "--k", "8", "--n", "8", "--config", "{\"PAYLOAD\": 1}"},
     plain},
    {"schedule", {"run", "FILE", "--schedule", "replay:OTHER"}, plain, "", "PAYLOAD"},
    {"schedule's name", {"run", "FILE", "--schedule", "PAYLOAD"}, plain},
    {"file", {"run", "PAYLOAD.tsr"}, plain},
};

TEST(Printable, NoChannelLetsControlsThrough) {
  for (const Channel& channel : channels) {
    for (const std::string& payload : payloads) {
      const TemporaryFolder folder;
      const auto made = [&](const char* name, const std::string& text) {
        write_bytes(folder.file(name), replaced(text, "PAYLOAD", payload));
      };
      made("k.tsr", channel.program);
      made("other.npy", channel.other);
      std::vector<std::string> words;
      for (const std::string& word : channel.words)
        words.push_back(
            replaced(replaced(replaced(word, "PAYLOAD", payload), "FILE", folder.file("k.tsr")),
                     "OTHER", folder.file("other.npy")));
      std::ostringstream out, err;
      std::istringstream in(replaced(channel.input, "PAYLOAD", payload));
      std::streambuf* const before = std::cin.rdbuf(in.rdbuf());
      cli::run(words, out, err);
      std::cin.rdbuf(before);
      EXPECT_EQ(executed(out.str() + err.str()), "") << channel.name << ": " << printable(payload);
      EXPECT_FALSE((out.str() + err.str()).empty()) << channel.name;
    }
  }
}

TEST(Printable, JsonStaysJson) {
  const TemporaryFolder folder;
  write_bytes(folder.file("k.tsr"), replaced(racy, "PAYLOAD", "\xc2\x9b\xe2\x80\xae"));
  std::ostringstream out, err;
  EXPECT_EQ(cli::run({"verify", folder.file("k.tsr"), "--set", "\xc2\x9b=1", "--json"}, out, err),
            2);
  EXPECT_EQ(executed(out.str()), "");
  EXPECT_NE(out.str().find("\\u009b"), std::string::npos) << out.str();
  EXPECT_NE(Json::parse(out.str()).find("error")->text().find("\xc2\x9b"), std::string::npos);
}

}  // namespace
}  // namespace tessera
