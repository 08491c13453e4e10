// SPDX-License-Identifier: MIT
// Goal: what is typed wrong is told in words of flags, before anything is
// started, and what is typed half is completed. Method: the built program and
// the real bash against a scripted server.
#include "tests/apps/baton/cli_process.hpp"
#include "tests/apps/baton/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace baton::test;

namespace {

using words = std::vector<std::string>;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

words environment(const scripted_server& server) {
  auto baton = program("baton");
  return {"BATON_SERVER=" + server.url(), "HOME=/nonexistent",
          "PATH=" + baton.substr(0, baton.rfind('/')) + ":/usr/bin:/bin"};
}

cli_process client(const scripted_server& server, words args) {
  return cli_process{std::move(args), environment(server)};
}

/// `baton run FLAGS -- true`.
words run_line(words flags) {
  flags.insert(flags.begin(), "run");
  flags.insert(flags.end(), {"--", "true"});
  return flags;
}

struct told {
  int exit = 0;
  std::string line;
};

/// What a command line that never reaches a daemon is told.
told refusal(const words& args) {
  scripted_server server{
    "", [](const seen_request&, const peer& p) { p.answer(500, "{}"); }};
  auto baton = client(server, args);
  told out;
  out.exit = baton.wait();
  out.line = baton.err();
  BOOST_TEST(server.seen().empty(), out.line);
  BOOST_TEST(std::count(out.line.begin(), out.line.end(), '\n') == 1, out.line);
  return out;
}

/// What is told when the daemon answers a create with `error`.
std::string told_after(const std::string& error) {
  scripted_server server{"", [&](const seen_request&, const peer& p) {
                           p.answer(400, "{\"error\":" + error + "}");
                         }};
  auto baton = client(server, run_line({}));
  BOOST_TEST(baton.wait() == 125);
  return baton.err();
}

std::string output_of(const words& args) {
  cli_process baton{args, {}};
  BOOST_TEST(baton.wait() == 0);
  return baton.out();
}

/// The words that bash offers at the end of `line`.
std::string offered(const scripted_server& server, const std::string& line) {
  process bash{{"/bin/bash", "-c",
                "eval \"$(baton completion bash)\"; COMP_WORDS=(" + line
                  + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _baton; echo "
                    "\"${COMPREPLY[*]}\""},
               {.env = environment(server)}};
  BOOST_TEST(bash.wait(20s).exit == 0, bash.err());
  return bash.out();
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_baton_usage)

BOOST_AUTO_TEST_CASE(reuse_without_a_thread_is_refused_before_it_is_sent) {
  auto got = refusal(run_line({"--reuse"}));
  // Every other code may be the agent's.
  BOOST_TEST(got.exit == 125);
  BOOST_TEST(contains(got.line, "--reuse"));
  BOOST_TEST(contains(got.line, "--thread"));
}

BOOST_AUTO_TEST_CASE(names_that_no_environment_has_are_refused) {
  for (std::string name : {"A B=c", "A B", "1A=c", "A-B=c", "=c", ""}) {
    auto got = refusal(run_line({"-e", name}));
    BOOST_TEST(got.exit == 125);
    BOOST_TEST(contains(got.line, "--env"), got.line);
  }
}

BOOST_AUTO_TEST_CASE(secrets_with_names_that_programs_obey_are_refused) {
  for (std::string name : {"A B", "1A", "PATH", "LD_PRELOAD", "BATON_TOKEN"}) {
    scripted_server server{
      "", [](const seen_request&, const peer& p) { p.answer(500, "{}"); }};
    auto baton = client(server, run_line({"--secret", name + "=env:GEHEIM"}));
    BOOST_TEST(baton.wait() == 125, name);
    BOOST_TEST(contains(baton.err(), "--secret"), baton.err());
    BOOST_TEST(contains(baton.err(), "'" + name + "'"), baton.err());
    BOOST_TEST(server.seen().empty(), baton.err());
  }
}

BOOST_AUTO_TEST_CASE(the_network_is_switched_off_by_a_flag) {
  scripted_server server{
    "", [](const seen_request&, const peer& p) { p.answer(400, "{}"); }};
  client(server, run_line({"--sandbox", "bwrap", "--network", "off"})).wait();
  BOOST_TEST_REQUIRE(server.seen().size() == 1u);
  BOOST_TEST(contains(server.seen()[0].body,
                      R"("sandbox":{"provider":"bwrap","network":false})"));
  client(server, run_line({"--network", "on"})).wait();
  BOOST_TEST(contains(server.seen()[1].body, R"("sandbox":{"network":true})"));

  auto in_local = refusal(run_line({"--network", "off"}));
  BOOST_TEST(contains(in_local.line, "--sandbox bwrap"));
  auto neither = refusal(run_line({"--network", "maybe"}));
  BOOST_TEST(neither.exit == 125);
  BOOST_TEST(contains(neither.line, "on or off"));
}

BOOST_AUTO_TEST_CASE(help_of_a_command_is_its_help) {
  BOOST_TEST(output_of({"help"}) == output_of({"--help"}));
  BOOST_TEST(output_of({"help", "run"}) == output_of({"run", "--help"}));
  BOOST_TEST(output_of({"help", "sandboxes", "rm"})
             == output_of({"sandboxes", "rm", "--help"}));
  BOOST_TEST(contains(output_of({"--help"}), "help"));
  auto none = refusal({"help", "nope"});
  BOOST_TEST(none.exit == 2);
  BOOST_TEST(contains(none.line, "'nope' is not a command"));
}

BOOST_AUTO_TEST_CASE(a_slip_is_told_with_what_was_meant) {
  struct row {
    words line;
    std::string meant;
  };
  for (const auto& x :
       {row{{"run", "--workspac", "x", "--", "c"}, "--workspace?"},
        row{{"run", "--detatch", "--", "c"}, "--detach?"},
        row{{"run", "-d", "--env", "A=1", "--thred=t", "--", "c"}, "--thread?"},
        row{{"logs", "--folow", "r"}, "--follow?"},
        row{{"ps", "--sevrer", "u"}, "--server?"},
        row{{"--no-autostrat", "ps"}, "--no-autostart?"}, row{{"psx"}, "ps?"},
        row{{"sandbox"}, "sandboxes?"}, row{{"stauts"}, "status?"}}) {
    auto got = refusal(x.line);
    BOOST_TEST(got.exit == (x.line[0] == "run" ? 125 : 2));
    BOOST_TEST(contains(got.line, "did you mean " + x.meant), got.line);
    BOOST_TEST(contains(got.line, "--help"), got.line);
  }
  for (const auto& line : {words{"ps", "--frobnicate"}, words{"frobnicate"}}) {
    auto got = refusal(line).line;
    BOOST_TEST(contains(got, "'" + line.back() + "' is not"), got);
    BOOST_TEST(!contains(got, "did you mean"), got);
  }
  BOOST_TEST(
    contains(refusal({"run", "echo", "--nope"}).line, "put -- before"));
}

BOOST_AUTO_TEST_CASE(complaints_of_the_daemon_name_the_flags) {
  auto field = [](const std::string& name) {
    return told_after(R"({"code":"malformed","message":"field ')" + name
                      + R"(' is wrong","field":")" + name + R"("})");
  };
  BOOST_TEST(field("sandbox.workspace.source.git.url")
             == "baton: run: --workspace is wrong\n");
  BOOST_TEST(field("sandbox.workspace.setup[1]")
             == "baton: run: --setup number 2 is wrong\n");
  BOOST_TEST(field("sandbox.workspace.secrets.KEY.file")
             == "baton: run: --secret KEY is wrong\n");
  BOOST_TEST(field("node") == "baton: run: --node is wrong\n");
  BOOST_TEST(field("sandbox") == "baton: run: --sandbox is wrong\n");
  // One that no flag sets stays what it is.
  BOOST_TEST(field("sandbox.tenant")
             == "baton: run: field 'sandbox.tenant' is wrong\n");
}

BOOST_AUTO_TEST_CASE(what_differs_from_the_run_of_that_id_is_told_as_flags) {
  auto line = told_after(
    R"({"code":"run_id_reused","message":"run 'r' exists with another cwd, )"
    R"(sandbox.workspace.setup, sandbox.network; pick another id",)"
    R"("differs":"cwd, sandbox.workspace.setup, sandbox.network"})");
  BOOST_TEST(line
             == "baton: run: run 'r' exists with another working directory "
                "(--cwd), --setup and --network; give another --id\n");
}

BOOST_AUTO_TEST_CASE(bash_offers_nodes_keys_and_sub_verbs_and_no_half_values) {
  scripted_server server{
    "", [](const seen_request& r, const peer& p) {
      if (contains(r.target, "sandboxes"))
        return p.answer(200,
                        R"({"sandboxes":[{"key":"abc1"},{"key":"def2"}]})");
      p.answer(200, R"({"nodes":[{"node_id":"w1"},{"node_id":"v2"}]})");
    }};
  BOOST_TEST(offered(server, "baton run --secret ''") == "\n");
  BOOST_TEST(offered(server, "baton run --node ''") == "w1 v2\n");
  BOOST_TEST(offered(server, "baton takeover --node w") == "w1\n");
  BOOST_TEST(offered(server, "baton run --network ''") == "on off\n");
  BOOST_TEST(offered(server, "baton sandboxes ''") == "rm\n");
  BOOST_TEST(offered(server, "baton sandboxes rm ''") == "abc1 def2\n");
  BOOST_TEST(offered(server, "baton sandboxes rm d") == "def2\n");
  BOOST_TEST(contains(offered(server, "baton sandboxes --"), "--json"));
  BOOST_TEST(offered(server, "baton help tak") == "takeover\n");
}

BOOST_AUTO_TEST_SUITE_END()
