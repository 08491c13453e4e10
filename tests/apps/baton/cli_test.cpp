// SPDX-License-Identifier: MIT
// Goal: `baton` as its users meet it: outputs byte for byte, exit codes, and
// daemons that die in mid-sentence. Method: the built program against a
// scripted server.
#include "tests/apps/baton/cli_process.hpp"
#include "tests/apps/baton/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

using namespace baton::test;

namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool has_path(const seen_request& r, std::string_view path) {
  return r.target.substr(0, r.target.find('?')) == path;
}

std::string record(const std::string& more) {
  return R"({"run_id":"r1","thread_id":"t","command":["echo","a b"],)"
         R"("started_at":"2026-11-29T15:00:00.000Z","epoch":1,"entries":2,)"
         R"("viewers":0,"cancel_requested":false,"node":"n1",)"
         R"("sandbox":{"provider":"local"},"labels":{},)"
         + more + "}";
}

std::string ended(int exit_code, std::size_t position) {
  return record(R"("status":")"
                + std::string{exit_code == 0 ? "completed" : "failed"}
                + R"(","exit_code":)" + std::to_string(exit_code)
                + R"(,"position":)" + std::to_string(position));
}

std::string running(std::size_t position) {
  return record(R"("status":"running","position":)" + std::to_string(position));
}

/// Created, and no node has it.
std::string waiting() {
  return R"({"run_id":"r1","status":"running","position":0,)"
         R"("waiting":"node","cancel_requested":false,)"
         R"("sandbox":{"provider":"bwrap"}})";
}

std::size_t from_of(const seen_request& r) {
  auto at = r.target.find("from=");
  return at == std::string::npos ? 0 : std::stoul(r.target.substr(at + 5));
}

std::string error(const std::string& code, const std::string& message) {
  return R"({"error":{"code":")" + code + R"(","message":")" + message
         + R"("}})";
}

/// A client of a server on loopback, with an otherwise empty environment.
cli_process client(const scripted_server& server, std::vector<std::string> args,
                   const std::string& input = {}) {
  return cli_process{std::move(args),
                     {"BATON_SERVER=" + server.url(), "HOME=/nonexistent"},
                     input};
}

/// A run whose whole log is `log`; every journal connection breaks after
/// `piece` bytes.
script breaking_run(const std::string& log, std::size_t piece, int exit_code) {
  return [=](const seen_request& r, const peer& p) {
    if (r.method == "POST")
      return p.answer(201, running(0));
    if (has_path(r, "/v1/runs/r1"))
      return p.answer(200, ended(exit_code, log.size()));
    auto from = from_of(r);
    p.begin_stream("application/octet-stream");
    p.chunk(log.substr(from, piece));
    if (from + piece >= log.size())
      p.end_stream();
  };
}

std::string all_bytes() {
  std::string out;
  for (int i = 0; i < 4096; ++i)
    out += static_cast<char>(i * 7);
  return out + "no newline";
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_baton)

BOOST_AUTO_TEST_CASE(run_prints_the_bytes_and_exits_as_the_agent) {
  auto log = all_bytes();
  scripted_server server{"", breaking_run(log, 1 << 20, 7)};
  auto baton = client(server, {"run", "--id", "r1", "--", "agent", "-x"});

  BOOST_TEST(baton.wait() == 7);

  BOOST_TEST((baton.out() == log));
  auto create = server.seen().front();
  BOOST_TEST(create.target == "/v1/runs");
  BOOST_TEST(contains(create.body, R"("command":["agent","-x"])"));
  BOOST_TEST(contains(create.body, R"("cwd":"/)"));
}

BOOST_AUTO_TEST_CASE(a_stream_that_breaks_again_and_again_loses_no_byte) {
  auto log = all_bytes();
  scripted_server server{"", breaking_run(log, 1000, 0)};
  auto baton = client(server, {"run", "--id", "r1", "--", "agent"});

  BOOST_TEST(baton.wait() == 0);

  BOOST_TEST((baton.out() == log));
}

BOOST_AUTO_TEST_CASE(a_daemon_that_dies_is_waited_for_and_mentioned_once) {
  temp_dir dir;
  auto path = dir.path() + "/s";
  std::string log = "one\ntwo\nthree\n";
  std::optional<scripted_server> server;
  std::atomic<bool> may_die{false};
  server.emplace(path, [&](const seen_request& r, const peer& p) {
    if (r.method == "POST")
      return p.answer(201, running(0));
    if (from_of(r) != 0)
      return;
    p.begin_stream("application/octet-stream");
    p.chunk(log.substr(0, 5));
    wait_until([&] { return may_die.load(); });
  });
  cli_process baton{
    {"--server", "unix://" + path, "run", "--id", "r1", "--", "agent"}, {}};
  BOOST_TEST(wait_until([&] { return baton.out() == "one\nt"; }));
  may_die = true;
  server.reset();
  BOOST_TEST(wait_until([&] { return contains(baton.err(), "\n"); }));

  server.emplace(path, breaking_run(log, 1 << 20, 3));

  BOOST_TEST(baton.wait() == 3);
  BOOST_TEST(baton.out() == log);
  auto err = baton.err();
  auto first = err.find("waiting for the daemon");
  BOOST_TEST(first != std::string::npos, err);
  BOOST_TEST(err.find("waiting for the daemon", first + 1)
             == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_create_whose_answer_was_lost_is_sent_again_unchanged) {
  std::atomic<int> creates{0};
  scripted_server server{"", [&](const seen_request& r, const peer& p) {
                           if (r.method == "POST" && ++creates < 3)
                             return;
                           breaking_run("x\n", 9, 0)(r, p);
                         }};
  auto baton = client(server, {"run", "--", "agent"});

  BOOST_TEST(baton.wait() == 0);

  auto seen = server.seen();
  BOOST_TEST_REQUIRE(seen.size() > 3u);
  BOOST_TEST(contains(seen[0].body, R"("run_id":")"));
  BOOST_TEST(seen[0].body == seen[1].body);
  BOOST_TEST(seen[0].body == seen[2].body);
  BOOST_TEST(baton.err().empty(), baton.err());
}

BOOST_AUTO_TEST_CASE(a_stream_that_ends_before_the_run_is_not_the_end) {
  std::string log = "a\nb\n";
  std::atomic<int> records{0};
  scripted_server server{"", [&](const seen_request& r, const peer& p) {
                           if (has_path(r, "/v1/runs/r1") && ++records == 1)
                             return p.answer(200, running(2));
                           if (!has_path(r, "/v1/runs/r1/journal")
                               || from_of(r) != 0)
                             return breaking_run(log, 99, 0)(r, p);
                           p.begin_stream("application/octet-stream");
                           p.chunk("a\n");
                           p.end_stream();
                         }};
  auto baton = client(server, {"run", "--id", "r1", "--", "agent"});

  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(baton.out() == log);
}

BOOST_AUTO_TEST_CASE(ctrl_c_detaches_says_how_to_come_back_and_exits_130) {
  scripted_server server{"", [&](const seen_request& r, const peer& p) {
                           if (r.method == "POST")
                             return p.answer(201, running(0));
                           p.begin_stream("application/octet-stream");
                           p.chunk("hi\n");
                           p.wait_for_close();
                         }};
  auto baton = client(server, {"run", "--id", "r1", "--", "agent"});
  BOOST_TEST(wait_until([&] { return baton.out() == "hi\n"; }));

  baton.interrupt();

  BOOST_TEST(baton.wait() == 130);
  BOOST_TEST(contains(baton.err(), "baton attach r1"));
  for (auto& r : server.seen())
    BOOST_TEST(!contains(r.target, "cancel"));
}

BOOST_AUTO_TEST_CASE(a_second_ctrl_c_cancels) {
  scripted_server server{"", [&](const seen_request& r, const peer& p) {
                           if (contains(r.target, "/cancel"))
                             return p.answer(202, running(0));
                           if (r.method == "POST")
                             return p.answer(201, running(0));
                           p.begin_stream("application/octet-stream");
                           p.chunk("hi\n");
                           p.wait_for_close();
                         }};
  auto baton = client(server, {"run", "--id", "r1", "--", "agent"});
  BOOST_TEST(wait_until([&] { return baton.out() == "hi\n"; }));
  baton.interrupt();
  BOOST_TEST(wait_until([&] { return contains(baton.err(), "detached"); }));

  baton.interrupt();

  BOOST_TEST(baton.wait() == 130);
  BOOST_TEST(contains(baton.err(), "cancelled r1"));
  BOOST_TEST(server.seen().back().target == "/v1/runs/r1/cancel");
}

BOOST_AUTO_TEST_CASE(failures_without_an_exit_code_are_told_and_125) {
  scripted_server server{"", [&](const seen_request& r, const peer& p) {
                           if (has_path(r, "/v1/runs/r1"))
                             return p.answer(
                               200, record(R"("status":"failed","position":0,)"
                                           R"("error":{"code":"agent_lost",)"
                                           R"("message":"it is gone"})"));
                           breaking_run("", 1, 0)(r, p);
                         }};
  auto baton = client(server, {"run", "--id", "r1", "--", "agent"});

  BOOST_TEST(baton.wait() == 125);
  BOOST_TEST(baton.err() == "baton: run: r1 failed, agent_lost: it is gone\n");
}

BOOST_AUTO_TEST_CASE(batons_own_failures_of_run_are_125) {
  scripted_server server{"", [&](const seen_request&, const peer& p) {
                           p.answer(409, error("run_id_reused", "used"));
                         }};
  auto refused = client(server, {"run", "--id", "r1", "--", "agent"});
  BOOST_TEST(refused.wait() == 125);
  BOOST_TEST(refused.err() == "baton: run: used\n");

  auto no_command = client(server, {"run"});
  BOOST_TEST(no_command.wait() == 125);
  auto unreadable = client(server, {"run", "--stdin", "/none", "--", "a"});
  BOOST_TEST(unreadable.wait() == 125);
}

BOOST_AUTO_TEST_CASE(a_run_that_no_node_takes_says_once_what_it_waits_for) {
  std::atomic<bool> asked{false};
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (has_path(r, "/v1/nodes")) {
        asked = true;
        return p.answer(200, R"({"nodes":[{"node_id":"n1","state":"live"},)"
                             R"({"node_id":"n0","state":"gone"}]})");
      }
      if (!asked)
        return p.answer(r.method == "POST" ? 201 : 200, waiting());
      breaking_run("x\n", 9, 0)(r, p);
    }};
  auto baton = client(server, {"run", "--id", "r1", "--node", "n2", "--", "a"});

  BOOST_TEST(baton.wait() == 0);

  BOOST_TEST(baton.out() == "x\n");
  BOOST_TEST(baton.err()
             == "baton: run: r1 waits for a node that is eligible (asked: node "
                "n2, sandbox bwrap; connected: n1; give it up with: baton "
                "cancel r1)\n");

  asked = false;
  auto detached = client(server, {"run", "-d", "--id", "r1", "--", "a"});
  BOOST_TEST(detached.wait() == 0);
  BOOST_TEST(detached.out() == "r1\n");
  BOOST_TEST(contains(detached.err(), "(asked: sandbox bwrap; connected: n1;"));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_taken_a_moment_later_is_not_worth_a_word) {
  std::atomic<int> reads{0};
  scripted_server server{"", [&](const seen_request& r, const peer& p) {
                           if (r.method == "POST")
                             return p.answer(201, waiting());
                           if (has_path(r, "/v1/runs/r1") && ++reads == 1)
                             return p.answer(200, waiting());
                           if (has_path(r, "/v1/runs/r1") && reads == 2)
                             return p.answer(200, running(0));
                           breaking_run("x\n", 9, 0)(r, p);
                         }};
  auto baton = client(server, {"run", "--id", "r1", "--", "a"});

  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(baton.out() == "x\n");
  BOOST_TEST(baton.err().empty(), baton.err());
}

BOOST_AUTO_TEST_CASE(detach_prints_the_id_and_stdin_is_sent_whole) {
  scripted_server server{
    "", [&](const seen_request&, const peer& p) { p.answer(201, running(0)); }};
  auto baton = client(server, {"run", "-d", "--stdin", "-", "--", "agent"},
                      "two\nlines\n");

  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(baton.out() == "r1\n");
  BOOST_TEST(contains(server.seen().back().body, R"("stdin":"two\nlines\n")"));
}

BOOST_AUTO_TEST_CASE(entries_resume_behind_the_last_one_seen) {
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      p.begin_stream("text/event-stream");
      for (auto seq = from_of(r) + 1; seq <= 5; ++seq) {
        p.chunk("id: " + std::to_string(seq) + "\nevent: entry\ndata: {\"seq\":"
                + std::to_string(seq) + "}\n\n");
        if (seq == 2 || seq == 4) {
          // Half an event, then the connection breaks.
          p.chunk("id: " + std::to_string(seq + 1) + "\nevent: en");
          return;
        }
      }
      p.chunk("event: end\ndata: " + ended(0, 9) + "\n\n");
      p.wait_for_close();
    }};
  auto baton = client(server, {"logs", "-f", "--json", "r1"});

  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(baton.out()
             == "{\"seq\":1}\n{\"seq\":2}\n{\"seq\":3}\n{\"seq\":4}\n"
                "{\"seq\":5}\n");
}

BOOST_AUTO_TEST_CASE(a_gap_in_the_entries_is_an_error_and_not_skipped) {
  scripted_server server{"", [&](const seen_request&, const peer& p) {
                           p.begin_stream("text/event-stream");
                           p.chunk("id: 2\nevent: entry\ndata: {}\n\n");
                           p.end_stream();
                         }};
  auto baton = client(server, {"logs", "--json", "r1"});

  BOOST_TEST(baton.wait() == 125);
  BOOST_TEST(baton.out().empty());
  BOOST_TEST(contains(baton.err(), "gap"));
}

BOOST_AUTO_TEST_CASE(piped_logs_are_the_bytes_and_from_counts_entries) {
  std::string log = "aa\nbbb\n";
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (!has_path(r, "/v1/runs/r1/events"))
        return breaking_run(log, 99, 0)(r, p);
      p.begin_stream("text/event-stream");
      if (from_of(r) == 1)
        p.chunk("id: 2\nevent: entry\ndata: {\"seq\":2,\"begin\":3}\n\n");
      p.end_stream();
    }};
  auto all = client(server, {"logs", "r1"});
  BOOST_TEST(all.wait() == 0);
  BOOST_TEST(all.out() == log);

  auto rest = client(server, {"logs", "--from", "1", "r1"});
  BOOST_TEST(rest.wait() == 0);
  BOOST_TEST(rest.out() == "bbb\n");

  auto none = client(server, {"logs", "--from", "2", "--raw", "r1"});
  BOOST_TEST(none.wait() == 0);
  BOOST_TEST(none.out().empty());
}

BOOST_AUTO_TEST_CASE(a_reader_who_leaves_ends_logs_quietly) {
  scripted_server server{"", [&](const seen_request&, const peer& p) {
                           p.begin_stream("application/octet-stream");
                           for (int i = 0; i < 1000; ++i)
                             p.chunk(std::string(10'000, 'x') + "\n");
                           p.end_stream();
                         }};
  auto baton = client(server, {"logs", "-f", "r1"});
  BOOST_TEST(wait_until([&] { return !baton.out().empty(); }));
  baton.stop_reading();

  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(baton.err().empty(), baton.err());
}

BOOST_AUTO_TEST_CASE(unknown_runs_are_one_line_and_exit_1) {
  scripted_server server{"", [&](const seen_request&, const peer& p) {
                           p.answer(404, error("unknown_run", "run x: none"));
                         }};
  for (std::string verb :
       {"logs", "attach", "inspect", "cancel", "rm", "takeover"}) {
    auto baton = client(server, {verb, "x"});
    BOOST_TEST(baton.wait() == 1, verb);
    BOOST_TEST(baton.err() == "baton: " + verb + ": run x: none\n");
    BOOST_TEST(baton.out().empty());
  }
}

BOOST_AUTO_TEST_CASE(ids_reach_the_server_encoded) {
  scripted_server server{
    "", [&](const seen_request&, const peer& p) { p.answer(202, "{}"); }};
  auto baton = client(server, {"cancel", "../a b"});
  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(server.seen().back().target == "/v1/runs/..%2Fa%20b/cancel");
}

BOOST_AUTO_TEST_CASE(ps_is_a_plain_table_or_an_object_a_line_over_all_pages) {
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (contains(r.target, "status=interrupted"))
        return p.answer(200, R"({"runs":[]})");
      if (contains(r.target, "cursor=2"))
        return p.answer(200, R"({"runs":[)" + running(4) + "]}");
      p.answer(200, R"({"runs":[)" + running(2) + R"(],"next_cursor":"2"})");
    }};
  auto table = client(server, {"ps"});
  BOOST_TEST(table.wait() == 0);
  BOOST_TEST(contains(table.out(), "RUN   STATUS    NODE   EPOCH"));
  BOOST_TEST(contains(table.out(), "\nr1    running   n1"));
  BOOST_TEST(contains(table.out(), "echo 'a b'"));
  BOOST_TEST(!contains(table.out(), "\x1b"));

  auto json = client(server, {"ps", "--json"});
  BOOST_TEST(json.wait() == 0);
  auto text = json.out();
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 2);
  BOOST_TEST(text.starts_with(R"({"run_id":"r1")"));

  auto quiet = client(server, {"ps", "-q"});
  BOOST_TEST(quiet.wait() == 0);
  BOOST_TEST(quiet.out() == "r1\nr1\n");
}

BOOST_AUTO_TEST_CASE(inspect_shows_record_and_claim_history) {
  scripted_server server{"", [&](const seen_request& r, const peer& p) {
                           if (has_path(r, "/v1/runs/r1/claims"))
                             return p.answer(
                               200, R"({"claims":[{"epoch":1,"holder":"n1",)"
                                    R"("cause":"placement","first_seq":1,)"
                                    R"("at":"2026-11-29T15:00:00.000Z"}]})");
                           p.answer(200, ended(0, 9));
                         }};
  auto human = client(server, {"inspect", "r1"});
  BOOST_TEST(human.wait() == 0);
  BOOST_TEST(contains(human.out(), "completed, exit code 0"));
  BOOST_TEST(contains(human.out(), "1       n1       placement"));

  auto json = client(server, {"inspect", "--json", "r1"});
  BOOST_TEST(json.wait() == 0);
  BOOST_TEST(contains(json.out(), R"("claims":[{"epoch":1)"));
}

BOOST_AUTO_TEST_CASE(the_token_is_sent_and_a_missing_one_is_explained) {
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (contains(r.headers, "Authorization: Bearer s3cret\r\n"))
        return p.answer(200, R"({"nodes":[]})");
      p.answer(401, error("unauthorized", "no token"));
    }};
  auto without = client(server, {"nodes"});
  BOOST_TEST(without.wait() == 125);
  BOOST_TEST(contains(without.err(), "BATON_TOKEN"));

  cli_process with{{"nodes"},
                   {"BATON_SERVER=" + server.url(), "BATON_TOKEN=s3cret"}};
  BOOST_TEST(with.wait() == 0);
}

BOOST_AUTO_TEST_CASE(nobody_there_is_125_and_usage_is_2) {
  temp_dir dir;
  cli_process nobody{{"ps", "--server", "unix://" + dir.path() + "/none"}, {}};
  BOOST_TEST(nobody.wait() == 125);
  BOOST_TEST(contains(nobody.err(), "cannot reach unix://"));
  cli_process usage{{"ps", "--bad"}, {}};
  BOOST_TEST(usage.wait() == 2);
  cli_process bad_url{{"ps", "--server", "tcp:x"}, {}};
  BOOST_TEST(bad_url.wait() == 2);
  cli_process bare{{}, {}};
  BOOST_TEST(bare.wait() == 0);
  BOOST_TEST(contains(bare.out(), "Usage: baton"));
}

BOOST_AUTO_TEST_SUITE_END()
