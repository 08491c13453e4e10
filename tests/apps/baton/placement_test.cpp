// SPDX-License-Identifier: MIT
// A run waits for a node only while it goes on and nobody has it; what it asked
// for and who is there stand side by side.
#include "apps/baton/placement.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

using namespace baton::cli;

namespace {

boost::json::object record(const std::string& more) {
  auto text = R"({"run_id":"r","sandbox":{"provider":"local"})" + more + "}";
  return boost::json::parse(text).as_object();
}

std::string text_with(std::size_t nodes) {
  boost::json::array list;
  for (std::size_t i = 0; i < nodes; ++i)
    list.push_back(boost::json::object{{"node_id", "n" + std::to_string(i)},
                                       {"state", "live"}});
  return waiting_text(record(R"(,"waiting":"node")"), "", list);
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_baton_placement)

BOOST_AUTO_TEST_CASE(what_a_run_waits_for_is_what_its_record_says) {
  BOOST_TEST(!waits(record("")));
  BOOST_TEST(what_it_waits_for(record("")).empty());
  auto for_node = record(R"(,"waiting":"node")");
  BOOST_TEST(waits(for_node));
  BOOST_TEST(what_it_waits_for(for_node) == "for a node");
  auto for_sandbox = record(R"(,"waiting":"sandbox")");
  BOOST_TEST(waits(for_sandbox));
  BOOST_TEST(waiting_text(for_sandbox, "", {})
             == "r waits for its thread's old sandbox to go (see it with: "
                "baton sandboxes; give the run up with: baton cancel r)");
}

BOOST_AUTO_TEST_CASE(the_nodes_that_are_there_are_named_up_to_eight) {
  BOOST_TEST(text_with(0)
             == "r waits for a node that is eligible (asked: sandbox local; "
                "none connected; give it up with: baton cancel r)");
  BOOST_TEST(text_with(2).find("; connected: n0, n1;") != std::string::npos);
  BOOST_TEST(text_with(8).find("n6, n7;") != std::string::npos);
  BOOST_TEST(text_with(11).find("n7 and 3 more;") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
