// SPDX-License-Identifier: MIT
// Answers on the wire: heads, errors, and the headers that go with them.
#include "actors/gateway/response.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http;

BOOST_AUTO_TEST_SUITE(gateway_response)

BOOST_AUTO_TEST_CASE(a_whole_answer) {
  response r;
  r.body = "{}\n";
  r.headers.emplace_back("Location", "/x");
  BOOST_TEST(render(r, {true, false})
             == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                "Content-Length: 3\r\nCache-Control: no-store\r\n"
                "X-Content-Type-Options: nosniff\r\nLocation: /x\r\n"
                "Connection: keep-alive\r\n\r\n{}\n");
  auto head = render(r, {false, true});
  BOOST_TEST(head.find("Content-Length: 3\r\n") != head.npos);
  BOOST_TEST(head.ends_with("Connection: close\r\n\r\n"));
}

BOOST_AUTO_TEST_CASE(every_code_is_told_with_its_status) {
  for (int i = 1; i < 256; ++i) {
    auto code = static_cast<errc>(i);
    if (to_string(code) == "malformed" && code != errc::malformed)
      continue;
    auto r = error_response(make_status(code, "why"));
    BOOST_TEST(r.http_status == http_status_of(code));
    BOOST_TEST(r.body.find(to_string(code)) != r.body.npos);
    bool later = r.http_status == 503 || r.http_status == 429;
    bool has_later = false;
    for (const auto& [name, value] : r.headers)
      has_later = has_later || name == "Retry-After";
    BOOST_TEST(has_later == later, to_string(code));
  }
}

BOOST_AUTO_TEST_SUITE_END()
