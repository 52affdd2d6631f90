#include "debugger/dap/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/report/shown.h"
#include "core/report/try.h"
#include "text/numbers.h"
#include "text/read_json.h"

namespace tessera::debugger {
namespace {

constexpr std::size_t longest_header = 4096;
constexpr std::int64_t longest_body = std::int64_t{16} << 20;
constexpr std::size_t max_waiting = std::size_t{2} * longest_body;
constexpr std::string_view line_end = "\r\n", header_end = "\r\n\r\n";

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

// Returns the length in a header. Other header lines are ignored.
Expected<std::int64_t> length_in(std::string_view header) {
  std::optional<std::int64_t> length;
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find(line_end, at), header.size());
    const std::string_view line = header.substr(at, end - at);
    at = end + line_end.size();
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      return error(
          fmt::format("expected the header of a message, as in `Content-Length: 119`, "
                      "found `{}`",
                      shown_text(line)));
    if (lower(line.substr(0, colon)) != "content-length") continue;
    const std::size_t first = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    const std::string_view number = line.substr(first);
    const auto value = parse_integer(number);
    if (!value || *value < 0 || *value > longest_body)
      return error(fmt::format("a message has a length of 0 to {} bytes, not `{}`", longest_body,
                               shown_text(number)));
    if (length) return error("a header has the length of its message twice");
    length = *value;
  }
  if (!length) return error("a header has no length of its message: expected Content-Length");
  return *length;
}

bool is_of(const Json& message, std::string_view command) {
  const Json* const named = message.find("command");
  return named != nullptr && named->text() == command;
}

}  // namespace

std::string framed(const Json& message) {
  const std::string body = message.text();
  return fmt::format("Content-Length: {}{}{}", body.size(), header_end, body);
}

// Removes and returns the first message of bytes_; nullopt if it is incomplete.
Expected<std::optional<Json>> MessageReader::parse() {
  const std::size_t end = bytes_.find(header_end);
  if (end == std::string::npos || end > longest_header) {
    if (bytes_.size() > longest_header)
      return error(fmt::format("expected the header of a message in the first {} bytes, found `{}`",
                               longest_header, shown_text(bytes_)));
    return std::optional<Json>();
  }
  const auto length =
      static_cast<std::size_t>(TRY(length_in(std::string_view(bytes_).substr(0, end))));
  const std::size_t begin = end + header_end.size();
  if (bytes_.size() - begin < length) return std::optional<Json>();
  Json message =
      TRY(read_json(std::string_view(bytes_).substr(begin, length), "a message is not JSON"));
  bytes_.erase(0, begin + length);
  return std::optional<Json>(std::move(message));
}

void MessageReader::take_in(const Expected<std::string>& bytes) {
  if (!bytes) {
    wrong_ = bytes.diags();
    return;
  }
  if (waiting_.empty()) taken_in_ = bytes_.size();
  taken_in_ += bytes->size();
  if (taken_in_ > max_waiting) {
    wrong_ = Diags{error(fmt::format(
        "expected at most {} bytes of messages while the program runs, found more", max_waiting))};
    return;
  }
  bytes_ += *bytes;
  is_at_end_ = bytes->empty();
  for (;;) {
    const Expected<std::optional<Json>> message = parse();
    if (!message) wrong_ = message.diags();
    if (!message || !*message) break;
    waiting_.push_back(**message);
  }
  if (is_at_end_ && !wrong_ && !bytes_.empty())
    wrong_ = Diags{
        error(fmt::format("the input ends inside a message, after `{}`", shown_text(bytes_)))};
}

Expected<std::optional<Json>> MessageReader::next() {
  while (waiting_.empty() && !has_ended()) take_in(source_.read());
  if (!waiting_.empty()) {
    std::optional<Json> message = std::move(waiting_.front());
    waiting_.pop_front();
    return message;
  }
  if (wrong_) return *wrong_;
  return std::optional<Json>();
}

void MessageReader::look() {
  while (!has_ended() && source_.is_ready()) take_in(source_.read());
}

bool MessageReader::has(std::string_view command) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Json& message) { return is_of(message, command); });
}

std::optional<Json> MessageReader::take(std::string_view command) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Json& message) { return is_of(message, command); });
  if (found == waiting_.end()) return {};
  std::optional<Json> message = std::move(*found);
  waiting_.erase(found);
  return message;
}

}  // namespace tessera::debugger
