// Agreement of processes: each sends a text to all others, and all end together.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "devices/mpi/world.h"

namespace tessera::mpi {
namespace {

constexpr int max_concurrent = 8;  // maximum number of processes for a direct exchange

// The first part of a text, with its length.
struct Head {
  std::int64_t size = 0;  // total size in bytes
  char begin[1016] = {};

  std::byte* bytes() { return reinterpret_cast<std::byte*>(this); }
};

void put(std::string& text, std::int64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  std::memcpy(&number, text.data(), sizeof number);
  text.remove_prefix(sizeof number);
  return number;
}

std::string packed(const Account& account) {
  std::string text;
  put(text, account.has_ended ? 1 : 0);
  put(text, account.code);
  put(text, static_cast<std::int64_t>(account.text.size()));
  return text + account.text;
}

Account unpacked(std::string_view& text) {
  Account account;
  account.has_ended = take_number(text) != 0;
  account.code = static_cast<int>(take_number(text));
  const auto length = static_cast<std::size_t>(take_number(text));
  account.text = text.substr(0, length);
  text.remove_prefix(length);
  return account;
}

// Reason of the first process that failed with another exit code than process 0; empty: none.
std::string failure(const std::vector<Account>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Account& one = all[i];
    if (!one.has_ended || one.code < 2) continue;
    if (i == 0) return "process 0 ended the work";
    if (all[0].has_ended && one.code == all[0].code) continue;  // the same error
    std::string why = one.text;
    if (why.starts_with("error: ")) why.erase(0, 7);
    while (!why.empty() && why.back() == '\n') why.pop_back();
    return fmt::format("process {} ended the work: {}", i, why);
  }
  return {};
}

// The same for a process with remaining work.
std::string early_end(const std::vector<Account>& all) {
  std::string why = failure(all);
  return why.empty() ? "a process has no work left: its command line differs" : why;
}

}  // namespace

// The length and the beginning of a text are one message, which is enough for most texts.
void World::send_text(std::string_view text, int to) {
  Head head{static_cast<std::int64_t>(text.size()), {}};
  const std::size_t first = text.copy(head.begin, sizeof head.begin);
  transfer(true, head.bytes(), sizeof head, to);
  text.remove_prefix(first);
  transfer(true, reinterpret_cast<std::byte*>(const_cast<char*>(text.data())),
           static_cast<std::int64_t>(text.size()), to);
}

std::string World::receive_text(int from) {
  Head head{};
  transfer(false, head.bytes(), sizeof head, from);
  const auto size = static_cast<std::size_t>(head.size);
  std::string text(head.begin, std::min(size, sizeof head.begin));
  const std::size_t first = text.size();
  text.resize(size);
  transfer(false, reinterpret_cast<std::byte*>(text.data()) + first,
           static_cast<std::int64_t>(size - first), from);
  return text;
}

// Returns the texts of all processes, concatenated, in every process. Few processes exchange them
// directly; otherwise process 0 collects and distributes them.
std::string World::gathered(std::string own) {
  if (size_ <= max_concurrent) return told_at_once(own);
  if (rank_ > 0) {
    send_text(own, 0);
    return receive_text(0);
  }
  for (int peer = 1; peer < size_; ++peer) own += receive_text(peer);
  for (int peer = 1; peer < size_; ++peer) send_text(own, peer);
  return own;
}

std::string World::told_at_once(std::string_view own) {
  std::vector<Head> heads(static_cast<std::size_t>(size_));
  Head& mine = heads[static_cast<std::size_t>(rank_)];
  mine.size = static_cast<std::int64_t>(own.size());
  own.copy(mine.begin, sizeof mine.begin);
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    begin_transfer(false, heads[static_cast<std::size_t>(peer)].bytes(), sizeof(Head), peer);
    begin_transfer(true, mine.bytes(), sizeof(Head), peer);
  }
  wait_for(2 * (size_ - 1));
  std::string all;
  for (int from = 0; from < size_; ++from) {
    const Head& head = heads[static_cast<std::size_t>(from)];
    std::string text(static_cast<std::size_t>(head.size), '\0');
    const std::size_t first = std::min(text.size(), sizeof head.begin);
    text.replace(0, first, head.begin, first);
    if (from == rank_) text = own;
    if (text.size() > first)
      share({reinterpret_cast<std::byte*>(text.data()) + first, text.size() - first}, from);
    all += text;
  }
  return all;
}

std::vector<Account> World::exchange(const Account& own) {
  const std::string all = gathered(packed(own));
  std::string_view rest = all;
  std::vector<Account> accounts;
  while (!rest.empty()) accounts.push_back(unpacked(rest));
  CHECK(accounts.size() == static_cast<std::size_t>(size_));
  return accounts;
}

Expected<std::vector<std::string>> World::agree(std::string text) {
  const std::vector<Account> all = exchange({false, 0, std::move(text)});
  std::vector<std::string> texts;
  for (const Account& one : all) {
    has_ended_ |= one.has_ended;
    texts.push_back(one.text);
  }
  if (!has_ended_) return texts;
  return error(ErrorCode::environment, early_end(all));
}

std::string World::end(int code, const std::string& why) {
  if (std::exchange(has_ended_, false)) return {};
  const std::vector<Account> all = exchange({true, code, why});
  const std::string others = failure(all);
  return rank_ == 0 && !others.starts_with("process 0 ") ? others : std::string();
}

}  // namespace tessera::mpi
