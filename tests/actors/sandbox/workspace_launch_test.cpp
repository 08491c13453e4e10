// SPDX-License-Identifier: MIT
// Goal: a shim is told all of a workspace, and nothing when there is none.
#include "actors/sandbox/workspace_launch.hpp"

#include "messages/instance_identity.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::sandbox {
namespace {

using place = secret_reference::place;

launch_order with(const workspace_spec& spec) {
  launch_order out;
  out.workspace = std::make_shared<const workspace_spec>(spec);
  return out;
}

BOOST_AUTO_TEST_SUITE(sandbox_workspace_launch)

BOOST_AUTO_TEST_CASE(nothing_to_prepare_is_nothing_to_tell) {
  BOOST_TEST(!workspace_for_shim({}, {})->has_value());
  BOOST_TEST(!workspace_for_shim(with({}), {})->has_value());
}

BOOST_AUTO_TEST_CASE(a_shared_folder_is_entered_without_a_workspace_too) {
  launch_order x;
  x.where.shared_id = "/r/instances/k";

  auto got = workspace_for_shim(x, {});

  BOOST_REQUIRE((got.ok() && got->has_value()));
  BOOST_TEST((*got)->instance == "/r/instances/k");
  BOOST_TEST((*got)->hash == workspace_hash(definition_of({})).value());
}

BOOST_AUTO_TEST_CASE(every_part_arrives) {
  workspace_spec spec;
  spec.source = git_source{"https://h/r", "main", 4};
  spec.install = true;
  spec.setup = {{"a", "b"}};
  spec.scripts = {{"x", "y"}};
  spec.secrets = {{"K", {place::env, "FROM"}}};
  spec.setup_timeout_ms = 5;

  auto got = workspace_for_shim(with(spec), {{"FROM", "value"}});

  workspace_order expected;
  expected.git_url = "https://h/r";
  expected.git_ref = "main";
  expected.git_depth = 4;
  expected.install = true;
  expected.setup = {{"a", "b"}};
  expected.scripts = {"x", "y"};
  expected.secrets = {"K=value"};
  expected.timeout_ms = 5;
  expected.hash = workspace_hash(definition_of(spec)).value();
  BOOST_REQUIRE((got.ok() && got->has_value()));
  BOOST_TEST((**got == expected));

  spec.source = path_source{"/p"};
  BOOST_TEST(
    (*workspace_for_shim(with(spec), {{"FROM", "value"}}))->copied_folder
    == "/p");
  BOOST_TEST((workspace_for_shim(with(spec), {}).error().code
              == errc::workspace_failed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
