// SPDX-License-Identifier: MIT
// Goal: what the CLI decides without a daemon: addresses, SSE, widths, tables,
// entries, requests, command lines, completion.
#include "apps/baton/command_line.hpp"
#include "apps/baton/completion_script.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/run_request.hpp"
#include "apps/baton/server_address.hpp"
#include "apps/baton/sse_parser.hpp"
#include "apps/baton/text_width.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <clocale>

using namespace baton;
using namespace baton::cli;

namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A flag without its dashes, as fish names it.
std::string bare(const std::string& flag) {
  return flag.substr(flag.find_first_not_of('-'));
}

std::string refusal(const std::vector<std::string>& args) {
  return parse_command_line(args).refusal.why.message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_baton_parts)

BOOST_AUTO_TEST_CASE(server_urls_read_back) {
  for (std::string text :
       {"unix:///run/b.sock", "http://h:1", "https://h:2", "http://[::1]:3"}) {
    auto x = parse_server(text);
    BOOST_TEST_REQUIRE(x.ok(), text);
    BOOST_TEST(to_text(*x) == text);
  }
  BOOST_TEST(parse_server("http://h")->port == "80");
  BOOST_TEST(parse_server("https://h/")->port == "443");
  BOOST_TEST(parse_server("https://[::1]")->host == "::1");
  for (std::string text : {"", "h:1", "ftp://h:1", "unix://", "http://",
                           "http://h:x", "http://h:1/path", "http://a b:1"})
    BOOST_TEST(!parse_server(text).ok(), text);
}

BOOST_AUTO_TEST_CASE(ids_in_paths_are_encoded_and_stay_ids) {
  BOOST_TEST(percent_encode("a-B_9~.x") == "a-B_9~.x");
  BOOST_TEST(percent_encode("../../x y%") == "..%2F..%2Fx%20y%25");
  BOOST_TEST(percent_encode("..") == "%2E%2E");
  BOOST_TEST(percent_encode("\xF0\x9F\x8C\x8D") == "%F0%9F%8C%8D");
}

BOOST_AUTO_TEST_CASE(sse_is_the_same_however_it_is_cut) {
  std::string stream = "\xEF\xBB\xBF: hello\n\nid: 1\nevent: entry\ndata: "
                       "{\"a\":1}\n\nid: 2\r\nevent: entry\r\ndata: x\r\ndata:"
                       "y\r\n\r\nevent: end\rdata: {}\r\rdata: cut short";
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    sse_parser parser;
    std::vector<sse_event> events;
    for (std::size_t at = 0; at < stream.size(); at += cut)
      parser.feed(std::string_view{stream}.substr(at, cut), [&](auto& x) {
        events.push_back(x);
        return true;
      });
    BOOST_TEST_REQUIRE(events.size() == 3u);
    BOOST_TEST(events[0].id == "1");
    BOOST_TEST(events[0].data == "{\"a\":1}");
    BOOST_TEST(events[1].name == "entry");
    BOOST_TEST(events[1].data == "x\ny");
    BOOST_TEST(events[2].name == "end");
    BOOST_TEST(events[2].id.empty());
  }
}

BOOST_AUTO_TEST_CASE(widths_are_columns_and_not_bytes) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  BOOST_TEST(display_width("abc") == 3u);
  BOOST_TEST(display_width("h\xC3\xA9") == 2u);
  BOOST_TEST(display_width("\xE4\xBD\xA0\xE5\xA5\xBD") == 4u);
  BOOST_TEST(display_width("e\xCC\x81") == 1u);
  BOOST_TEST(display_width("\xFF\xFE") == 2u);
  BOOST_TEST(fit("abcdef", 6) == "abcdef");
  BOOST_TEST(fit("abcdef", 4) == "abc…");
  BOOST_TEST(fit("\xE4\xBD\xA0\xE5\xA5\xBD", 3) == "\xE4\xBD\xA0…");
  BOOST_TEST(fit("abc", 0) == "");
}

BOOST_AUTO_TEST_CASE(nothing_that_a_terminal_obeys_gets_through) {
  BOOST_TEST(without_controls("a\tb") == "a\tb");
  BOOST_TEST(without_controls("\x1b[31mred\r\n") == "\\x1b[31mred\\x0d\\x0a");
  BOOST_TEST(without_controls("\x7F\xC2\x9B") == "\\x7f\\x9b");
  BOOST_TEST(without_controls("\xE2\x80\xAE") == "\\u202e");
  BOOST_TEST(without_controls("\xFF") == "\\xff");
  BOOST_TEST(without_controls(std::string_view{"\0", 1}) == "\\x00");
}

BOOST_AUTO_TEST_CASE(a_table_is_aligned_cut_on_terminals_and_plain_elsewhere) {
  table x{{"ID", "STATUS", "COMMAND"}};
  x.add({{"\xE4\xBD\xA0\xE5\xA5\xBD"}, {"failed", tint::red}, {"echo hello"}});
  x.add({{"r"}, {"-"}, {""}});

  BOOST_TEST(x.render({})
             == "ID     STATUS   COMMAND\n"
                "\xE4\xBD\xA0\xE5\xA5\xBD   failed   echo hello\n"
                "r      -\n");
  auto cut = x.render({true, true, 22});
  BOOST_TEST(contains(cut, "\x1b[31mfailed\x1b[0m"));
  BOOST_TEST(contains(cut, "echo …\n"));
}

BOOST_AUTO_TEST_CASE(entries_are_shown_with_their_numbers_as_written) {
  auto line = [](std::string_view kind, std::string_view data) {
    return render_entry(R"({"seq":7,"epoch":1,"begin":0,"end":9,"at":)"
                        R"("2026-11-29T15:18:33.042Z","kind":")"
                          + std::string{kind} + R"(","data":)"
                          + std::string{data} + "}",
                        {});
  };
  BOOST_TEST(line("json", R"({"n":12345678901234567890.10,"k":1,"k":2})")
             == "     7  15:18:33.042  "
                R"({"n":12345678901234567890.10,"k":1,"k":2})"
                "\n");
  BOOST_TEST(line("text", R"("a\u001b[0m")")
             == "     7  15:18:33.042  a\\x1b[0m\n");
  BOOST_TEST(contains(line("bytes", R"("AP8=")"), "<2 bytes, not text>"));
  BOOST_TEST(contains(line("fragment", R"("AAAA")"), "<3 bytes"));
}

BOOST_AUTO_TEST_CASE(ages_are_short) {
  using namespace std::chrono_literals;
  BOOST_TEST(age_text(-5s) == "0s");
  BOOST_TEST(age_text(119s) == "119s");
  BOOST_TEST(age_text(120s) == "2m");
  BOOST_TEST(age_text(2h) == "2h");
  BOOST_TEST(age_text(72h) == "3d");
}

BOOST_AUTO_TEST_CASE(how_a_run_ended_is_one_line_whatever_its_driver_said) {
  auto shown = [](const std::string& error) {
    auto text =
      R"({"status":"failed","exit_code":3,"error":{"code":"exit_nonzero",)"
      R"("message":")"
      + error + "\"}}";
    return end_text(boost::json::parse(text).as_object());
  };
  BOOST_TEST(shown("bad\\n") == "failed, exit code 3, exit_nonzero: bad");
  BOOST_TEST(shown("a\\nb\\r\\n\\n") == shown("a b"));
  BOOST_TEST(shown("\\n") == "failed, exit code 3, exit_nonzero");
}

BOOST_AUTO_TEST_CASE(a_run_request_says_what_was_asked) {
  run_options o;
  o.command = {"sh", "-c", "[1,2]", "--", "-x"};
  o.env = {"A=1=2", "HOME", "UNSET"};
  o.labels = {"k=v"};
  o.stdin_file = "-";
  run_request_input in;
  in.env = {{"HOME", "/h"}};
  in.caller_cwd = "/w/x";
  in.now = wall_time{std::chrono::milliseconds{0x0123456789AB}};
  in.random.fill(0xFF);
  in.read_file = [](const std::string&) { return std::string{"\xFF"}; };

  auto x = make_run_request(o, in);

  BOOST_TEST_REQUIRE(x.ok());
  BOOST_TEST(x->id == "01234567-89ab-7fff-bfff-ffffffffffff");
  auto body = boost::json::parse(x->body);
  auto expected = boost::json::parse(
    R"({"run_id":"01234567-89ab-7fff-bfff-ffffffffffff",
          "command":["sh","-c","[1,2]","--","-x"],"cwd":"/w/x",
          "env":{"A":"1=2","HOME":"/h"},"labels":{"k":"v"},
          "stdin":{"base64":"/w=="}})");
  BOOST_TEST((body == expected), x->body);
}

BOOST_AUTO_TEST_CASE(cwd_is_made_absolute_where_the_daemon_shares_our_files) {
  run_request_input in;
  in.caller_cwd = "/w/x";
  auto cwd = [&](const std::string& flag, bool is_local) {
    run_options o;
    o.command = {"c"};
    o.cwd = flag;
    in.is_local = is_local;
    auto body = boost::json::parse(make_run_request(o, in)->body);
    auto value = body.as_object().if_contains("cwd");
    return value ? std::string{value->as_string().c_str()} : "none";
  };
  BOOST_TEST(cwd("", true) == "/w/x");
  BOOST_TEST(cwd("../y/", true) == "/w/y");
  BOOST_TEST(cwd("/z", true) == "/z");
  BOOST_TEST(cwd("", false) == "none");
  BOOST_TEST(cwd("z", false) == "z");
}

BOOST_AUTO_TEST_CASE(requests_that_cannot_be_sent_are_refused_before) {
  run_request_input in;
  run_options o;
  BOOST_TEST(contains(make_run_request(o, in).error().message, "--"));
  o.command = {"\xFF"};
  BOOST_TEST(contains(make_run_request(o, in).error().message, "UTF-8"));
  o.command = {"c"};
  for (const auto& id :
       std::vector<std::string>{"..", "a\nb", std::string(513, 'a')}) {
    o.id = id;
    BOOST_TEST(!make_run_request(o, in).ok());
  }
  o.id.reset();
  o.env = {"=x"};
  BOOST_TEST(contains(make_run_request(o, in).error().message, "--env"));
}

BOOST_AUTO_TEST_CASE(a_workspace_becomes_part_of_the_sandbox) {
  run_request_input in;
  in.caller_cwd = "/srv/me";
  run_options o;
  o.command = {"c"};
  o.sandbox = "bwrap";
  o.workspace = "git:https://h/r#main";
  o.setup = {"make"};
  o.secrets = {"T=file:t", "K=env:E"};
  o.reuse = true;
  o.thread = "t";
  auto body = make_run_request(o, in)->body;
  BOOST_TEST(
    contains(body, R"("sandbox":{"provider":"bwrap","reuse":true,"workspace":)"
                   R"({"source":{"git":{"ref":"main","url":"https://h/r"}},)"
                   R"("secrets":{"T":{"file":"/srv/me/t"},"K":{"env":"E"}},)"
                   R"("setup":["make"]}})"));
  // The workspace is where it starts.
  BOOST_TEST(!contains(body, "cwd"));
  o = {};
  o.command = {"c"};
  o.workspace = "path:../tree/";
  BOOST_TEST(contains(make_run_request(o, in)->body,
                      R"("sandbox":{"workspace":{"source":{"path":)"
                      R"("/srv/tree"}}})"));
  for (auto bad : {"git:", "path:", "https://h/r", "x"}) {
    o.workspace = bad;
    BOOST_TEST(
      contains(make_run_request(o, in).error().message, "--workspace"));
  }
  o.workspace.clear();
  for (auto bad : {"T=geheim", "geheim", "T"}) {
    o.secrets = {bad};
    auto why = make_run_request(o, in).error().message;
    BOOST_TEST(contains(why, "--secret"));
    BOOST_TEST(!contains(why, "=geheim"));
  }
}

BOOST_AUTO_TEST_CASE(command_lines_of_the_contract_are_accepted) {
  std::vector<std::vector<std::string>> lines{
    {"run",       "--id",    "i",       "--thread", "t",      "--detach",
     "--sandbox", "bwrap",   "--cwd",   "d",        "--env",  "A=1",
     "--env",     "B=[x,y]", "--stdin", "-",        "--node", "n",
     "--",        "c",       "--flag",  "--"},
    {"run", "--workspace", "git:u#r", "--setup", "a", "--setup", "b",
     "--secret", "A=env:B", "--reuse", "--thread", "t", "--network", "off",
     "--", "c"},
    {"ps", "--all", "--thread", "t", "--json"},
    {"logs", "-f", "--from", "3", "--raw", "r"},
    {"logs", "--json", "--", "-rf"},
    {"attach", "--from", "3", "r"},
    {"inspect", "r", "--json"},
    {"cancel", "r"},
    {"takeover", "r", "--node", "n"},
    {"rm", "r"},
    {"trim", "r", "--before", "7"},
    {"nodes"},
    {"sandboxes"},
    {"sandboxes", "rm", "k"},
    {"gc", "--dry-run"},
    {"status"},
    {"version"},
    {"completion", "zsh"},
    {"ps", "--server", "http://h:1", "--no-autostart"},
    {"--server", "http://h:1", "ps"}};
  for (auto& line : lines) {
    auto x = parse_command_line(line);
    BOOST_TEST(x.refusal.why.ok(), line[0] << ": " << x.refusal.why.message);
    BOOST_TEST((x.invocation.action != nullptr), line[0]);
  }
}

BOOST_AUTO_TEST_CASE(other_command_lines_are_refused_in_one_helpful_line) {
  BOOST_TEST(
    contains(refusal({"frobnicate"}), "'frobnicate' is not a command"));
  BOOST_TEST(contains(refusal({"ps", "--al"}), "baton ps --help"));
  BOOST_TEST(contains(refusal({"run", "echo", "hi"}), "put -- before"));
  BOOST_TEST(contains(refusal({"logs"}), "RUN"));
  BOOST_TEST(contains(refusal({"logs", "--raw", "--json", "r"}), "--json"));
  BOOST_TEST(!refusal({"logs", "--from", "x", "r"}).empty());
  BOOST_TEST(!refusal({"logs", "--from", "-2", "r"}).empty());
  BOOST_TEST(!refusal({"logs", "a", "b"}).empty());
  for (auto line : {refusal({"logs"}), refusal({"ps", "x"})})
    BOOST_TEST(!contains(line, "\n"));
}

BOOST_AUTO_TEST_CASE(help_is_there_for_baton_and_every_verb) {
  BOOST_TEST(contains(parse_command_line({}).invocation.text, "takeover"));
  for (auto& verb : shape_of_commands().verbs) {
    auto text = parse_command_line({verb.name, "--help"}).invocation.text;
    BOOST_TEST(contains(text, "Usage: baton " + verb.name), text);
    for (auto& flag : verb.flags)
      BOOST_TEST(contains(text, flag.names.back()), text);
  }
}

BOOST_AUTO_TEST_CASE(completion_knows_every_verb_and_flag_of_the_parser) {
  auto shape = shape_of_commands();
  BOOST_TEST(shape.verbs.size() == 16u);
  for (std::string shell : {"bash", "zsh", "fish"}) {
    auto script = completion_script(shell, shape);
    BOOST_TEST_REQUIRE(script.ok());
    for (auto& verb : shape.verbs) {
      BOOST_TEST(contains(*script, verb.name), shell);
      for (auto& flag : verb.flags)
        for (auto& name : flag.names)
          BOOST_TEST(contains(*script, shell == "fish" ? bare(name) : name),
                     shell << " lacks " << name);
    }
  }
  BOOST_TEST(!completion_script("tcsh", shape).ok());
}

BOOST_AUTO_TEST_SUITE_END()
