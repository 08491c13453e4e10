// SPDX-License-Identifier: MIT
// Goal: precedence, defaults and refusals of batond's settings, from argv,
// environment and file to the checked struct. Method: no system is touched.
#include "apps/settings/setting_sources.hpp"
#include "apps/settings/settings.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace baton;
using namespace std::chrono_literals;

namespace {

struct scene {
  env_variables env{{"HOME", "/home/ann"}};
  std::string file;

  result<settings_answer> parse(std::vector<std::string> args) const {
    auto content = file;
    return parse_settings(
      {std::move(args), env,
       [content](const std::string& path) -> result<std::string> {
         if (path == "node.toml")
           return content;
         return {errc::io_failed, "cannot read " + path};
       }});
  }

  settings take(std::vector<std::string> args) const {
    auto x = parse(std::move(args));
    BOOST_TEST_REQUIRE(x.ok(), (x ? "" : x.error().message));
    return x->values;
  }

  /// The one line of a refusal.
  std::string refusal(std::vector<std::string> args) const {
    auto x = parse(std::move(args));
    if (x.ok())
      return "accepted";
    BOOST_TEST((x.error().code == errc::malformed));
    BOOST_TEST(x.error().message.find('\n') == std::string::npos);
    return x.error().message;
  }
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_settings)

BOOST_AUTO_TEST_CASE(without_flags_the_defaults_of_the_contract_hold) {
  auto x = scene{}.take({});

  BOOST_TEST(x.node_id.empty());
  BOOST_TEST(x.data_dir == "/home/ann/.local/share/baton");
  BOOST_TEST(x.http_host == "127.0.0.1");
  BOOST_TEST(x.http_port == 7070);
  BOOST_TEST(x.socket_path == "/home/ann/.local/share/baton/batond.sock");
  BOOST_TEST(!x.cluster.has_value());
  BOOST_TEST(x.join.empty());
  BOOST_TEST((x.role == node_role::coordinator));
  BOOST_TEST((x.lease == 10s));
  BOOST_TEST((x.grace == 2s));
  BOOST_TEST((x.detached_ttl == 30min));
  BOOST_TEST((x.sweep_interval == 30s));
  BOOST_TEST((x.retain == 0ms));
  BOOST_TEST(x.line_bytes_max == 1048576u);
  BOOST_TEST(x.log_level == "info");
  BOOST_TEST(!x.insecure);
}

BOOST_AUTO_TEST_CASE(xdg_directories_are_used_when_absolute) {
  scene s;
  s.env["XDG_DATA_HOME"] = "/data";
  s.env["XDG_RUNTIME_DIR"] = "/run/user/7";
  BOOST_TEST(s.take({}).data_dir == "/data/baton");
  BOOST_TEST(s.take({}).socket_path == "/run/user/7/baton/batond.sock");

  s.env["XDG_DATA_HOME"] = "data";
  s.env["XDG_RUNTIME_DIR"] = "run";
  BOOST_TEST(s.take({}).data_dir == "/home/ann/.local/share/baton");
  BOOST_TEST(s.take({}).socket_path
             == "/home/ann/.local/share/baton/batond.sock");
}

BOOST_AUTO_TEST_CASE(a_data_dir_of_ones_own_has_its_own_socket) {
  scene s;
  s.env["XDG_RUNTIME_DIR"] = "/run/user/7";

  BOOST_TEST(s.take({"--data-dir", "/srv/a"}).socket_path
             == "/srv/a/batond.sock");
  BOOST_TEST(s.take({"--data-dir=/srv/a", "--socket=/tmp/s"}).socket_path
             == "/tmp/s");
}

BOOST_AUTO_TEST_CASE(no_home_at_all_is_refused_with_the_way_out) {
  scene s;
  s.env.clear();
  BOOST_TEST(contains(s.refusal({}), "--data-dir"));
  BOOST_TEST(s.take({"--data-dir", "/d"}).data_dir == "/d");
}

BOOST_AUTO_TEST_CASE(flag_beats_variable_beats_file_beats_default) {
  scene s;
  BOOST_TEST((s.take({}).lease == 10s));
  s.file = "lease = \"3s\"\ngrace = \"1s\"\nlog-level = \"debug\"\n";
  BOOST_TEST((s.take({"--config", "node.toml"}).lease == 3s));
  s.env["BATON_LEASE"] = "4s";
  BOOST_TEST((s.take({"--config", "node.toml"}).lease == 4s));
  BOOST_TEST((s.take({"--config", "node.toml", "--lease", "5s"}).lease == 5s));
  BOOST_TEST((s.take({"--config", "node.toml"}).grace == 1s));
  s.env["BATON_CONFIG"] = "node.toml";
  BOOST_TEST(s.take({}).log_level == "debug");
}

BOOST_AUTO_TEST_CASE(every_key_is_a_flag_a_variable_and_a_file_key) {
  std::vector<std::pair<std::string, std::string>> values{
    {"node-id", "n1"},    {"data-dir", "/d"},         {"http", "127.0.0.1:0"},
    {"socket", "/s"},     {"cluster", "127.0.0.1:9"}, {"join", "h:1"},
    {"role", "worker"},   {"host-label", "l"},        {"lease", "1s"},
    {"grace", "3s"},      {"detached-ttl", "1h"},     {"sweep-interval", "1s"},
    {"retain", "30d"},    {"tls-cert", "/c"},         {"tls-key", "/k"},
    {"tls-ca", "/a"},     {"http-tls-cert", "/hc"},   {"http-tls-key", "/hk"},
    {"token-file", "/t"}, {"max-line", "2KiB"},       {"log-level", "warn"}};
  scene by_flag, by_env, by_file;
  std::vector<std::string> args{"--insecure"};
  for (auto& [key, value] : values) {
    args.push_back("--" + key);
    args.push_back(value);
    std::string name = "BATON_";
    for (auto c : key)
      name +=
        c == '-' ? '_' : static_cast<char>(c - ('a' <= c && c <= 'z' ? 32 : 0));
    by_env.env[name] = value;
    by_file.file += key + " = \"" + value + "\"\n";
  }
  by_env.env["BATON_INSECURE"] = "1";
  by_file.file += "insecure = true\n";

  auto expected = by_flag.take(args);

  BOOST_TEST(expected.node_id == "n1");
  BOOST_TEST(expected.http_tls.key == "/hk");
  BOOST_TEST(expected.insecure);
  BOOST_TEST((by_env.take({}) == expected));
  BOOST_TEST((by_file.take({"--config", "node.toml"}) == expected));
  // All of the table but what is about the file itself.
  BOOST_TEST(values.size() + 4 == setting_keys().size());
}

BOOST_AUTO_TEST_CASE(printed_settings_read_back_as_the_same_settings) {
  scene s;
  std::vector<std::string> args{"--node-id", "n",      "--join",
                                "a:1",       "--join", "[::1]:2",
                                "--lease",   "1500ms", "--insecure"};
  auto expected = s.take(args);
  args.push_back("--print-config");

  auto printed = s.parse(args);

  BOOST_TEST_REQUIRE(printed.ok());
  s.file = printed->text;
  BOOST_TEST((s.take({"--config", "node.toml"}) == expected), printed->text);
}

BOOST_AUTO_TEST_CASE(printed_settings_name_every_key_set_or_not) {
  scene s;
  auto shown = s.parse({"--print-config"});
  BOOST_TEST_REQUIRE(shown.ok());
  for (auto& key : setting_keys()) {
    auto name = std::string{key.name};
    auto is_set = contains("\n" + shown->text, "\n" + name + " = ");
    auto is_comment =
      contains("\n" + shown->text, "\n# " + name + ": not set, ");
    auto is_setting = key.in_file;
    BOOST_TEST((is_set != is_comment) == is_setting, name);
  }
  BOOST_TEST(contains(shown->text, "# host-label: not set, the machine id\n"));
  BOOST_TEST(contains(shown->text, "lease = \"10s\"\n"));
  s.file = shown->text;
  BOOST_TEST((s.take({"--config", "node.toml"}) == s.take({})));
}

BOOST_AUTO_TEST_CASE(join_is_a_list_in_every_source) {
  scene s;
  std::vector<address> expected{{"a", 1}, {"b", 2}};
  BOOST_TEST((s.take({"--join", "a:1", "--join", "b:2"}).join == expected));
  s.env["BATON_JOIN"] = "a:1,b:2";
  BOOST_TEST((s.take({}).join == expected));
  BOOST_TEST((s.take({}).role == node_role::worker));
  s.env.erase("BATON_JOIN");
  s.file = "join = [\"a:1\", \"b:2\"]";
  BOOST_TEST((s.take({"--config", "node.toml"}).join == expected));
}

BOOST_AUTO_TEST_CASE(an_ini_file_is_read_too) {
  scene s;
  s.file = "; a node\nlease=2s\nlog-level = warn\n\n# end\ninsecure\n";
  auto x = s.take({"--config", "node.toml"});
  BOOST_TEST((x.lease == 2s));
  BOOST_TEST(x.log_level == "warn");
  BOOST_TEST(x.insecure);
}

BOOST_AUTO_TEST_CASE(roles_that_contradict_join_are_usage_errors) {
  scene s;
  BOOST_TEST(
    contains(s.refusal({"--role", "coordinator", "--join", "a:1"}), "--join"));
  BOOST_TEST(contains(s.refusal({"--role", "worker"}), "--join"));
  BOOST_TEST(contains(s.refusal({"--role", "boss"}), "'boss'"));
}

BOOST_AUTO_TEST_CASE(open_ports_need_token_or_tls_or_insecure) {
  scene s;
  for (std::string flag : {"--http", "--cluster"}) {
    BOOST_TEST(contains(s.refusal({flag, "0.0.0.0:1"}), "--insecure"), flag);
    BOOST_TEST(contains(s.refusal({flag, "[::]:1"}), "--insecure"), flag);
    BOOST_TEST(s.parse({flag, "0.0.0.0:1", "--insecure"}).ok());
    // Tokens are HTTP's: whoever joins drives.
    BOOST_TEST(s.parse({flag, "0.0.0.0:1", "--token-file", "/t"}).ok()
               == (flag == "--http"));
    BOOST_TEST(s.parse({flag, "127.3.2.1:1"}).ok());
    BOOST_TEST(s.parse({flag, "localhost:0"}).ok());
    BOOST_TEST(s.parse({flag, "[::1]:0"}).ok());
  }
  std::vector<std::string> http_tls{"--http-tls-cert", "c", "--http-tls-key",
                                    "k"};
  auto args = http_tls;
  args.insert(args.end(), {"--http", "0.0.0.0:1"});
  BOOST_TEST(s.parse(args).ok());
  // TLS of one port does not cover the other.
  args = http_tls;
  args.insert(args.end(), {"--cluster", "0.0.0.0:1"});
  BOOST_TEST(contains(s.refusal(args), "--cluster"));
}

BOOST_AUTO_TEST_CASE(half_given_tls_is_refused) {
  scene s;
  BOOST_TEST(contains(s.refusal({"--tls-cert", "c"}), "--tls-key"));
  BOOST_TEST(
    contains(s.refusal({"--tls-cert", "c", "--tls-key", "k"}), "--tls-ca"));
  BOOST_TEST(contains(s.refusal({"--http-tls-key", "k"}), "--http-tls-cert"));
}

BOOST_AUTO_TEST_CASE(bad_values_are_named_with_their_source) {
  scene s;
  BOOST_TEST(contains(s.refusal({"--lease", "10"}), "--lease: expected"));
  BOOST_TEST(contains(s.refusal({"--lease", "1ms"}), "100ms to 10m"));
  BOOST_TEST(contains(s.refusal({"--lease", ""}), "--lease"));
  BOOST_TEST(contains(s.refusal({"--http", "7070"}), "'7070'"));
  BOOST_TEST(contains(s.refusal({"--http", "h:65536"}), "'h:65536'"));
  BOOST_TEST(contains(s.refusal({"--max-line", "1"}), "512 to 512MiB"));
  BOOST_TEST(contains(s.refusal({"--node-id", "a b"}), "'a b'"));
  BOOST_TEST(contains(s.refusal({"--log-level", "loud"}), "'loud'"));
  BOOST_TEST(
    contains(s.refusal({"--socket", "/" + std::string(107, 'x')}), "107"));
  s.env["BATON_GRACE"] = "soon";
  BOOST_TEST(contains(s.refusal({}), "BATON_GRACE: expected"));
  s.env.erase("BATON_GRACE");
  s.file = "grace = soon";
  BOOST_TEST(
    contains(s.refusal({"--config", "node.toml"}), "node.toml: grace"));
}

BOOST_AUTO_TEST_CASE(bad_flags_and_files_are_one_clear_line) {
  scene s;
  BOOST_TEST(contains(s.refusal({"--leese", "1s"}), "--leese"));
  BOOST_TEST(contains(s.refusal({"extra"}), "extra"));
  BOOST_TEST(contains(s.refusal({"--lease"}), "--lease"));
  BOOST_TEST(contains(s.refusal({"--lease", "1s", "--lease", "2s"}), "once"));
  BOOST_TEST(contains(s.refusal({"--config", "none"}), "cannot read none"));
  s.file = "leese = 1s";
  BOOST_TEST(contains(s.refusal({"--config", "node.toml"}), "leese"));
  s.file = "[node]\nlease = 1s";
  BOOST_TEST(s.refusal({"--config", "node.toml"})
             == "node.toml: expected flags' names as keys, without sections, "
                "found [node] (delete that line)");
  s.file = "lease = 1s\n[a.b]\ngrace = 1s";
  BOOST_TEST(contains(s.refusal({"--config", "node.toml"}), "[a.b]"));
  s.file = "node.lease = 1s";
  BOOST_TEST(
    contains(s.refusal({"--config", "node.toml"}), "node.toml: node.lease"));
  s.file = "data-dir = \"/a#b\"";
  BOOST_TEST(contains(s.refusal({"--config", "node.toml"}), "'#'"));
  s.file = "data-dir = /a b";
  BOOST_TEST(contains(s.refusal({"--config", "node.toml"}), "one value"));
  s.file = "lease = 1s\nlease = 2s";
  BOOST_TEST(contains(s.refusal({"--config", "node.toml"}), "one value"));
}

BOOST_AUTO_TEST_CASE(help_names_every_flag_and_wins_over_bad_settings) {
  auto x = scene{}.parse({"--role", "worker", "--help"});
  BOOST_TEST_REQUIRE(x.ok());
  for (auto& key : setting_keys())
    BOOST_TEST(contains(x->text, "--" + std::string{key.name}), key.name);
}

BOOST_AUTO_TEST_CASE(addresses_read_back) {
  for (std::string text : {"127.0.0.1:7070", "[::1]:0", "host-1:65535"}) {
    auto x = parse_address(text);
    BOOST_TEST_REQUIRE(x.ok(), text);
    BOOST_TEST(to_text(*x) == text);
  }
  for (std::string text : {"", ":", ":1", "a:", "a", "::1:1", "a:-1", "a:+1",
                           "a: 1", "a b:1", "[]:1", "a:1:2", "http://a:1"})
    BOOST_TEST(!parse_address(text).ok(), text);
}

BOOST_AUTO_TEST_SUITE_END()
