// SPDX-License-Identifier: MIT
#include "apps/baton/sse_parser.hpp"

#include <utility>

namespace baton::cli {

bool sse_parser::feed(std::string_view bytes, const taker& take) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    auto end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (end == std::string_view::npos)
      return true;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (!end_line(take))
      return false;
  }
  return true;
}

bool sse_parser::end_line(const taker& take) {
  auto line = std::exchange(line_, {});
  if (std::exchange(at_start_, false) && line.starts_with("\xEF\xBB\xBF"))
    line.erase(0, 3);
  if (line.empty()) {
    auto event = std::exchange(event_, {});
    if (!std::exchange(has_data_, false))
      return true;
    event.data.pop_back();
    if (event.name.empty())
      event.name = "message";
    return take(event);
  }
  auto colon = line.find(':');
  auto field = std::string_view{line}.substr(0, colon);
  auto value = colon == std::string::npos
                 ? std::string_view{}
                 : std::string_view{line}.substr(colon + 1);
  if (value.starts_with(' '))
    value.remove_prefix(1);
  if (field == "data") {
    event_.data += value;
    event_.data += '\n';
    has_data_ = true;
  } else if (field == "event") {
    event_.name = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }
  return true;
}

} // namespace baton::cli
