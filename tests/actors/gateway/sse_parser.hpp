// SPDX-License-Identifier: MIT
// A reader of server-sent events by the WHATWG rules (LF, CR and CR LF all end
// a line): what a browser would see, and so what an attacker would aim at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::http::test {

struct sse_event {
  std::string id;
  std::string type;
  std::string data;
};

inline std::vector<std::string> sse_lines(std::string_view text) {
  std::vector<std::string> out;
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' && text[i] != '\n') {
      line += text[i];
      continue;
    }
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')
      ++i;
    out.push_back(std::move(line));
    line.clear();
  }
  return out;
}

inline std::vector<sse_event> parse_sse(std::string_view text) {
  std::vector<sse_event> out;
  sse_event open;
  std::string last_id;
  bool has_data = false;
  for (const auto& line : sse_lines(text)) {
    if (line.empty()) {
      if (has_data) {
        open.id = last_id;
        if (open.type.empty())
          open.type = "message";
        out.push_back(open);
      }
      open = {};
      has_data = false;
      continue;
    }
    auto colon = line.find(':');
    if (colon == 0)
      continue;
    auto name = line.substr(0, colon);
    auto value = colon == line.npos ? "" : line.substr(colon + 1);
    if (!value.empty() && value[0] == ' ')
      value.erase(0, 1);
    if (name == "event") {
      open.type = value;
    } else if (name == "data") {
      open.data += (has_data ? "\n" : "") + value;
      has_data = true;
    } else if (name == "id" && value.find('\0') == value.npos) {
      last_id = value;
    }
  }
  return out;
}

} // namespace baton::http::test
