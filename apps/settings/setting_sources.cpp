// SPDX-License-Identifier: MIT
#include "apps/settings/setting_sources.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <utility>

namespace baton {

namespace {

constexpr std::array<setting_key, 25> keys{{
  {"node-id", "ID", "name of this node (default: picked once, then kept)"},
  {"data-dir", "DIR",
   "where everything is stored (default: "
   "$XDG_DATA_HOME/baton or ~/.local/share/baton)"},
  {"http", "ADDR:PORT", "HTTP port (default: 127.0.0.1:7070; port 0 picks)"},
  {"socket", "PATH",
   "Unix socket (default: batond.sock in DIR; for the default DIR in "
   "$XDG_RUNTIME_DIR/baton, if that is set)"},
  {"cluster", "ADDR:PORT",
   "port for other nodes (default: none; not loopback: needs --tls-*)"},
  {"join", "ADDR:PORT",
   "be a worker of the coordinator with this --cluster; more than one: "
   "its other addresses",
   true},
  {"role", "auto|coordinator|worker",
   "default: auto, coordinator unless --join is given"},
  {"host-label", "NAME",
   "nodes with the same label share local sandboxes "
   "(default: the machine id)"},
  {"lease", "TIME",
   "how long a claim lasts without a sign of life "
   "(default: 10s)"},
  {"grace", "TIME",
   "how much longer than a lease a node may take to come back "
   "after the coordinator's restart (default: 2s)"},
  {"detached-ttl", "TIME", "how long a run may go unwatched (default: 30m)"},
  {"sweep-interval", "TIME", "how often the reaper looks (default: 30s)"},
  {"retain", "TIME",
   "how long runs that ended are kept, with their logs; a clock that "
   "jumped is not believed for an hour (default: for ever)"},
  {"tls-cert", "FILE", "this node's certificate, between nodes"},
  {"tls-key", "FILE", "its key"},
  {"tls-ca", "FILE", "who signs all nodes' certificates, and nothing else"},
  {"http-tls-cert", "FILE", "certificate of the HTTP port"},
  {"http-tls-key", "FILE", "its key"},
  {"token-file", "FILE", "access tokens; the Unix socket needs none"},
  {"max-line", "SIZE", "longer lines become fragments (default: 1MiB)"},
  {"log-level", "LEVEL",
   "trace, debug, info, warn, error or off "
   "(default: info)"},
  {"config", "FILE", "settings file (TOML or INI) with these names as keys",
   false, false},
  {"print-config", "", "print the settings in effect and exit", false, false},
  {"insecure", "", "allow open ports other than loopback"},
  {"version", "", "print the version and exit", false, false},
}};

std::string variable_of(std::string_view key) {
  std::string name = "BATON_";
  for (auto c : key)
    name += c == '-'
              ? '_'
              : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string first_line(std::string text) {
  if (auto end = text.find('\n'); end != std::string::npos)
    text.resize(end);
  return text;
}

/// One line, without CLI11's trailing advice.
status usage_error(std::string message) {
  return make_status(errc::malformed,
                     first_line(std::move(message)) + " (see batond --help)");
}

std::string section_refusal(const std::string& path,
                            const std::vector<std::string>& names) {
  std::string section;
  for (const auto& name : names)
    section += (section.empty() ? "" : ".") + name;
  return path + ": expected flags' names as keys, without sections, found ["
         + section + "] (delete that line)";
}

class usage_formatter : public CLI::Formatter {
public:
  usage_formatter() {
    column_width(36);
    label("OPTIONS", "FLAGS");
  }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: batond [FLAGS]\n";
  }
};

/// Fills in what the command line gives; true to go on.
result<setting_texts> read_args(const settings_input& input) {
  CLI::App app{"A node of baton: runs coding agents so that a run outlives "
               "this process."};
  app.formatter(std::make_shared<usage_formatter>());
  app.footer("\nEvery flag is also a variable (--data-dir is BATON_DATA_DIR) "
             "and a key of the --config\nfile; a flag wins over a variable, a "
             "variable over the file.\nTimes: 250ms, 10s, 30m, 1h, 7d. Sizes: "
             "4096, 64KiB, 1MiB.");
  std::map<std::string_view, std::vector<std::string>> given;
  std::map<std::string_view, bool> switched;
  for (auto& key : keys) {
    auto flag = "--" + std::string{key.name};
    if (key.value_name.empty()) {
      app.add_flag(flag, switched[key.name], std::string{key.help});
      continue;
    }
    app.add_option(flag, given[key.name], std::string{key.help})
      ->allow_extra_args(false)
      ->option_text(std::string{key.value_name});
  }
  setting_texts texts;
  try {
    auto args = input.args;
    std::reverse(args.begin(), args.end());
    app.parse(args);
  } catch (const CLI::CallForHelp&) {
    texts.text = app.help();
    return texts;
  } catch (const CLI::ParseError& e) {
    return usage_error(e.what());
  }
  for (auto& key : keys) {
    auto& values = given[key.name];
    if (switched[key.name])
      values = {"true"};
    if (values.size() > 1 && !key.repeatable)
      return usage_error("--" + std::string{key.name}
                         + ": expected once, found "
                         + std::to_string(values.size()) + " times");
    if (!values.empty())
      texts.by_key[std::string{key.name}] = {"--" + std::string{key.name},
                                             values};
  }
  if (switched["version"])
    texts.text = "batond " BATON_VERSION "\n";
  return texts;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::string item;
  for (auto c : text + ",") {
    if (c != ',' && c != ' ')
      item += c;
    else if (!item.empty())
      items.push_back(std::exchange(item, {}));
  }
  return items;
}

void read_env(const env_variables& env, setting_texts& texts) {
  for (auto& key : keys) {
    auto name = variable_of(key.name);
    auto value = value_of(env, name);
    if (value.empty() || key.name == "version"
        || texts.by_key.contains(key.name))
      continue;
    texts.by_key[std::string{key.name}] = {
      name, key.repeatable ? split_list(value) : std::vector{value}};
  }
}

status read_file(const settings_input& input, setting_texts& texts) {
  auto config = texts.by_key.find("config");
  if (config == texts.by_key.end())
    return {};
  auto path = config->second.values.front();
  auto content = input.read_file(path);
  if (!content)
    return make_status(errc::malformed,
                       config->second.source + ": " + content.error().message
                         + " (name a TOML or INI file, or leave it out)");
  std::istringstream stream{*content};
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML{}.from_config(stream);
  } catch (const CLI::Error& e) {
    return make_status(
      errc::malformed,
      path + ": expected lines KEY = VALUE, found: " + first_line(e.what()));
  }
  std::vector<std::string> section;
  for (auto& item : items) {
    auto key = std::find_if(keys.begin(), keys.end(), [&](auto& k) {
      return k.in_file && k.name == item.name;
    });
    // So CLI11 tells where a section begins, once for each level of it.
    if (item.name == "++") {
      section = item.parents;
      continue;
    }
    if (!section.empty())
      return make_status(errc::malformed, section_refusal(path, section));
    auto source = path + ": " + item.fullname();
    if (key == keys.end() || !item.parents.empty())
      return make_status(errc::malformed,
                         source
                           + ": expected a flag's name without --, found "
                             "none of that name (see batond --help)");
    // CLI11 ends a line at '#' even inside quotes; what it leaves is no value.
    for (auto& value : item.inputs)
      if (value.starts_with('"') || value.starts_with('\''))
        return make_status(errc::malformed,
                           source
                             + ": expected a value in closed quotes "
                               "without '#', found "
                             + value);
    if (item.inputs.size() > 1 && !key->repeatable)
      return make_status(errc::malformed,
                         source + ": expected one value, found "
                           + std::to_string(item.inputs.size())
                           + " (quote a value with spaces or commas)");
    if (!texts.by_key.contains(item.name) && !item.inputs.empty())
      texts.by_key[item.name] = {source, item.inputs};
  }
  return {};
}

} // namespace

std::span<const setting_key> setting_keys() {
  return keys;
}

result<setting_texts> collect_settings(const settings_input& input) {
  auto texts = read_args(input);
  if (!texts || !texts->text.empty())
    return texts;
  read_env(input.env, *texts);
  if (auto why = read_file(input, *texts); !why.ok())
    return why;
  return texts;
}

} // namespace baton
