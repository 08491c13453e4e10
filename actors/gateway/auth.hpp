// SPDX-License-Identifier: MIT
// Who may do what over TCP: bearer tokens with a scope each. Tokens are kept as
// SHA-256 digests and compared in constant time. The Unix socket asks for none:
// its file mode is the check.
// Threads: value types; immutable after start.
#pragma once

#include "actors/gateway/router.hpp"
#include "messages/result.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace baton::http {

/// Without `==`, whose time would tell how much of a digest was right.
struct access_token {
  std::array<unsigned char, 32> digest{};
  scope allows = scope::admin;
};

access_token make_token(std::string_view secret, scope allows);

/// One token a line: `TOKEN [read|run|admin]`, admin when not said; blank
/// lines and lines that begin with `#` are skipped.
result<std::vector<access_token>> parse_tokens(std::string_view text);

/// errc::forbidden when others can read the file; errc::io_failed.
result<std::vector<access_token>> load_token_file(const std::string& path);

/// Checks the Authorization header (empty: none) against what the route needs.
/// Everything is allowed when `tokens` is empty. errc::unauthorized, forbidden.
status authorize(const std::vector<access_token>& tokens,
                 std::string_view authorization, scope needs);

/// Headers by which a browser tells who made it send a request; empty: not
/// there, as with programs that are no browsers.
struct browser_headers {
  std::string host;
  std::string origin;
  /// Sec-Fetch-Site, which unlike Origin comes with every GET too.
  std::string fetch_site;
};

/// Requests that a web page made a browser send (a daemon on loopback
/// without a token runs commands). errc::forbidden when Origin names another
/// authority than Host, when the browser says that another site's page is
/// behind it, or when the server is on loopback and Host is a name that an
/// attacker's DNS could have pointed there.
status check_browser(const browser_headers& from, bool listens_on_loopback);

} // namespace baton::http
