// The framing of the Debug Adapter Protocol, whole, in pieces and malformed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/report/diag.h"
#include "debugger/dap/messages.h"
#include "tests/unit/dap_support.h"

namespace tessera {
namespace {

using test::SaidPieces;

std::string with_length(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::vector<std::string> bytes_of(const std::string& text) {
  std::vector<std::string> bytes;
  for (const char c : text) bytes.emplace_back(1, c);
  return bytes;
}

// Returns the messages, then the reason why reading ended; empty: the input ended between messages.
std::vector<std::string> read_all(const std::vector<std::string>& pieces) {
  SaidPieces said(pieces);
  debugger::MessageReader reader(said);
  std::vector<std::string> all;
  for (;;) {
    const auto one = reader.next();
    if (!one) {
      all.push_back("error: " + one.diags().front().message);
      return all;
    }
    if (!*one) return all;
    all.push_back((*one)->text());
  }
}

using Texts = std::vector<std::string>;

TEST(DapMessages, what_is_framed_is_read_again) {
  const Json message = {{"seq", 1}, {"text", "a \"b\"\r\n\r\n\xc3\xa9"}};
  const std::string both = debugger::framed(message) + debugger::framed({{"seq", 2}});
  const Texts wanted = {message.text(), "{\"seq\":2}"};
  EXPECT_EQ(read_all({both}), wanted);
  EXPECT_EQ(read_all(bytes_of(both)), wanted);
}

TEST(DapMessages, a_header_may_say_more) {
  EXPECT_EQ(read_all({"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
                      "content-length:2\r\n\r\n{}"}),
            Texts{"{}"});
}

// A client that continues to send while the program runs.
TEST(DapMessages, messages_that_wait_are_bounded) {
  const std::string many = with_length("{\"seq\":1,\"pad\":\"" + std::string(1 << 20, 'x') + "\"}");
  SaidPieces said(std::vector<std::string>(40, many), true);
  debugger::MessageReader reader(said);
  reader.look();
  EXPECT_TRUE(reader.has_ended());
  int read = 0;
  for (; read < 40; ++read) {
    const auto one = reader.next();
    if (one) continue;
    EXPECT_EQ(one.diags().front().message,
              "expected at most 33554432 bytes of messages while the program runs, found more");
    break;
  }
  EXPECT_EQ(read, 31);
}

TEST(DapMessages, what_is_malformed_is_told_behind_what_came_before) {
  const std::string good = with_length("{}");
  EXPECT_EQ(read_all({}), Texts{});
  EXPECT_EQ(read_all({good + "hello\r\n\r\n"}),
            (Texts{"{}",
                   "error: expected the header of a message, as in `Content-Length: 119`, "
                   "found `hello`"}));
  EXPECT_EQ(read_all({"Content-Length: -1\r\n\r\n"}),
            Texts{"error: a message has a length of 0 to 16777216 bytes, not `-1`"});
  EXPECT_EQ(read_all({"Content-Length: 16777217\r\n\r\n"}),
            Texts{"error: a message has a length of 0 to 16777216 bytes, not `16777217`"});
  EXPECT_EQ(read_all({"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"}),
            Texts{"error: a header has the length of its message twice"});
  EXPECT_EQ(read_all({"X: 2\r\n\r\n{}"}),
            Texts{"error: a header has no length of its message: expected Content-Length"});
  EXPECT_EQ(read_all({good + "Content-Le"}),
            (Texts{"{}", "error: the input ends inside a message, after `Content-Le`"}));
  EXPECT_EQ(read_all({"Content-Length: 9\r\n\r\n{}"}).size(), 1U);
  const std::string endless(100'000, 'x');
  EXPECT_NE(read_all({endless}).at(0).find("in the first 4096 bytes"), std::string::npos);
  EXPECT_NE(read_all({with_length("{\"a\" 1}")}).at(0).find("a message is not JSON"),
            std::string::npos);
  EXPECT_NE(read_all({with_length(std::string(100, '['))}).at(0).find("nests deeper than 64"),
            std::string::npos);
}

TEST(DapMessages, what_has_come_can_be_looked_through_before_its_turn) {
  SaidPieces said({test::request(1, "next"), test::request(2, "pause"), test::request(3, "next")},
                  true);
  debugger::MessageReader reader(said);
  EXPECT_FALSE(reader.has("pause"));
  reader.look();
  EXPECT_TRUE(reader.has("pause"));
  EXPECT_EQ(reader.take("pause")->find("seq")->text(), "2");
  EXPECT_FALSE(reader.take("pause"));
  EXPECT_EQ((*reader.next())->find("seq")->text(), "1");
  EXPECT_EQ((*reader.next())->find("seq")->text(), "3");
  EXPECT_FALSE(*reader.next());
  EXPECT_TRUE(reader.has_ended());
}

}  // namespace
}  // namespace tessera
