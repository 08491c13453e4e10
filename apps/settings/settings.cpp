// SPDX-License-Identifier: MIT
#include "apps/settings/settings.hpp"

#include "apps/settings/duration.hpp"
#include "apps/settings/setting_sources.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace baton {

namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// A claim must outlive a few of its own renewals and one slow disk sync.
constexpr milliseconds lease_min = 100ms;
/// As the ttl of external claims: longer leases only delay failover.
constexpr milliseconds lease_max = 10min;
constexpr milliseconds interval_min = 10ms;
constexpr milliseconds time_max = std::chrono::hours{24 * 365};
/// Longer than any exit marker, which must never be cut into fragments.
constexpr std::size_t line_bytes_min = 512;
constexpr std::size_t line_bytes_limit = std::size_t{512} << 20;
/// sun_path holds 108 bytes with the terminating zero.
constexpr std::size_t socket_path_max = 107;

/// Reads keys one after another and keeps the first complaint.
class reader {
public:
  explicit reader(const setting_texts& texts) : texts_(texts) {}

  const status& complaint() const { return complaint_; }

  bool has(std::string_view key) const { return texts_.by_key.contains(key); }

  std::string text(std::string_view key, std::string fallback = {}) {
    auto i = texts_.by_key.find(key);
    if (i == texts_.by_key.end())
      return fallback;
    if (i->second.values.front().empty())
      complain(key, "expected a value, found none (leave it out for the "
                    "default)");
    return i->second.values.front();
  }

  bool is_on(std::string_view key) {
    if (!has(key))
      return false;
    auto value = text(key);
    if (value == "true" || value == "1" || value == "yes" || value == "on")
      return true;
    if (value != "false" && value != "0" && value != "no" && value != "off")
      complain(key, "expected true or false, found '" + value + "'");
    return false;
  }

  milliseconds time(std::string_view key, milliseconds fallback,
                    milliseconds min, milliseconds max) {
    if (!has(key))
      return fallback;
    auto value = parse_duration(text(key));
    if (!value)
      complain(key, value.error().message);
    else if (*value < min || *value > max)
      complain(key, "expected " + to_text(min) + " to " + to_text(max)
                      + ", found " + to_text(*value));
    return value ? *value : fallback;
  }

  std::size_t size(std::string_view key, std::size_t fallback, std::size_t min,
                   std::size_t max) {
    if (!has(key))
      return fallback;
    auto value = parse_byte_size(text(key));
    if (!value)
      complain(key, value.error().message);
    else if (*value < min || *value > max)
      complain(key, "expected " + byte_size_text(min) + " to "
                      + byte_size_text(max) + ", found "
                      + byte_size_text(*value));
    return value ? *value : fallback;
  }

  std::vector<address> addresses(std::string_view key) {
    std::vector<address> all;
    auto i = texts_.by_key.find(key);
    if (i == texts_.by_key.end())
      return all;
    for (auto& value : i->second.values) {
      auto x = parse_address(value);
      if (!x)
        complain(key, x.error().message);
      else
        all.push_back(*x);
    }
    return all;
  }

  std::string one_of(std::string_view key, std::string fallback,
                     std::initializer_list<std::string_view> accepted) {
    auto value = text(key, std::move(fallback));
    std::string names;
    for (auto name : accepted) {
      if (name == value)
        return value;
      names += (names.empty() ? "" : ", ") + std::string{name};
    }
    complain(key, "expected one of " + names + ", found '" + value + "'");
    return value;
  }

  /// The user's own word for the key.
  std::string source_of(std::string_view key) const {
    auto i = texts_.by_key.find(key);
    return i == texts_.by_key.end() ? "--" + std::string{key}
                                    : i->second.source;
  }

  void complain(std::string_view key, const std::string& what) {
    if (complaint_.ok())
      complaint_ = make_status(errc::malformed, source_of(key) + ": " + what);
  }

private:
  const setting_texts& texts_;
  status complaint_;
};

bool is_plain_name(std::string_view text) {
  constexpr std::string_view accepted =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return text.size() <= 128
         && text.find_first_not_of(accepted) == std::string_view::npos;
}

void read_names(reader& in, const env_variables& env, settings& out) {
  for (auto key : {"node-id", "host-label"})
    if (auto name = in.text(key); !is_plain_name(name))
      in.complain(key, "expected up to 128 letters, digits, '.', '-' or '_', "
                       "found '"
                         + name + "'");
  out.node_id = in.text("node-id");
  out.host_label = in.text("host-label");
  out.data_dir = in.text("data-dir");
  if (out.data_dir.empty()) {
    auto usual = default_data_dir(env);
    if (!usual)
      in.complain("data-dir", usual.error().message);
    else
      out.data_dir = *usual;
  }
  out.socket_path = in.text("socket");
  if (out.socket_path.empty())
    out.socket_path = default_socket(env, out.data_dir);
  if (out.socket_path.size() > socket_path_max)
    in.complain("socket", "expected a path of at most 107 bytes, found "
                            + std::to_string(out.socket_path.size())
                            + " (give a shorter --socket): " + out.socket_path);
}

void read_cluster(reader& in, settings& out) {
  if (auto all = in.addresses("cluster"); !all.empty())
    out.cluster = all.front();
  out.join = in.addresses("join");
  auto role = in.one_of("role", "auto", {"auto", "coordinator", "worker"});
  if (role == "coordinator" && !out.join.empty())
    in.complain("role", "a coordinator joins nobody, found "
                          + in.source_of("join") + " (drop one of the two)");
  if (role == "worker" && out.join.empty())
    in.complain("role", "a worker needs a coordinator, found no --join (add "
                        "--join ADDR:PORT)");
  out.role = out.join.empty() ? node_role::coordinator : node_role::worker;
}

void read_access(reader& in, settings& out) {
  out.tls = {in.text("tls-cert"), in.text("tls-key"), in.text("tls-ca")};
  auto& tls = out.tls;
  if (tls.cert.empty() != tls.key.empty() || tls.cert.empty() != tls.ca.empty())
    in.complain("tls-cert", "expected --tls-cert, --tls-key and --tls-ca "
                            "together, found only some of them");
  out.http_tls = {in.text("http-tls-cert"), in.text("http-tls-key"), {}};
  if (out.http_tls.cert.empty() != out.http_tls.key.empty())
    in.complain("http-tls-cert", "expected --http-tls-cert and --http-tls-key "
                                 "together, found only one of them");
  out.token_file = in.text("token-file");
  out.insecure = in.is_on("insecure");
  if (out.insecure)
    return;
  auto has_token = !out.token_file.empty();
  if (!is_loopback(out.http_host) && !has_token && !out.http_tls.is_on())
    in.complain("http", out.http_host
                          + " is open to other machines without token or "
                            "TLS (add --token-file, --http-tls-cert and "
                            "--http-tls-key, or --insecure)");
  if (out.cluster && !is_loopback(out.cluster->host) && !tls.is_on())
    in.complain("cluster", out.cluster->host
                             + " is open to other machines without TLS (add "
                               "--tls-cert, --tls-key and --tls-ca, "
                               "or --insecure)");
}

/// Quoted, as CLI11 and TOML read it.
std::string quoted(const std::string& text) {
  return '"' + text + '"';
}

} // namespace

std::string_view to_string(node_role x) noexcept {
  return x == node_role::coordinator ? "coordinator" : "worker";
}

result<settings_answer> parse_settings(const settings_input& input) {
  auto texts = collect_settings(input);
  if (!texts)
    return std::move(texts).error();
  settings_answer answer;
  answer.text = texts->text;
  if (!answer.text.empty())
    return answer;
  reader in{*texts};
  auto& out = answer.values;
  read_names(in, input.env, out);
  out.http_host = "127.0.0.1";
  out.http_port = 7070;
  if (auto all = in.addresses("http"); !all.empty()) {
    out.http_host = all.front().host;
    out.http_port = all.front().port;
  }
  read_cluster(in, out);
  read_access(in, out);
  out.lease = in.time("lease", 10s, lease_min, lease_max);
  out.grace = in.time("grace", 2s, 0ms, lease_max);
  out.detached_ttl = in.time("detached-ttl", 30min, 1ms, time_max);
  out.sweep_interval = in.time("sweep-interval", 30s, interval_min, time_max);
  out.retain = in.time("retain", 0ms, 1ms, time_max);
  out.line_bytes_max =
    in.size("max-line", std::size_t{1} << 20, line_bytes_min, line_bytes_limit);
  out.log_level = in.one_of("log-level", "info",
                            {"trace", "debug", "info", "warn", "error", "off"});
  auto is_printing = in.is_on("print-config");
  if (!in.complaint().ok())
    return in.complaint();
  if (is_printing)
    answer.text = to_config_text(out);
  return answer;
}

std::string to_config_text(const settings& x) {
  std::string text;
  // What is not set stands there all the same, as a comment.
  auto absent = [&](std::string_view key, std::string_view meaning) {
    text +=
      "# " + std::string{key} + ": not set, " + std::string{meaning} + "\n";
  };
  auto add = [&](std::string_view key, const std::string& value,
                 std::string_view meaning = {}) {
    if (value.empty())
      absent(key, meaning);
    else
      text += std::string{key} + " = " + quoted(value) + "\n";
  };
  add("node-id", x.node_id, "picked once and kept in the data directory");
  add("data-dir", x.data_dir);
  add("http", to_text(address{x.http_host, x.http_port}));
  add("socket", x.socket_path);
  add("cluster", x.cluster ? to_text(*x.cluster) : "", "no cluster port");
  std::string join;
  for (auto& peer : x.join)
    join += (join.empty() ? "" : ", ") + quoted(to_text(peer));
  if (join.empty())
    absent("join", "joins nobody");
  else
    text += "join = [" + join + "]\n";
  add("role", std::string{to_string(x.role)});
  add("host-label", x.host_label, "the machine id");
  add("lease", to_text(x.lease));
  add("grace", to_text(x.grace));
  add("detached-ttl", to_text(x.detached_ttl));
  add("sweep-interval", to_text(x.sweep_interval));
  add("retain", x.retain.count() > 0 ? to_text(x.retain) : "",
      "runs that ended are kept for ever");
  add("tls-cert", x.tls.cert, "no TLS on the cluster port");
  add("tls-key", x.tls.key, "no TLS on the cluster port");
  add("tls-ca", x.tls.ca, "no TLS on the cluster port");
  add("http-tls-cert", x.http_tls.cert, "no TLS on the HTTP port");
  add("http-tls-key", x.http_tls.key, "no TLS on the HTTP port");
  add("token-file", x.token_file, "nobody is asked for a token");
  add("max-line", byte_size_text(x.line_bytes_max));
  add("log-level", x.log_level);
  text += std::string{"insecure = "} + (x.insecure ? "true" : "false") + "\n";
  return text;
}

result<std::string> read_text_file(const std::string& path) {
  auto refuse = [&] {
    return make_status(errc::io_failed,
                       "cannot read " + path + ": " + std::strerror(errno));
  };
  auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return refuse();
  std::string content;
  std::array<char, 64 * 1024> piece;
  for (;;) {
    auto n = ::read(fd, piece.data(), piece.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      auto why = n < 0 ? refuse() : status{};
      ::close(fd);
      if (!why.ok())
        return why;
      return content;
    }
    content.append(piece.data(), static_cast<std::size_t>(n));
  }
}

} // namespace baton
