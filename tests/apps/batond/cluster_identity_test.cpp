// SPDX-License-Identifier: MIT
// Goal: no directory is ever taken for another cluster's, nor a worker's for
// the coordinator's. Method: real directories, each pair of roles.
#include "apps/batond/cluster_identity.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace baton;

namespace {

struct folder {
  folder() {
    char name[] = "/tmp/baton-cluster-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~folder() { std::filesystem::remove_all(path); }

  void make_store() const {
    std::filesystem::create_directory(path + "/store");
  }

  std::string path;
};

std::string become_coordinator(const folder& x) {
  auto id = coordinator_cluster(x.path, system_environment());
  BOOST_REQUIRE(id.ok());
  x.make_store();
  BOOST_REQUIRE(keep_coordinator_cluster(x.path, *id).ok());
  return *id;
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_batond_cluster_identity)

BOOST_FIXTURE_TEST_CASE(a_coordinator_keeps_its_cluster, folder) {
  auto id = become_coordinator(*this);

  BOOST_TEST(id.size() == 16);
  BOOST_TEST(coordinator_cluster(path, system_environment()).value() == id);
}

BOOST_FIXTURE_TEST_CASE(two_coordinators_have_two_clusters, folder) {
  folder other;
  BOOST_TEST(become_coordinator(*this) != become_coordinator(other));
}

BOOST_FIXTURE_TEST_CASE(a_worker_joins_one_cluster_and_no_other, folder) {
  BOOST_TEST(join_cluster(path, "aa").ok());
  BOOST_TEST(join_cluster(path, "aa").ok());

  BOOST_TEST((join_cluster(path, "bb").code == errc::foreign_data));
}

BOOST_FIXTURE_TEST_CASE(a_workers_directory_is_no_coordinators, folder) {
  BOOST_REQUIRE(join_cluster(path, "aa").ok());

  auto got = coordinator_cluster(path, system_environment());

  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::foreign_data));
}

BOOST_FIXTURE_TEST_CASE(a_coordinators_directory_is_no_workers, folder) {
  auto id = become_coordinator(*this);

  BOOST_TEST((join_cluster(path, id).code == errc::foreign_data));
}

BOOST_FIXTURE_TEST_CASE(a_store_without_identity_is_a_coordinators, folder) {
  make_store();

  BOOST_TEST((join_cluster(path, "aa").code == errc::foreign_data));
  BOOST_TEST(coordinator_cluster(path, system_environment()).ok());
}

BOOST_FIXTURE_TEST_CASE(a_cluster_whose_store_is_gone_does_not_start_anew,
                        folder) {
  become_coordinator(*this);
  std::filesystem::remove(path + "/store");

  auto got = coordinator_cluster(path, system_environment());

  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::foreign_data));
}

BOOST_FIXTURE_TEST_CASE(a_start_that_died_before_its_store_starts_again,
                        folder) {
  BOOST_REQUIRE(coordinator_cluster(path, system_environment()).ok());

  BOOST_TEST(coordinator_cluster(path, system_environment()).ok());
}

BOOST_FIXTURE_TEST_CASE(a_garbled_identity_is_refused, folder) {
  std::ofstream{path + "/cluster"} << "nonsense\n";

  BOOST_TEST((join_cluster(path, "aa").code == errc::foreign_data));
  BOOST_TEST(!coordinator_cluster(path, system_environment()).ok());
}

BOOST_AUTO_TEST_SUITE_END()
