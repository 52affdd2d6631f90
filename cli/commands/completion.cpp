// completion: prints scripts for shell completion, generated from the commands and their options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Values of an option with a fixed list of values, "a|b|c"; empty for other options.
std::vector<std::string> choices(const Option& option) {
  const std::string value(option.value);
  const bool is_list =
      value.find('|') != std::string::npos &&
      value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-|") == std::string::npos;
  return is_list ? split(value, '|') : std::vector<std::string>{};
}

Options options_of(const Command& command) {
  return all_options(command.resolve ? command.resolve({std::string(command.name)}) : command);
}

std::string bash() {
  std::string names, cases;
  for (const Command& command : commands()) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    std::string words, values;
    for (const Option& option : options_of(command)) {
      words += fmt::format(" --{}", option.name);
      if (const std::vector<std::string> all = choices(option); !all.empty())
        values += fmt::format("        --{}) words='{}' ;;\n", option.name, fmt::join(all, " "));
    }
    cases += fmt::format("    {})\n      words='{}'\n", command.name, words.substr(1));
    if (!values.empty()) cases += fmt::format("      case $before in\n{}      esac\n", values);
    cases += "      ;;\n";
  }
  return fmt::format(
      "_gmm_run() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    words='{} help'\n"
      "  else\n"
      "    case ${{COMP_WORDS[1]}} in\n"
      "    help) words='{}' ;;\n"
      "{}"
      "    esac\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
      "  # Words that are not options may be files.\n"
      "  [ \"${{#COMPREPLY[@]}}\" != 0 ] || mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "}}\n"
      "complete -o filenames -F _gmm_run gmm-run ./gmm-run\n",
      names, names, cases);
}

// zsh runs bash's completion functions, but needs `mapfile` replaced by an array assignment.
std::string zsh() {
  std::string text = bash();
  const std::string_view reads = "mapfile -t COMPREPLY < <(compgen";
  const std::string_view takes = "COMPREPLY=($(compgen";
  for (std::size_t at = text.find(reads); at != std::string::npos; at = text.find(reads, at)) {
    text.replace(at, reads.size(), takes);
    text.insert(text.find(')', at), ")");
  }
  return "autoload -U +X bashcompinit && bashcompinit\n" + text;
}

std::string fish() {
  const auto quoted = [](std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
      if (c == '\'' || c == '\\') result += '\\';
      result += c;
    }
    return result + "'";
  };
  std::string text;
  for (const Command& command : commands()) {
    text += fmt::format("complete -c gmm-run -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.summary));
    for (const Option& option : options_of(command)) {
      const std::vector<std::string> all = choices(option);
      text +=
          fmt::format("complete -c gmm-run -n '__fish_seen_subcommand_from {}' -l {} -d {}{}{}\n",
                      command.name, option.name, quoted(option.meaning),
                      option.value.empty() || option.is_value_optional ? "" : " -r",
                      all.empty() ? "" : fmt::format(" -f -a '{}'", fmt::join(all, " ")));
    }
  }
  return text;
}

int run(const Arguments& arguments, Console& console) {
  const std::string& shell = arguments.words().front();
  std::string text;
  if (shell == "bash") {
    text = bash();
  } else if (shell == "zsh") {
    text = zsh();
  } else if (shell == "fish") {
    text = fish();
  } else {
    return fail(console, error(fmt::format("there is completion for bash, zsh and fish, not for {}",
                                           shell)));
  }
  if (console.json)
    print(console, {{"status", name(Status::ok)}, {"shell", shell}, {"script", text}});
  else
    console.out << text;
  return 0;
}

}  // namespace

Command completion_command() {
  return {"completion",
          "SHELL",
          "print a script that completes commands and options in bash, zsh or fish",
          "  . <(gmm-run completion bash)\n"
          "  gmm-run completion fish > ~/.config/fish/completions/gmm-run.fish\n",
          {},
          run};
}

}  // namespace tessera::cli
