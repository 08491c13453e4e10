// SPDX-License-Identifier: MIT
// Goal: our engines keep the contract. Method: the conformance kit.
#include "tests/conformance/store_makers.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

void require_none(const std::vector<std::string>& violations) {
  for (const auto& x : violations)
    BOOST_ERROR(x);
}

} // namespace

BOOST_AUTO_TEST_SUITE(engines)

BOOST_AUTO_TEST_CASE(the_memory_store_conforms) {
  memory_maker<memory_store> maker{
    [] { return std::make_unique<memory_store>(); }};
  require_none(check_store(maker));
}

BOOST_AUTO_TEST_CASE(the_rocksdb_store_conforms) {
  rocksdb_maker maker;
  require_none(check_store(maker));
}

BOOST_AUTO_TEST_SUITE_END()
