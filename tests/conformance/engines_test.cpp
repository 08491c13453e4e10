// SPDX-License-Identifier: MIT
// Goal: our engines keep the contract. Method: the conformance kits.
#include "storage/instance_store.hpp"
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

class memory_instances : public instance_store_maker {
public:
  std::unique_ptr<instance_store> make() override {
    return std::make_unique<memory_instance_store>();
  }
  std::unique_ptr<instance_store>
  crash(std::unique_ptr<instance_store> dying) override {
    return dying;
  }
};

class rocksdb_instances : public instance_store_maker {
public:
  std::unique_ptr<instance_store> make() override { return open("0"); }
  std::unique_ptr<instance_store>
  crash(std::unique_ptr<instance_store> dying) override {
    auto copy = std::to_string(++count_);
    std::filesystem::copy(dir_ / std::to_string(count_ - 1), dir_ / copy,
                          std::filesystem::copy_options::recursive);
    dying.reset();
    return open(copy);
  }

private:
  std::unique_ptr<instance_store> open(const std::string& name) {
    rocksdb_options options;
    options.path = dir_ / name;
    return std::make_unique<rocksdb_instance_store>(
      rocksdb_database::open(options).value());
  }

  temp_dir dir_;
  int count_ = 0;
};

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

BOOST_AUTO_TEST_CASE(the_memory_instance_store_conforms) {
  memory_instances maker;
  require_none(check_instance_store(maker));
}

BOOST_AUTO_TEST_CASE(the_rocksdb_instance_store_conforms) {
  rocksdb_instances maker;
  require_none(check_instance_store(maker));
}

BOOST_AUTO_TEST_SUITE_END()
