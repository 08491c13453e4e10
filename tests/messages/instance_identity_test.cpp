// SPDX-License-Identifier: MIT
// Goal: one key for one sandbox, another key when any part changes (E4).
#include "messages/instance_identity.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace baton;

namespace {

const instance_identity base{thread_id{"t"}, std::nullopt, "s",
                             "local",        "w",          "tenant"};

} // namespace

BOOST_AUTO_TEST_SUITE(messages_instance_identity)

BOOST_AUTO_TEST_CASE(changing_any_part_gives_another_key) {
  std::vector<instance_identity> all(8, base);
  all[1].thread = thread_id{"u"};
  all[2].run = run_id{"r"};
  all[3].run = run_id{"null"};
  all[4].sandbox_id = "x";
  all[5].provider = "bwrap";
  all[6].workspace_hash = "";
  all[7].tenant = "other";

  std::set<std::string> keys;
  for (const auto& x : all) {
    keys.insert(key_of(x).str());
    BOOST_TEST(key_of(x).str().size() == 64u);
  }

  BOOST_TEST(keys.size() == all.size());
}

BOOST_AUTO_TEST_CASE(parts_cannot_be_moved_from_one_field_to_another) {
  auto a = base, b = base;
  a.tenant = "x\",\"thread\":\"y";
  a.thread = thread_id{"z"};
  b.tenant = "x";
  b.thread = thread_id{"y\",\"thread\":\"z"};

  BOOST_TEST((key_of(a) != key_of(b)));
}

BOOST_AUTO_TEST_CASE(the_key_of_an_identity_never_changes) {
  BOOST_TEST(
    key_of(base).str()
    == "9c824af6ec8361c3f96d8fd10c30c911c228f1f20200e3254c7edca34a7897d5");
}

BOOST_AUTO_TEST_CASE(a_workspace_is_the_same_whatever_its_secrets) {
  auto plain = workspace_hash("{\"source\":\"git\",\"setup\":[\"a\"]}").value();

  BOOST_TEST(workspace_hash("{ \"setup\":[\"a\"], \"source\":\"git\","
                            "\"secrets\":{\"K\":\"v\"}}")
               .value()
             == plain);
  BOOST_TEST(workspace_hash("{\"source\":\"git\",\"setup\":[\"b\"]}").value()
             != plain);
  for (auto text : {"", "[]", "1", "{", "null"})
    BOOST_TEST(!workspace_hash(text).ok());
}

BOOST_AUTO_TEST_SUITE_END()
