// SPDX-License-Identifier: MIT
#include "apps/settings/settings.hpp"

#include <charconv>

namespace baton {

result<address> parse_address(std::string_view text) {
  auto refuse = [&] {
    return make_status(errc::malformed, "expected ADDR:PORT such as "
                                        "127.0.0.1:7070 or [::1]:7070, found '"
                                          + std::string{text} + "'");
  };
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0)
    return refuse();
  auto host = text.substr(0, colon);
  auto digits = text.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']' && host.size() > 2)
    host = host.substr(1, host.size() - 2);
  else if (host.find_first_of(":[] /") != std::string_view::npos)
    return refuse();
  std::uint16_t port = 0;
  auto last = digits.data() + digits.size();
  auto [stop, ec] = std::from_chars(digits.data(), last, port);
  if (digits.empty() || ec != std::errc{} || stop != last)
    return refuse();
  return address{std::string{host}, port};
}

std::string to_text(const address& x) {
  auto is_v6 = x.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + x.host + "]" : x.host) + ":" + std::to_string(x.port);
}

bool is_loopback(std::string_view host) {
  return host.starts_with("127.") || host == "::1" || host == "localhost";
}

} // namespace baton
