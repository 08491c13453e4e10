// SPDX-License-Identifier: MIT
#include "actors/gateway/auth.hpp"

#include "messages/record.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

namespace baton::http {
namespace {

using tokens_result = result<std::vector<access_token>>;

/// Longer files are not token files.
constexpr std::size_t token_file_bytes_max = 1 << 20;

std::optional<scope> scope_from_string(std::string_view text) {
  if (text == "read")
    return scope::read;
  if (text == "run")
    return scope::run;
  if (text == "admin")
    return scope::admin;
  return std::nullopt;
}

std::string_view to_string(scope x) {
  switch (x) {
  case scope::none:
    break;
  case scope::read:
    return "read";
  case scope::run:
    return "run";
  case scope::admin:
    return "admin";
  }
  return "none";
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  constexpr std::string_view blank = " \t\r";
  for (;;) {
    auto begin = line.find_first_not_of(blank);
    if (begin == std::string_view::npos)
      return out;
    line.remove_prefix(begin);
    auto end = line.find_first_of(blank);
    out.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end, line.size()));
  }
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) {
                      return std::tolower(x) == std::tolower(y);
                    });
}

/// `[::1]:80` -> `[::1]`, `localhost:80` -> `localhost`.
std::string_view without_port(std::string_view host) {
  auto bracket = host.find(']');
  auto from = bracket == std::string_view::npos ? 0 : bracket;
  return host.substr(0, host.find(':', from));
}

bool is_loopback_name(std::string_view host) {
  auto name = without_port(host);
  bool dotted = name.substr(0, 4) == "127."
                && name.find_first_not_of("0123456789.") == name.npos;
  return dotted || name == "[::1]" || equals_ignoring_case(name, "localhost");
}

result<std::string> read_private_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto failed = [&](const char* what) {
    return result<std::string>(
      errc::io_failed, "token file " + path + ": " + what + ": "
                         + std::strerror(errno)
                         + "; expected a file with one TOKEN "
                           "[read|run|admin] a line, which batond may read");
  };
  if (fd < 0)
    return failed("cannot open");
  struct closer {
    int fd;
    ~closer() { ::close(fd); }
  } guard{fd};
  struct stat info {};
  if (::fstat(fd, &info) != 0)
    return failed("cannot stat");
  if ((info.st_mode & 077) != 0)
    return result<std::string>(
      errc::forbidden,
      "token file " + path + " can be read by others; run chmod 600 " + path);
  std::string out;
  char block[4096];
  for (;;) {
    auto n = ::read(fd, block, sizeof(block));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return failed("cannot read");
    if (n == 0)
      return out;
    out.append(block, static_cast<std::size_t>(n));
    if (out.size() > token_file_bytes_max)
      return result<std::string>(errc::too_large,
                                 "token file " + path
                                   + ": expected at most 1 MiB, found more; "
                                     "is it the right file?");
  }
}

} // namespace

access_token make_token(std::string_view secret, scope allows) {
  access_token out;
  out.allows = allows;
  ::SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(),
           out.digest.data());
  return out;
}

tokens_result parse_tokens(std::string_view text) {
  std::vector<access_token> out;
  std::size_t number = 0;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    auto parts = words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (parts.empty() || parts[0][0] == '#')
      continue;
    auto allows = parts.size() == 2 ? scope_from_string(parts[1])
                                    : std::optional{scope::admin};
    if (parts.size() > 2 || !allows)
      // What was found may be a token: it is not shown.
      return tokens_result(errc::malformed,
                           "line " + std::to_string(number)
                             + ": expected TOKEN or TOKEN read|run|admin, "
                               "found "
                             + (parts.size() > 2 ? "more words than that"
                                                 : "another second word"));
    out.push_back(make_token(parts[0], *allows));
  }
  if (out.empty())
    return tokens_result(errc::malformed,
                         "expected a line TOKEN [read|run|admin], found none");
  return out;
}

tokens_result load_token_file(const std::string& path) {
  auto text = read_private_file(path);
  if (!text)
    return text.error();
  auto tokens = parse_tokens(*text);
  if (!tokens)
    return make_status(tokens.error().code,
                       "token file " + path + ": " + tokens.error().message);
  return tokens;
}

status authorize(const std::vector<access_token>& tokens,
                 std::string_view authorization, scope needs) {
  if (tokens.empty() || needs == scope::none)
    return {};
  constexpr std::string_view scheme = "Bearer ";
  if (!equals_ignoring_case(authorization.substr(0, scheme.size()), scheme))
    return make_status(errc::unauthorized,
                       std::string{"expected the header 'Authorization: "
                                   "Bearer TOKEN', found "}
                         + (authorization.empty() ? "none" : "another scheme"));
  authorization.remove_prefix(scheme.size());
  auto given = make_token(authorization, scope::none);
  // Every token is compared, so that the time tells nothing about which.
  auto allows = scope::none;
  for (const auto& t : tokens)
    if (::CRYPTO_memcmp(t.digest.data(), given.digest.data(), t.digest.size())
        == 0)
      allows = std::max(allows, t.allows);
  if (allows == scope::none)
    return make_status(errc::unauthorized,
                       "the token is none of this node's; expected one "
                       "that its token file names");
  if (allows < needs)
    return make_status(errc::forbidden, "this request needs a token of scope "
                                          + std::string{to_string(needs)}
                                          + ", found one of "
                                          + std::string{to_string(allows)});
  return {};
}

status check_browser(const browser_headers& from, bool listens_on_loopback) {
  const auto& [host, origin, site] = from;
  // `none` is an address that a person typed.
  if (!site.empty() && !equals_ignoring_case(site, "same-origin")
      && !equals_ignoring_case(site, "none"))
    return make_status(errc::forbidden,
                       "the Sec-Fetch-Site header says " + printable(site)
                         + "; without a token only pages of this server may "
                           "send requests (or use a token)");
  if (!origin.empty()) {
    auto at = origin.find("://");
    auto authority =
      std::string_view{origin}.substr(at == origin.npos ? 0 : at + 3);
    if (!equals_ignoring_case(authority, host))
      return make_status(errc::forbidden,
                         "a page of " + printable(origin)
                           + " sent this; without a token only pages of this "
                             "server may (or use a token)");
  }
  if (listens_on_loopback && !host.empty() && !is_loopback_name(host))
    return make_status(errc::forbidden,
                       "the Host header says " + printable(host)
                         + ", expected localhost or a loopback address "
                           "(or use a token)");
  return {};
}

} // namespace baton::http
