// SPDX-License-Identifier: MIT
#include "apps/baton/completion_script.hpp"

#include <string_view>

namespace baton::cli {

namespace {

/// Lists the ids that may stand for RUN.
constexpr std::string_view list_runs =
  "baton ps --all --quiet --no-autostart 2>/dev/null";

std::string joined(const std::vector<std::string>& words,
                   std::string_view between = " ") {
  std::string out;
  for (auto& word : words)
    out += (out.empty() ? "" : std::string{between}) + word;
  return out;
}

std::string names_of(const std::vector<flag_shape>& flags) {
  std::string out;
  for (auto& flag : flags)
    out += (out.empty() ? "" : " ") + joined(flag.names);
  return out;
}

std::string single_quoted(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (auto c : text)
    out += c == '\'' ? std::string{quote} : std::string{c};
  return out + "'";
}

// -- bash ---------------------------------------------------------------------

std::string bash_values(value_kind takes,
                        const std::vector<std::string>& words) {
  switch (takes) {
  case value_kind::choice:
    return "COMPREPLY=($(compgen -W \"" + joined(words) + "\" -- \"$cur\"))";
  case value_kind::file:
    return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  case value_kind::directory:
    return "COMPREPLY=($(compgen -d -- \"$cur\"))";
  case value_kind::run:
    return "COMPREPLY=($(compgen -W \"$(" + std::string{list_runs}
           + ")\" -- \"$cur\"))";
  default:
    return "COMPREPLY=()";
  }
}

std::string bash_flag_cases(const std::vector<flag_shape>& flags,
                            std::string_view verb) {
  std::string out;
  for (auto& flag : flags) {
    if (flag.takes == value_kind::none)
      continue;
    std::vector<std::string> patterns;
    for (auto& name : flag.names)
      patterns.push_back(std::string{verb} + ":" + name);
    out += "    " + joined(patterns, "|") + ") "
           + bash_values(flag.takes, flag.choices) + "; return ;;\n";
  }
  return out;
}

std::string bash(const command_shape& shape) {
  std::string verbs;
  std::string cases;
  std::string words;
  auto global_names = names_of(shape.global_flags);
  for (auto& verb : shape.verbs) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    cases += bash_flag_cases(verb.flags, verb.name);
    words += "    " + verb.name + ")\n      case \"$cur\" in\n        -*) "
             + "COMPREPLY=($(compgen -W \"" + names_of(verb.flags) + " "
             + global_names + "\" -- \"$cur\")) ;;\n        *) "
             + bash_values(verb.takes, verb.words) + " ;;\n      esac ;;\n";
  }
  cases += bash_flag_cases(shape.global_flags, "*");
  return "# bash completion for baton: source <(baton completion bash)\n"
         "_baton() {\n"
         "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev verb= i\n"
         "  prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"${COMP_WORDS[i]}\" in\n"
         "      --) COMPREPLY=($(compgen -c -f -- \"$cur\")); return ;;\n"
         "    esac\n"
         "    case \" "
         + verbs
         + " \" in\n"
           "      *\" ${COMP_WORDS[i]} \"*) [[ -z $verb ]] && "
           "verb=\"${COMP_WORDS[i]}\" ;;\n"
           "    esac\n"
           "  done\n"
           "  case \"$verb:$prev\" in\n"
         + cases
         + "  esac\n"
           "  case \"$verb\" in\n"
           "    '') COMPREPLY=($(compgen -W \""
         + verbs + " " + global_names + "\" -- \"$cur\")) ;;\n" + words
         + "  esac\n"
           "}\n"
           "complete -F _baton baton\n";
}

// -- zsh ----------------------------------------------------------------------

/// For `name[help]:value:action`, where : and ] are syntax.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (auto c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(value_kind takes,
                       const std::vector<std::string>& words) {
  switch (takes) {
  case value_kind::choice:
    return ":value:(" + joined(words) + ")";
  case value_kind::file:
    return ":file:_files";
  case value_kind::directory:
    return ":directory:_files -/";
  case value_kind::run:
    return ":run:_baton_runs";
  case value_kind::text:
    return ":value: ";
  case value_kind::none:
    break;
  }
  return "";
}

std::string zsh_flags(const std::vector<flag_shape>& flags) {
  std::string out;
  for (auto& flag : flags)
    for (auto& name : flag.names)
      out += " \\\n        "
             + single_quoted(name + "[" + zsh_text(flag.help) + "]"
                               + zsh_action(flag.takes, flag.choices),
                             "'\\''");
  return out;
}

std::string zsh(const command_shape& shape) {
  std::string verbs;
  std::string cases;
  auto global_flags = zsh_flags(shape.global_flags);
  for (auto& verb : shape.verbs) {
    verbs += "    "
             + single_quoted(verb.name + ":" + zsh_text(verb.help), "'\\''")
             + "\n";
    cases += "      " + verb.name + ") _arguments" + zsh_flags(verb.flags)
             + global_flags;
    if (verb.name == "run")
      cases += " \\\n        '*::command:_normal'";
    else if (verb.takes != value_kind::none)
      cases +=
        " \\\n        "
        + single_quoted("1" + zsh_action(verb.takes, verb.words), "'\\''");
    cases += " ;;\n";
  }
  return "#compdef baton\n"
         "# zsh completion for baton: source <(baton completion zsh)\n"
         "_baton_runs() {\n"
         "  local -a runs\n"
         "  runs=(${(f)\"$("
         + std::string{list_runs}
         + ")\"})\n"
           "  compadd -a runs\n"
           "}\n"
           "_baton() {\n"
           "  local context state state_descr line\n"
           "  typeset -A opt_args\n"
           "  local -a verbs\n"
           "  verbs=(\n"
         + verbs
         + "  )\n"
           "  _arguments -C"
         + global_flags
         + " \\\n        '1:command:->verb' '*::argument:->rest'\n"
           "  case $state in\n"
           "    verb) _describe command verbs ;;\n"
           "    rest) case $words[1] in\n"
         + cases
         + "    esac ;;\n"
           "  esac\n"
           "}\n"
           "if [ \"$funcstack[1]\" = _baton ]; then _baton \"$@\"; "
           "else compdef _baton baton; fi\n";
}

// -- fish ---------------------------------------------------------------------

std::string fish_values(value_kind takes,
                        const std::vector<std::string>& words) {
  switch (takes) {
  case value_kind::choice:
    return " -xa " + single_quoted(joined(words), "\\'");
  case value_kind::file:
    return " -rF";
  case value_kind::directory:
    return " -xa '(__fish_complete_directories)'";
  case value_kind::run:
    return " -xa '(" + std::string{list_runs} + ")'";
  case value_kind::text:
    return " -x";
  case value_kind::none:
    break;
  }
  return "";
}

std::string fish_flags(const std::vector<flag_shape>& flags,
                       const std::string& condition) {
  std::string out;
  for (auto& flag : flags) {
    out += "complete -c baton" + condition;
    for (auto& name : flag.names)
      out += name.starts_with("--") ? " -l " + name.substr(2)
                                    : " -s " + name.substr(1);
    out += " -d " + single_quoted(flag.help, "\\'")
           + fish_values(flag.takes, flag.choices) + "\n";
  }
  return out;
}

std::string fish(const command_shape& shape) {
  std::string out = "# fish completion for baton: baton completion fish | "
                    "source\n"
                    "complete -c baton -f\n"
                    + fish_flags(shape.global_flags, "");
  for (auto& verb : shape.verbs)
    out += "complete -c baton -n __fish_use_subcommand -a " + verb.name + " -d "
           + single_quoted(verb.help, "\\'") + "\n";
  for (auto& verb : shape.verbs) {
    auto condition = " -n '__fish_seen_subcommand_from " + verb.name + "'";
    out += fish_flags(verb.flags, condition);
    if (verb.takes != value_kind::none)
      out += "complete -c baton" + condition
             + fish_values(verb.takes, verb.words) + "\n";
  }
  return out;
}

} // namespace

result<std::string> completion_script(std::string_view shell,
                                      const command_shape& shape) {
  if (shell == "bash")
    return bash(shape);
  if (shell == "zsh")
    return zsh(shape);
  if (shell == "fish")
    return fish(shape);
  return {errc::malformed,
          "expected bash, zsh or fish, found '" + std::string{shell} + "'"};
}

} // namespace baton::cli
