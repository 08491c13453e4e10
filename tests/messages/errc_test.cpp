// SPDX-License-Identifier: MIT
// Goal: the table of error codes is complete and its names are stable.
// Method: every value of the byte, and the rows that others rely on.
#include "messages/errc.hpp"
#include "messages/result.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace baton;

BOOST_AUTO_TEST_SUITE(messages_errc)

BOOST_AUTO_TEST_CASE(every_code_has_one_name_that_leads_back) {
  std::set<std::string> names;
  for (int value = 0; value <= static_cast<int>(errc::workspace_failed);
       ++value) {
    auto code = static_cast<errc>(value);
    auto name = std::string{to_string(code)};
    BOOST_TEST(!name.empty());
    BOOST_TEST(names.insert(name).second, name);
    BOOST_TEST((errc_from_string(name) == code));
    auto http = http_status_of(code);
    BOOST_TEST(((value == 0 && http == 200) || (http >= 400 && http < 600)),
               name);
  }
}

BOOST_AUTO_TEST_CASE(a_value_without_a_row_is_malformed_and_never_none) {
  for (int value = 200; value < 256; ++value) {
    auto code = static_cast<errc>(value);
    BOOST_TEST(to_string(code) == "malformed");
    BOOST_TEST(http_status_of(code) == 400);
  }
  for (auto name : {"", "Fenced", "fenced ", "no_such_code"})
    BOOST_TEST(!errc_from_string(name).has_value());
}

BOOST_AUTO_TEST_CASE(the_contract_of_the_http_api_holds) {
  for (auto code :
       {errc::fenced, errc::held, errc::gap, errc::mismatch, errc::terminal,
        errc::not_terminal, errc::not_external, errc::run_id_reused})
    BOOST_TEST(http_status_of(code) == 409);
  BOOST_TEST(http_status_of(errc::malformed) == 400);
  BOOST_TEST(http_status_of(errc::empty) == 400);
  BOOST_TEST(http_status_of(errc::unauthorized) == 401);
  BOOST_TEST(http_status_of(errc::unknown_run) == 404);
  BOOST_TEST(http_status_of(errc::not_found) == 404);
  BOOST_TEST(http_status_of(errc::method_not_allowed) == 405);
  BOOST_TEST(http_status_of(errc::trimmed) == 410);
  BOOST_TEST(http_status_of(errc::too_large) == 413);
  BOOST_TEST(http_status_of(errc::too_many) == 429);
  BOOST_TEST(http_status_of(errc::no_eligible_node) == 503);
  BOOST_TEST(http_status_of(errc::unavailable) == 503);
  BOOST_TEST(http_status_of(errc::journal_timeout) == 504);
}

BOOST_AUTO_TEST_CASE(only_fenced_stops_writing_and_it_is_never_unknown) {
  for (int value = 0; value <= static_cast<int>(errc::workspace_failed);
       ++value) {
    auto code = static_cast<errc>(value);
    BOOST_TEST((disposition_of(code) == disposition::stop_writing)
               == (code == errc::fenced));
  }
  BOOST_TEST((disposition_of(errc::timed_out) == disposition::outcome_unknown));
  BOOST_TEST(
    (disposition_of(errc::outcome_unknown) == disposition::outcome_unknown));
}

BOOST_AUTO_TEST_CASE(a_result_is_a_value_or_a_status_with_its_details) {
  result<int> value{7};
  result<int> error{make_status(errc::gap, "m").with("next_seq", 5u)};

  BOOST_TEST(value.ok());
  BOOST_TEST(*value == 7);
  BOOST_TEST(!error.ok());
  BOOST_TEST((error.error().code == errc::gap));
  BOOST_TEST(std::get<std::uint64_t>(error.error().details.at(0).value) == 5u);
}

BOOST_AUTO_TEST_SUITE_END()
