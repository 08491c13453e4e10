// SPDX-License-Identifier: MIT
// Goal: every field that makes a create another request is named, and none
// that does not.
#include "messages/request_difference.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <utility>

using namespace baton;

namespace {

using change = std::function<void(run_spec&)>;

const std::vector<std::pair<std::string, change>>& changes() {
  using place = secret_reference::place;
  static const std::vector<std::pair<std::string, change>> all{
    {"command", [](auto& x) { x.command.argv = {"y"}; }},
    {"command", [](auto& x) { x.command.shell = true; }},
    {"cwd", [](auto& x) { x.cwd = "/"; }},
    {"env", [](auto& x) { x.env["K"] = "v"; }},
    {"stdin", [](auto& x) { x.stdin_bytes = "x"; }},
    {"external", [](auto& x) { x.external = true; }},
    {"sandbox.provider", [](auto& x) { x.sandbox.provider = "bwrap"; }},
    {"sandbox.reuse", [](auto& x) { x.sandbox.reuse = true; }},
    {"sandbox.keep_processes",
     [](auto& x) { x.sandbox.keep_processes = true; }},
    {"sandbox.network", [](auto& x) { x.sandbox.network = true; }},
    {"sandbox.destroy_on_complete",
     [](auto& x) { x.sandbox.destroy_on_complete = true; }},
    {"sandbox.tenant", [](auto& x) { x.sandbox.tenant = "t"; }},
    {"sandbox.workspace.source",
     [](auto& x) { x.sandbox.workspace.source = path_source{"/a"}; }},
    {"sandbox.workspace.install",
     [](auto& x) { x.sandbox.workspace.install = true; }},
    {"sandbox.workspace.setup",
     [](auto& x) { x.sandbox.workspace.setup = {{"a"}}; }},
    {"sandbox.workspace.scripts",
     [](auto& x) { x.sandbox.workspace.scripts["a"] = "b"; }},
    {"sandbox.workspace.secrets",
     [](auto& x) {
       x.sandbox.workspace.secrets["A"] = {place::env, "B"};
     }},
    {"sandbox.workspace.setup_timeout_ms",
     [](auto& x) { x.sandbox.workspace.setup_timeout_ms = 7; }},
  };
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_request_difference)

BOOST_AUTO_TEST_CASE(each_field_that_differs_is_named) {
  for (const auto& [field, apply] : changes()) {
    run_spec a;
    auto b = a;
    apply(b);
    BOOST_TEST(differing_fields(a, b) == std::vector<std::string>{field},
               boost::test_tools::per_element());
    BOOST_TEST(!same_request(a, b), field);
  }
}

BOOST_AUTO_TEST_CASE(a_retry_differs_in_nothing) {
  run_spec a;
  auto b = a;
  b.thread = thread_id{"other"};
  b.labels["k"] = "v";
  b.wanted_node = node_id{"n"};
  BOOST_TEST(same_request(a, b));
  BOOST_TEST(differing_fields(a, b).empty());
}

BOOST_AUTO_TEST_CASE(all_that_differs_is_named_in_the_order_of_a_request) {
  run_spec a;
  auto b = a;
  for (const auto& [field, apply] : changes())
    apply(b);
  auto found = differing_fields(a, b);
  // The command differs twice.
  BOOST_TEST(found.size() == changes().size() - 1);
  BOOST_TEST(found.front() == "command");
}

BOOST_AUTO_TEST_SUITE_END()
