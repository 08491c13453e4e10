// SPDX-License-Identifier: MIT
#include "actors/gateway/router.hpp"

#include "messages/record.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace baton::http {
namespace {

struct row {
  route_name name;
  std::string_view text;
  std::string_view method;
  /// `*` stands for one segment that is an id.
  std::string_view path;
  scope needs;
};

using enum route_name;

constexpr std::array rows{
  row{create_run, "create_run", "POST", "/v1/runs", scope::run},
  row{list_runs, "list_runs", "GET", "/v1/runs", scope::read},
  row{get_run, "get_run", "GET", "/v1/runs/*", scope::read},
  row{remove_run, "remove_run", "DELETE", "/v1/runs/*", scope::run},
  row{events, "events", "GET", "/v1/runs/*/events", scope::read},
  row{journal, "journal", "GET", "/v1/runs/*/journal", scope::read},
  row{claims, "claims", "GET", "/v1/runs/*/claims", scope::read},
  row{cancel, "cancel", "POST", "/v1/runs/*/cancel", scope::run},
  row{takeover, "takeover", "POST", "/v1/runs/*/takeover", scope::admin},
  row{interrupt, "interrupt", "POST", "/v1/runs/*/interrupt", scope::run},
  row{resume, "resume", "POST", "/v1/runs/*/resume", scope::run},
  row{trim, "trim", "POST", "/v1/runs/*/trim", scope::run},
  row{claim, "claim", "POST", "/v1/runs/*/claim", scope::run},
  row{renew, "renew", "PUT", "/v1/runs/*/claim", scope::run},
  row{release, "release", "DELETE", "/v1/runs/*/claim", scope::run},
  row{append, "append", "POST", "/v1/runs/*/entries", scope::run},
  row{finish, "finish", "POST", "/v1/runs/*/finish", scope::run},
  row{active_run, "active_run", "GET", "/v1/threads/*/active", scope::read},
  row{nodes, "nodes", "GET", "/v1/nodes", scope::read},
  row{sandboxes, "sandboxes", "GET", "/v1/sandboxes", scope::read},
  row{remove_sandbox, "remove_sandbox", "DELETE", "/v1/sandboxes/*",
      scope::admin},
  row{gc, "gc", "POST", "/v1/gc", scope::admin},
  row{livez, "livez", "GET", "/livez", scope::none},
  row{livez, "livez", "GET", "/healthz", scope::none},
  row{readyz, "readyz", "GET", "/readyz", scope::none},
  row{metrics, "metrics", "GET", "/metrics", scope::read},
};

const row& row_of(route_name name) noexcept {
  auto i = std::find_if(rows.begin(), rows.end(),
                        [&](const row& r) { return r.name == name; });
  return *i;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  for (;;) {
    auto i = text.find(at);
    out.push_back(text.substr(0, i));
    if (i == std::string_view::npos)
      return out;
    text.remove_prefix(i + 1);
  }
}

bool matches(std::string_view pattern,
             const std::vector<std::string_view>& segments) {
  auto wanted = split(pattern.substr(1), '/');
  return std::equal(wanted.begin(), wanted.end(), segments.begin(),
                    segments.end(),
                    [](auto a, auto b) { return a == "*" || a == b; });
}

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

result<query> parse_query(std::string_view text) {
  query out;
  if (text.empty())
    return out;
  for (auto part : split(text, '&')) {
    if (part.empty())
      continue;
    auto eq = part.find('=');
    auto name = percent_decode(part.substr(0, eq), true);
    auto value = percent_decode(
      eq == std::string_view::npos ? "" : part.substr(eq + 1), true);
    if (!name || !value)
      return result<query>(errc::malformed,
                           "query part '" + printable(part)
                             + "': expected %XX with two hex digits");
    if (find_param(out, *name))
      return result<query>(errc::malformed, "query parameter '"
                                              + printable(*name)
                                              + "' is given more than once; "
                                                "give it once");
    out.emplace_back(*std::move(name), *std::move(value));
  }
  return out;
}

routed refuse(int http_status, errc code, std::string message) {
  routed out;
  out.http_status = http_status;
  out.why = make_status(code, std::move(message));
  return out;
}

/// `GET, HEAD, OPTIONS` for the rows that match; empty when none does.
std::string methods_at(const std::vector<std::string_view>& segments) {
  std::string out;
  for (const auto& r : rows) {
    if (!matches(r.path, segments))
      continue;
    out += std::string{r.method} + ", ";
    if (r.method == "GET")
      out += "HEAD, ";
  }
  return out.empty() ? out : out + "OPTIONS";
}

/// The segment of `r` that stands for an id, checked.
result<std::string> id_of(const row& r,
                          const std::vector<std::string_view>& segments) {
  auto wanted = split(r.path.substr(1), '/');
  auto at = std::find(wanted.begin(), wanted.end(), "*") - wanted.begin();
  if (static_cast<std::size_t>(at) == wanted.size())
    return std::string{};
  auto raw = segments[static_cast<std::size_t>(at)];
  auto id = percent_decode(raw, false);
  if (!id)
    return result<std::string>(errc::malformed,
                               "id '" + printable(raw)
                                 + "': expected %XX with two hex digits");
  if (!is_valid_id(*id))
    return result<std::string>(
      errc::malformed,
      "id '" + printable(*id)
        + "': expected 1 to 512 bytes of UTF-8 without control characters, "
          "not '.' or '..'");
  return *std::move(id);
}

/// Proxies may send `http://host/path`.
std::string_view without_authority(std::string_view target) {
  for (std::string_view scheme : {"http://", "https://"})
    if (target.substr(0, scheme.size()) == scheme) {
      auto slash = target.find('/', scheme.size());
      return slash == std::string_view::npos ? "/" : target.substr(slash);
    }
  return target;
}

} // namespace

std::string_view to_string(route_name name) noexcept {
  return row_of(name).text;
}

scope scope_of(route_name name) noexcept {
  return row_of(name).needs;
}

routed find_route(std::string_view method, std::string_view target) {
  if (method == "OPTIONS" && target == "*") {
    routed out;
    out.http_status = 204;
    out.allow = "GET, HEAD, POST, PUT, DELETE, OPTIONS";
    return out;
  }
  target = without_authority(target);
  if (target.empty() || target[0] != '/'
      || target.find('#') != std::string_view::npos)
    return refuse(400, errc::malformed,
                  "request target '" + printable(target)
                    + "': expected a path that begins with / and has no #");
  auto mark = target.find('?');
  auto segments = split(target.substr(1, mark - 1), '/');
  auto allow = methods_at(segments);
  if (allow.empty())
    return refuse(404, errc::not_found,
                  "no resource at '" + printable(target.substr(0, mark))
                    + "'; expected a path such as /v1/runs or /v1/runs/ID");
  if (method == "OPTIONS") {
    routed out;
    out.http_status = 204;
    out.allow = std::move(allow);
    return out;
  }
  bool head = method == "HEAD";
  auto found = std::find_if(rows.begin(), rows.end(), [&](const row& r) {
    return r.method == (head ? "GET" : method) && matches(r.path, segments);
  });
  if (found == rows.end()) {
    auto out =
      refuse(405, errc::method_not_allowed,
             "method " + printable(method)
               + " is not for this resource; expected one of " + allow);
    out.allow = std::move(allow);
    return out;
  }
  auto id = id_of(*found, segments);
  if (!id)
    return refuse(400, errc::malformed, id.error().message);
  auto params =
    parse_query(mark == std::string_view::npos ? "" : target.substr(mark + 1));
  if (!params)
    return refuse(400, errc::malformed, params.error().message);
  routed out;
  out.route = route{found->name, *std::move(id), *std::move(params), head};
  return out;
}

std::optional<std::string> percent_decode(std::string_view text,
                                          bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size())
        return std::nullopt;
      auto high = hex_value(text[i + 1]);
      auto low = hex_value(text[i + 2]);
      if (high < 0 || low < 0)
        return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : text) {
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                 || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_'
                 || c == '~';
    if (plain) {
      out += static_cast<char>(c);
    } else {
      out += '%';
      out += digits[c >> 4];
      out += digits[c & 0xF];
    }
  }
  return out;
}

status check_names(const query& params,
                   std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : params)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string expected;
      for (auto k : known)
        expected += (expected.empty() ? "" : ", ") + std::string{k};
      return make_status(errc::malformed,
                         "unknown query parameter '" + printable(name)
                           + "'; expected "
                           + (expected.empty() ? "none" : expected));
    }
  return {};
}

const std::string* find_param(const query& params, std::string_view name) {
  for (const auto& [key, value] : params)
    if (key == name)
      return &value;
  return nullptr;
}

result<std::uint64_t> parse_number(std::string_view what,
                                   std::string_view text) {
  constexpr std::uint64_t max = std::numeric_limits<std::int64_t>::max();
  std::uint64_t out = 0;
  bool good = !text.empty();
  for (char c : text) {
    auto digit = static_cast<std::uint64_t>(c - '0');
    if (c < '0' || c > '9' || out > (max - digit) / 10) {
      good = false;
      break;
    }
    out = out * 10 + digit;
  }
  if (!good)
    return result<std::uint64_t>(errc::malformed,
                                 std::string{what} + " is '" + printable(text)
                                   + "', expected a decimal number from 0 to "
                                     "9223372036854775807");
  return out;
}

} // namespace baton::http
