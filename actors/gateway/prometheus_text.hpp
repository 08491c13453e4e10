// SPDX-License-Identifier: MIT
// The pieces of Prometheus' text format.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace baton::http {

/// The lines before the first value of `baton_NAME`.
inline void head(std::string_view name, std::string_view kind,
                 std::string_view help, std::string& out) {
  out += "# HELP baton_" + std::string{name} + " " + std::string{help}
         + "\n# TYPE baton_" + std::string{name} + " " + std::string{kind}
         + "\n";
}

/// `text` for between the quotes of a label.
inline std::string label(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '"')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

} // namespace baton::http
