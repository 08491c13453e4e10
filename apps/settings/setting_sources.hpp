// SPDX-License-Identifier: MIT
// The settings as text, before anybody interprets them: which source gave
// which key which values. One table names every key of the contract.
#pragma once

#include "apps/settings/settings.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

struct setting_key {
  /// The flag without `--`, the key in a file, and in capitals the variable.
  std::string_view name;
  /// How the help shows the value; empty: a switch.
  std::string_view value_name;
  std::string_view help;
  bool repeatable = false;
  /// Means a thing only on the command line or in the environment.
  bool in_file = true;
};

std::span<const setting_key> setting_keys();

/// Values of one key, and where they came from in the user's own words:
/// `--lease`, `BATON_LEASE` or `node.toml: lease`.
struct setting_text {
  std::string source;
  std::vector<std::string> values;
};

struct setting_texts {
  std::map<std::string, setting_text, std::less<>> by_key;
  /// Help or version text that was asked for.
  std::string text;
};

/// Flag over variable over file, key by key.
result<setting_texts> collect_settings(const settings_input& input);

} // namespace baton
