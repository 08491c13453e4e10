// SPDX-License-Identifier: MIT
#include "apps/baton/server_address.hpp"

#include "apps/settings/settings.hpp"

namespace baton::cli {

result<server_address> parse_server(std::string_view text) {
  auto refuse = [&] {
    return make_status(errc::malformed,
                       "expected http://HOST:PORT, https://HOST:PORT or "
                       "unix://PATH, found '"
                         + std::string{text} + "'");
  };
  constexpr std::string_view unix_scheme = "unix://";
  if (text.starts_with(unix_scheme)) {
    auto path = text.substr(unix_scheme.size());
    if (path.empty())
      return refuse();
    return server_address{transport::unix_socket, std::string{path}, {}, {}};
  }
  server_address x;
  auto rest = text;
  if (text.starts_with("http://")) {
    x.via = transport::tcp;
    rest.remove_prefix(7);
  } else if (text.starts_with("https://")) {
    x.via = transport::tls;
    rest.remove_prefix(8);
  } else {
    return refuse();
  }
  if (rest.ends_with('/'))
    rest.remove_suffix(1);
  // In `[::1]` the colons belong to the host.
  auto colon = rest.rfind(':');
  auto has_port = colon != std::string_view::npos && !rest.ends_with(']');
  auto whole = std::string{rest};
  if (!has_port)
    whole += x.via == transport::tls ? ":443" : ":80";
  auto endpoint = parse_address(whole);
  if (!endpoint)
    return refuse();
  x.host = endpoint->host;
  x.port = std::to_string(endpoint->port);
  return x;
}

std::string to_text(const server_address& x) {
  if (x.via == transport::unix_socket)
    return "unix://" + x.path;
  auto is_v6 = x.host.find(':') != std::string::npos;
  return (x.via == transport::tls ? "https://" : "http://")
         + (is_v6 ? "[" + x.host + "]" : x.host) + ":" + x.port;
}

bool is_local(const server_address& x) {
  return x.via == transport::unix_socket || is_loopback(x.host);
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view unreserved =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~";
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (auto c : text) {
    // A dot is unreserved too, but segments of dots are eaten on the way.
    if (unreserved.find(c) != std::string_view::npos
        || (c == '.'
            && text.find_first_not_of('.') != std::string_view::npos)) {
      out += c;
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += hex[byte >> 4];
    out += hex[byte & 15];
  }
  return out;
}

} // namespace baton::cli
