// Conversations with the debug adapter, for tests.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/debug/dap_target.h"
#include "cli/debug/debug_target.h"
#include "debugger/dap/messages.h"

namespace tessera::test {

// Byte source that returns the given pieces in order, then the end of input.
class SaidPieces final : public debugger::ByteSource {
 public:
  explicit SaidPieces(std::vector<std::string> pieces, bool is_ready = false)
      : pieces_(pieces.begin(), pieces.end()), is_ready_(is_ready) {}
  Expected<std::string> read() override {
    if (pieces_.empty()) return std::string();
    std::string next = std::move(pieces_.front());
    pieces_.pop_front();
    return next;
  }
  bool is_ready() override { return is_ready_ && !pieces_.empty(); }

 private:
  std::deque<std::string> pieces_;
  bool is_ready_;
};

inline std::string request(int seq, const std::string& command, const std::string& arguments = {}) {
  const std::string body = "{\"seq\": " + std::to_string(seq) +
                           ", \"type\": \"request\", \"command\": \"" + command + "\"" +
                           (arguments.empty() ? "" : ", \"arguments\": " + arguments) + "}";
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Asked {
  std::string command;
  std::string arguments{};  // JSON
};

// Sends requests to a debug adapter and collects its answers. The adapter receives each request
// when it reads the next one. hold() runs the conversation; words: the arguments of gmm-run.
class Conversation final : private debugger::ByteSource {
 public:
  using Answers = std::vector<std::vector<Json>>;  // responses and events, by request

  static Answers hold(const std::vector<std::string>& words, const std::vector<Asked>& asked) {
    Conversation conversation(asked);
    const auto arguments = cli::parse_arguments(cli::target_options(words), words);
    EXPECT_TRUE(arguments) << render(arguments.diags());
    debugger::MessageReader reader(conversation);
    debugger::DebugAdapter adapter(reader, conversation.out_, cli::dap_target(*arguments));
    const Expected<void> served = adapter.serve();
    if (!served) ADD_FAILURE() << render(served.diags());
    conversation.take_answers();
    return std::move(conversation.answers_);
  }

 private:
  explicit Conversation(const std::vector<Asked>& asked) : asked_(asked) {}

  Expected<std::string> read() override {
    if (at_ > 0) take_answers();
    if (at_ == asked_.size()) return std::string();
    const Asked& next = asked_[at_++];
    return request(static_cast<int>(at_), next.command, next.arguments);
  }
  bool is_ready() override { return false; }
  void take_answers() {
    SaidPieces said({out_.str()});
    out_.str({});
    debugger::MessageReader reader(said);
    answers_.resize(at_);
    for (auto one = reader.next(); one && *one; one = reader.next())
      answers_.back().push_back(**one);
  }

  const std::vector<Asked>& asked_;
  std::size_t at_ = 0;
  Answers answers_;
  std::ostringstream out_;
};

}  // namespace tessera::test
