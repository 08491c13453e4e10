// SPDX-License-Identifier: MIT
// Goal: the decision who makes a shared workspace and who goes on with it, and
// the lock that makes it true (E5, I10). Method: every state of the decision;
// real locks in several open files, which count as several shims.
#include "actors/sandbox/shared_instance.hpp"

#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;

struct world {
  test::temporary_folder folder;
  instance_place place{folder / "instances", "k1"};

  bool opens(instance_lock& lock, lock_mode mode) {
    return lock.open(place, true) == 0 && lock.take(mode);
  }

  void put(const std::string& leaf, const std::string& content) {
    fs::create_directories(place.directory());
    std::ofstream{place.directory() + "/" + leaf} << content;
  }
};

BOOST_FIXTURE_TEST_SUITE(sandbox_shared_instance, world)

BOOST_AUTO_TEST_CASE(the_next_step_of_every_state) {
  using enum lock_mode;
  using step = instance_step;
  struct row {
    instance_view seen;
    step expected;
  };
  for (const auto& [seen, expected] : std::vector<row>{
         {{none, false, false}, step::own},
         {{none, false, true}, step::own},
         {{none, true, false}, step::own},
         {{none, true, true}, step::share},
         {{shared, false, false}, step::own},
         {{shared, false, true}, step::own},
         {{shared, true, false}, step::own},
         {{shared, true, true}, step::resume},
         {{exclusive, false, false}, step::bootstrap},
         {{exclusive, false, true}, step::bootstrap},
         {{exclusive, true, false}, step::bootstrap},
         {{exclusive, true, true}, step::resume},
       })
    BOOST_TEST((next_step(seen) == expected));
}

BOOST_AUTO_TEST_CASE(only_a_whole_workspace_of_that_hash_is_ready) {
  BOOST_TEST(!look_at(place, lock_mode::none, "ff").is_ready);
  put("ready", ready_text("ff"));
  BOOST_TEST(look_at(place, lock_mode::none, "ff").is_ready);
  BOOST_TEST(!look_at(place, lock_mode::none, "f").is_ready);
  put("ready", ready_text("ff").substr(0, 20));
  BOOST_TEST(!look_at(place, lock_mode::none, "ff").is_ready);
}

BOOST_AUTO_TEST_CASE(a_link_in_place_of_the_workspace_is_not_usable) {
  put("x", "");
  fs::create_directory(folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", place.file("work"));
  BOOST_TEST(!look_at(place, lock_mode::none, "").is_usable);
  fs::remove(place.file("work"));
  fs::create_directory(place.file("work"));
  BOOST_TEST(look_at(place, lock_mode::none, "").is_usable);
}

BOOST_AUTO_TEST_CASE(one_makes_it_while_many_may_live_in_it) {
  instance_lock a, b, c;
  BOOST_TEST(opens(a, lock_mode::exclusive));
  BOOST_TEST(!opens(b, lock_mode::exclusive));
  BOOST_TEST(!opens(b, lock_mode::shared));
  BOOST_TEST(a.take(lock_mode::shared));
  BOOST_TEST(opens(b, lock_mode::shared));
  BOOST_TEST(opens(c, lock_mode::shared));
  c.let_go();
  BOOST_TEST(!opens(c, lock_mode::exclusive));
  a.let_go();
  b.let_go();
  BOOST_TEST(opens(c, lock_mode::exclusive));
}

BOOST_AUTO_TEST_CASE(a_lock_on_what_was_removed_is_none) {
  instance_lock owner, late;
  BOOST_TEST(opens(owner, lock_mode::exclusive));
  BOOST_TEST(late.open(place, true) == 0);

  BOOST_TEST(discard(place) == 0);
  owner.let_go();

  BOOST_TEST(!late.take(lock_mode::shared));
  BOOST_TEST((late.held() == lock_mode::none));
  BOOST_TEST(opens(late, lock_mode::exclusive));
}

BOOST_AUTO_TEST_CASE(what_was_not_removed_at_once_is_listed_and_goes_later) {
  put("file", "");
  fs::rename(place.directory(), place.folder + "/.k1.gone-7-7-7");
  fs::create_directory(place.folder + "/k0");

  BOOST_TEST(instances_in(place.folder)
               == (std::vector<std::string>{"k0", "k1"}),
             boost::test_tools::per_element());
  BOOST_TEST(remove_discarded(place) == 0);
  BOOST_TEST(instances_in(place.folder) == (std::vector<std::string>{"k0"}),
             boost::test_tools::per_element());
  BOOST_TEST(instances_in(folder / "none").empty());
}

BOOST_AUTO_TEST_CASE(only_paths_of_instances_are_taken) {
  for (auto id : {"/r/instances/k", "/r/s/instances/k"})
    BOOST_TEST(parse_instance_id(id).has_value(), id);
  for (auto id : {"", "/", "/r/instances", "/r/instances/", "/r/k",
                  "/instances/k", "r/instances/k", "/r/instances/.k",
                  "/r/instances/../k", "/r/other/k", "/r/instances/a/b"})
    BOOST_TEST(!parse_instance_id(id).has_value(), id);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
