#include "devices/profiles/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "devices/profiles/profile_data.h"
#include "devices/profiles/profile_property.h"

namespace tessera {
namespace {

struct Word {
  std::string_view text;
  int column = 1;
};

std::vector<Word> words(std::string_view line) {
  std::vector<Word> result;
  line = line.substr(0, line.find('#'));
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", i);
    if (begin == line.npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    result.push_back({line.substr(begin, end - begin), static_cast<int>(begin) + 1});
    i = end;
  }
  return result;
}

std::string names(const std::vector<Profile>& known) {
  std::string list;
  for (const Profile& profile : known) list += (list.empty() ? "" : ", ") + profile.machine.name;
  return list;
}

const Profile* find(const std::vector<Profile>& known, std::string_view name) {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Profile& p) { return p.machine.name == name; });
  return found == known.end() ? nullptr : &*found;
}

class Reader {
 public:
  Reader(std::shared_ptr<const Source> source, const std::vector<Profile>* built_in)
      : source_(std::move(source)), built_in_(built_in) {}

  Expected<std::vector<Profile>> read() {
    const std::string_view text = source_->text;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      read_line(words(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    close();
    if (read_.empty() && diags_.empty())
      fail({"", 1}, "no profile; one begins with `profile NAME`");
    if (!diags_.empty()) return diags_;
    return read_;
  }

 private:
  void fail(const Word& word, std::string message) {
    const Loc loc{source_, std::max(line_, 1), word.column,
                  std::max(1, static_cast<int>(word.text.size()))};
    diags_.push_back(Diag{ErrorCode::invalid_value, loc, std::move(message), {}});
  }

  void read_line(const std::vector<Word>& line) {
    if (line.empty()) return;
    const Word& key = line[0];
    if (line.size() < 2 || line.size() > 3) return fail(key, "expected a property and its value");
    if (key.text == "profile") return open(line[1]);
    if (read_.empty()) return fail(key, "expected `profile NAME` first");
    Profile& profile = read_.back();
    if (key.text == "like") {
      const Profile* base = built_in_ ? find(*built_in_, line[1].text) : find(read_, line[1].text);
      if (!base) return fail(line[1], fmt::format("no profile {}", line[1].text));
      std::string name = profile.machine.name;
      profile = Profile(*base);
      profile.machine.name = std::move(name);
      given_ = {"vmem", "smem", "hbm", "semaphores"};
      return;
    }
    const PropertySet result = set_property(profile, key.text, line[1].text,
                                            line.size() == 3 ? line[2].text : std::string_view());
    if (!result.known) return fail(key, fmt::format("a profile has no property {}", key.text));
    if (!result.wanted.empty())
      fail(line[1], fmt::format("{} requires {}", key.text, result.wanted));
    given_.emplace(key.text);
  }

  void open(const Word& name) {
    close();
    if (find(read_, name.text))
      return fail(name, fmt::format("profile {} occurs twice here", name.text));
    read_.emplace_back();
    read_.back().machine.name = std::string(name.text);
    name_ = name;
    name_line_ = line_;
    given_.clear();
  }

  void close() {
    if (read_.empty()) return;
    for (const std::string_view needed : {"vmem", "smem", "hbm", "semaphores"}) {
      if (given_.contains(needed)) continue;
      const int here = std::exchange(line_, name_line_);
      fail(name_, fmt::format("profile {} does not define {}", name_.text, needed));
      line_ = here;
    }
  }

  std::shared_ptr<const Source> source_;
  const std::vector<Profile>* built_in_;  // null while the built-in profiles are read
  std::vector<Profile> read_;
  std::set<std::string_view> given_;
  Word name_;
  int name_line_ = 0, line_ = 0;
  Diags diags_;
};

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = [] {
    auto source = std::make_shared<const Source>(Source{"<profiles>", std::string(profile_data)});
    Expected<std::vector<Profile>> read = Reader(std::move(source), nullptr).read();
    CHECK(read);
    return *std::move(read);
  }();
  return all;
}

Expected<Profile> find_profile(std::string_view name) {
  if (const Profile* profile = find(profiles(), name)) return Profile(*profile);
  return error(fmt::format("no profile {}; there are {}", name, names(profiles())));
}

Profile profile_of(const MachineProfile& machine) {
  const std::string_view name =
      machine.name.empty() ? default_profile : std::string_view(machine.name);
  const Expected<Profile> known = find_profile(name);
  Profile profile = known ? *known : Profile{};
  if (!machine.name.empty()) profile.machine = machine;
  return profile;
}

Expected<std::vector<Profile>> parse_profiles(const std::shared_ptr<const Source>& source) {
  return Reader(source, &profiles()).read();
}

}  // namespace tessera
