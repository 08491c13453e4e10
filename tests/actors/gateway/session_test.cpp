// SPDX-License-Identifier: MIT
// HTTP itself, hostile clients included: limits, deadlines, garbage.
#include "tests/actors/gateway/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace baton;
using namespace baton::http::test;

BOOST_FIXTURE_TEST_SUITE(gateway_protocol, node_fixture)

BOOST_AUTO_TEST_CASE(pipelined_requests_are_answered_in_order) {
  client c{port()};
  c.send(request("GET", "/livez") + request("GET", "/nothing")
         + request("POST", "/v1/runs", R"({"external":true})")
         + request("GET", "/livez"));
  BOOST_TEST(c.read().status == 200);
  BOOST_TEST(c.read().status == 404);
  BOOST_TEST(c.read().status == 201);
  BOOST_TEST(c.read().status == 200);
}

BOOST_AUTO_TEST_CASE(bytes_may_come_one_at_a_time_and_bodies_in_chunks) {
  client c{port()};
  auto text = request("GET", "/livez")
              + "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\n"
                "Transfer-Encoding: chunked\r\n\r\n"
                "9\r\n{\"externa\r\n8\r\nl\":true}\r\n0\r\n\r\n";
  for (char b : text)
    c.send({&b, 1});
  BOOST_TEST(c.read().status == 200);
  BOOST_TEST(c.read().status == 201);
}

BOOST_AUTO_TEST_CASE(a_client_that_expects_it_is_told_to_continue) {
  client c{port()};
  c.send("POST /v1/runs HTTP/1.1\r\nHost: localhost\r\n"
         "Expect: 100-continue\r\nContent-Length: 17\r\n\r\n");
  BOOST_TEST(c.read(nullptr, true).status == 100);
  c.send(R"({"external":true})");
  BOOST_TEST(c.read().status == 201);
}

BOOST_AUTO_TEST_CASE(bodies_over_16_mib_are_413_however_they_come) {
  start_run("x");
  auto head = std::string{"POST /v1/runs/x/entries HTTP/1.1\r\n"
                          "Host: localhost\r\nBaton-Epoch: 1\r\n"
                          "Baton-Seq: 1\r\n"};
  constexpr std::size_t limit = 16 * 1024 * 1024;
  std::string big(limit + 1, 'x');
  {
    client c{port()};
    c.send(head + "Content-Length: " + std::to_string(limit + 1) + "\r\n\r\n");
    c.send(big);
    auto r = c.read();
    BOOST_TEST(r.status == 413);
    BOOST_TEST(r.body.find("too_large") != r.body.npos);
  }
  {
    client c{port()};
    c.send(head + "Transfer-Encoding: chunked\r\n\r\n1000001\r\n");
    c.send(big);
    BOOST_TEST(c.read().status == 413);
  }
  {
    client c{port()};
    c.send(head + "Content-Length: " + std::to_string(limit) + "\r\n\r\n");
    big.resize(limit);
    c.send(big);
    BOOST_TEST(c.read().status == 200);
  }
}

BOOST_AUTO_TEST_CASE(too_many_headers_are_431_and_doubled_ones_400) {
  auto r = ask("GET", "/livez", "", "X: " + std::string(20'000, 'x') + "\r\n");
  BOOST_TEST(r.status == 431);
  BOOST_TEST(ask("GET", "/v1/runs/x/events", "",
                 "Last-Event-ID: 1\r\nLast-Event-ID: 2\r\n")
               .status
             == 400);
}

BOOST_AUTO_TEST_CASE(what_is_no_http_is_400_and_the_end) {
  for (auto text : {"GET\r\n\r\n", "\x16\x03\x01\x02", "GET / HTTP/9\r\n\r\n",
                    "GET /a b HTTP/1.1\r\n\r\n",
                    "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    client c{port()};
    c.send(text);
    c.shut_down_sending();
    auto r = c.read();
    BOOST_TEST((r.status == 400 || r.status == 0), text);
    BOOST_TEST(c.sees_end(std::chrono::seconds{5}));
  }
}

BOOST_AUTO_TEST_CASE(seeded_garbage_neither_ends_nor_hangs_the_server) {
  std::mt19937 random{3};
  start_run("x");
  std::string good =
    request("POST", "/v1/runs/x/entries", "a\nb\n",
            "Baton-Epoch: 1\r\nBaton-Seq: 1\r\nExpect: 100-continue\r\n")
    + request("GET", "/v1/runs/x/events?live=0&from=1");
  for (int i = 0; i < 300; ++i) {
    auto text = good;
    for (auto n = random() % 6 + 1; n > 0; --n)
      text[random() % text.size()] = static_cast<char>(random());
    if (i % 4 == 0)
      for (auto& b : text)
        b = static_cast<char>(random());
    text.resize(random() % text.size() + 1);
    client c{port()};
    c.send(text);
    c.shut_down_sending();
    BOOST_REQUIRE(c.sees_end(std::chrono::seconds{10}));
  }
  BOOST_TEST(ask("GET", "/livez").status == 200);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gateway_limits)

BOOST_AUTO_TEST_CASE(slow_and_silent_clients_are_let_go) {
  gateway_options options;
  options.header_timeout = std::chrono::milliseconds{100};
  options.body_timeout = std::chrono::milliseconds{100};
  options.idle_timeout = std::chrono::milliseconds{100};
  node_fixture node{options};
  for (auto text : {"", "GET /liv", "GET /livez HTTP/1.1\r\nHost: x\r\n",
                    "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\n"
                    "Content-Length: 9\r\n\r\n{"}) {
    client c{node.port()};
    c.send(text);
    BOOST_TEST(c.sees_end(std::chrono::seconds{10}), text);
  }
}

BOOST_AUTO_TEST_CASE(connections_over_the_limit_are_told_503) {
  gateway_options options;
  options.connections_max = 2;
  node_fixture node{options};
  {
    client a{node.port()};
    client b{node.port()};
    for (auto* c : {&a, &b}) {
      c->send(request("GET", "/livez"));
      BOOST_TEST(c->read().status == 200);
    }
    client third{node.port()};
    auto r = third.read();
    BOOST_TEST(r.status == 503);
    BOOST_TEST(r.headers.count("retry-after") == 1u);
  }
  BOOST_TEST(holds_soon([&] {
    client c{node.port()};
    c.send(request("GET", "/livez"));
    return c.read().status == 200;
  }));
}

BOOST_AUTO_TEST_CASE(stopping_ends_every_connection_and_is_idempotent) {
  node_fixture node;
  node.start_run("x");
  client idle{node.port()};
  client live{node.port()};
  live.send(request("GET", "/v1/runs/x/events"));
  BOOST_REQUIRE(
    holds_soon([&] { return node.metric("baton_http_streams_open") == 1; }));
  node.server().stop();
  node.server().stop();
  BOOST_TEST(live.sees_end(std::chrono::seconds{5}));
  BOOST_TEST(idle.sees_end(std::chrono::seconds{5}));
}

BOOST_AUTO_TEST_SUITE_END()
