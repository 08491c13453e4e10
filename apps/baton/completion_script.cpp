// SPDX-License-Identifier: MIT
#include "apps/baton/completion_script.hpp"

#include <string_view>

namespace baton::cli {

namespace {

/// Lists what may stand there; empty: it is not for a daemon to say.
std::string_view list_of(value_kind takes) {
  switch (takes) {
  case value_kind::run:
    return "baton ps --all --quiet --no-autostart 2>/dev/null";
  case value_kind::node:
    return "baton nodes --quiet --no-autostart 2>/dev/null";
  case value_kind::sandbox:
    return "baton sandboxes --quiet --no-autostart 2>/dev/null";
  default:
    return "";
  }
}

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
  case value_kind::node:
  case value_kind::sandbox:
    return "COMPREPLY=($(compgen -W \"$(" + std::string{list_of(takes)}
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

/// What stands behind a verb where no flag wants a value.
std::string bash_verb(const verb_shape& verb, const std::string& name,
                      const std::string& global_names) {
  return "    " + name + ")\n      case \"$cur\" in\n        -*) "
         + "COMPREPLY=($(compgen -W \"" + names_of(verb.flags) + " "
         + global_names + "\" -- \"$cur\")) ;;\n        *) "
         + bash_values(verb.takes, verb.words) + " ;;\n      esac ;;\n";
}

std::string bash(const command_shape& shape) {
  std::string verbs;
  std::string nested_names;
  std::string cases;
  std::string words;
  auto global_names = names_of(shape.global_flags);
  auto add = [&](const verb_shape& verb, const std::string& name) {
    cases += bash_flag_cases(verb.flags, name);
    words += bash_verb(verb, name, global_names);
  };
  for (auto& verb : shape.verbs) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    add(verb, verb.name);
    for (auto& nested : verb.nested) {
      auto name = verb.name + "/" + nested.name;
      nested_names += "      " + name + ") verb=\"$verb/$word\" ;;\n";
      add(nested, name);
    }
  }
  cases += bash_flag_cases(shape.global_flags, "*");
  return "# bash completion for baton: source <(baton completion bash)\n"
         "_baton() {\n"
         "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev word verb= i\n"
         "  prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=\"${COMP_WORDS[i]}\"\n"
         "    case \"$word\" in\n"
         "      --) COMPREPLY=($(compgen -c -f -- \"$cur\")); return ;;\n"
         "    esac\n"
         "    case \"$verb/$word\" in\n"
         + nested_names
         + "    esac\n"
           "    case \" "
         + verbs
         + " \" in\n"
           "      *\" $word \"*) [[ -z $verb ]] && verb=\"$word\" ;;\n"
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
  case value_kind::node:
    return ":node:_baton_nodes";
  case value_kind::sandbox:
    return ":key:_baton_sandboxes";
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

std::string zsh_list(const std::string& name, value_kind takes) {
  return name + "() {\n  local -a all\n  all=(${(f)\"$("
         + std::string{list_of(takes)} + ")\"})\n  compadd -a all\n}\n";
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
    for (auto& nested : verb.nested)
      cases +=
        " \\\n        "
        + single_quoted("2" + zsh_action(nested.takes, nested.words), "'\\''");
    cases += " ;;\n";
  }
  return "#compdef baton\n"
         "# zsh completion for baton: source <(baton completion zsh)\n"
         + zsh_list("_baton_runs", value_kind::run)
         + zsh_list("_baton_nodes", value_kind::node)
         + zsh_list("_baton_sandboxes", value_kind::sandbox)
         + "_baton() {\n"
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
  case value_kind::node:
  case value_kind::sandbox:
    return " -xa '(" + std::string{list_of(takes)} + ")'";
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
    for (auto& nested : verb.nested)
      out += "complete -c baton -n '__fish_seen_subcommand_from " + verb.name
             + "; and __fish_seen_subcommand_from " + nested.name + "'"
             + fish_values(nested.takes, nested.words) + "\n";
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
