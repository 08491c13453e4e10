// SPDX-License-Identifier: MIT
// Goal: I4 over power loss: what was acknowledged is there, nothing is half
// there. Method: a scripted workload on a file system that knows what a power
// cut would leave; the disk's image is taken before and after every sync and
// rename, and each image is opened and compared with the script.
#include "storage/rocksdb_store.hpp"
#include "storage/run_script.hpp"
#include "storage/power_loss_fs.hpp"
#include "tests/storage/temp_dir.hpp"

#include <rocksdb/env.h>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <deque>
#include <functional>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

/// Small enough that the workload fills it several times: tables are written
/// and old write-ahead logs go away while images are taken.
constexpr std::size_t small_buffer = 64 << 10;

/// The runs that exist after a number of acknowledged calls.
using world = std::vector<run_script>;

struct workload {
  std::deque<run_script> runs;
  /// worlds[n]: after n calls.
  std::vector<world> worlds{world{}};

  void remember() { worlds.emplace_back(runs.begin(), runs.end()); }
};

void require_taken(store& s, const std::vector<commit>& batch,
                   std::vector<commit_outcome>* out = nullptr) {
  auto got = s.commit_all(batch);
  BOOST_REQUIRE(got.ok());
  for (const auto& x : *got)
    BOOST_REQUIRE(x.code == errc::none);
  if (out != nullptr)
    *out = *got;
}

/// Creates, claims, appends, finishes and removes. `call` runs one call; the
/// world after it is known before it begins.
void run_workload(store& s, workload& w, const std::function<void()>& acked) {
  std::uint64_t numbers = 0;
  auto call = [&](const std::function<void()>& f) {
    w.remember();
    f();
    acked();
  };
  for (auto round = 0; round < 6; ++round) {
    auto name = std::to_string(round);
    w.runs.emplace_back("a" + name);
    w.runs.emplace_back("b" + name);
    auto& a = w.runs[w.runs.size() - 2];
    auto& b = w.runs.back();
    std::vector<commit> batch{a.create(), b.create(), a.claim("n")};
    a.numbered(run_no{++numbers});
    b.numbered(run_no{++numbers});
    call([&] { require_taken(s, batch); });
    for (auto step = 0; step < 6; ++step) {
      BOOST_REQUIRE(s.save_uptime_ms(numbers).ok());
      batch = {a.append(8, 1200), b.append(2, 300)};
      call([&] { require_taken(s, batch); });
      batch = {b.claim("m"), b.append(1, 3000), b.append(3, 10)};
      call([&] { require_taken(s, batch); });
    }
    batch = {a.append(1, 77), a.finish()};
    call([&] { require_taken(s, batch); });
    if (round % 2 == 1) {
      auto i = w.runs.end() - 2;
      auto id = i->id();
      auto version = i->record().state.version;
      w.runs.erase(i);
      call([&] { BOOST_REQUIRE(s.remove(id, version).ok()); });
    }
  }
}

std::vector<std::string> differences_of(const store& s, const world& wanted) {
  std::vector<std::string> out;
  auto runs = s.list({});
  if (!runs)
    return {"list: " + runs.error().message};
  if (runs->size() != wanted.size())
    out.push_back(std::to_string(runs->size()) + " runs, expected "
                  + std::to_string(wanted.size()));
  for (const auto& run : wanted)
    for (const auto& x : differences(s, run))
      out.push_back(x);
  return out;
}

struct disk_image {
  std::string path;
  /// Calls that had been acknowledged when the power went.
  std::size_t acked = 0;
};

/// An image holds the world after all acknowledged calls, and the call under
/// way wholly or not at all.
void check_image(const disk_image& x, const workload& w) {
  // Its syncs cost nothing.
  auto env = rocksdb::NewCompositeEnv(std::make_shared<power_loss_fs>());
  rocksdb_options options;
  options.path = x.path;
  options.env = env.get();
  auto opened = rocksdb_store::open(options);
  if (!opened) {
    BOOST_ERROR(x.path << ": " << opened.error().message);
    return;
  }
  auto without = differences_of(**opened, w.worlds.at(x.acked));
  if (without.empty())
    return;
  if (x.acked + 1 < w.worlds.size()
      && differences_of(**opened, w.worlds[x.acked + 1]).empty())
    return;
  for (const auto& d : without)
    BOOST_ERROR(x.path << " after " << x.acked << " calls: " << d);
}

bool has_table(const std::string& path) {
  for (const auto& x : std::filesystem::directory_iterator{path})
    if (x.path().extension() == ".sst")
      return true;
  return false;
}

void cut_everywhere(unsynced how) {
  temp_dir dir;
  auto fs = std::make_shared<power_loss_fs>();
  auto env = rocksdb::NewCompositeEnv(fs);
  rocksdb_options options;
  options.path = dir / "store";
  options.env = env.get();
  options.write_buffer_bytes = small_buffer;
  std::atomic<std::size_t> acked{0};
  std::vector<disk_image> images;
  std::uint64_t last_generation = UINT64_MAX;
  fs->observe([&] {
    if (fs->generation_locked() == last_generation)
      return;
    last_generation = fs->generation_locked();
    auto path = dir / ("image-" + std::to_string(images.size()));
    fs->image_locked(options.path, path, how);
    images.push_back({path, acked});
  });
  workload w;

  {
    auto s = rocksdb_store::open(options);
    BOOST_REQUIRE(s.ok());
    run_workload(**s, w, [&] { ++acked; });
  }

  BOOST_TEST_MESSAGE(images.size() << " images, " << fs->syncs() << " syncs");
  BOOST_TEST(fs->syncs() > w.worlds.size());
  BOOST_TEST(images.size() > 100U);
  BOOST_TEST(has_table(images.back().path));
  for (const auto& x : images)
    check_image(x, w);
}

} // namespace

BOOST_AUTO_TEST_SUITE(power_loss)

BOOST_AUTO_TEST_CASE(a_cut_that_drops_unsynced_bytes_loses_nothing) {
  cut_everywhere(unsynced::dropped);
}

BOOST_AUTO_TEST_CASE(a_cut_that_tears_unsynced_bytes_loses_nothing) {
  cut_everywhere(unsynced::half_kept);
}

BOOST_AUTO_TEST_CASE(a_cut_that_leaves_zeros_loses_nothing) {
  cut_everywhere(unsynced::zeroed);
}

BOOST_AUTO_TEST_CASE(a_kill_loses_nothing) {
  cut_everywhere(unsynced::kept);
}

BOOST_AUTO_TEST_CASE(the_file_system_forgets_what_was_never_synced) {
  temp_dir dir;
  power_loss_fs fs;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  std::filesystem::create_directories(dir / "d");
  BOOST_REQUIRE(fs.NewWritableFile(dir / "d/f", {}, &file, nullptr).ok());
  BOOST_REQUIRE(fs.NewDirectory(dir / "d", {}, &directory, nullptr).ok());
  BOOST_REQUIRE(file->Append("kept", {}, nullptr).ok());
  BOOST_REQUIRE(file->Sync({}, nullptr).ok());
  BOOST_REQUIRE(file->Append("lost", {}, nullptr).ok());

  fs.image(dir / "d", dir / "1", unsynced::dropped);
  BOOST_REQUIRE(directory->Fsync({}, nullptr).ok());
  fs.image(dir / "d", dir / "2", unsynced::dropped);
  BOOST_REQUIRE(fs.RenameFile(dir / "d/f", dir / "d/g", {}, nullptr).ok());
  fs.image(dir / "d", dir / "3", unsynced::dropped);

  BOOST_TEST(!std::filesystem::exists(dir / "1/f"));
  BOOST_TEST(std::filesystem::file_size(dir / "2/f") == 4U);
  BOOST_TEST(std::filesystem::exists(dir / "3/f"));
  BOOST_TEST(!std::filesystem::exists(dir / "3/g"));
}

BOOST_AUTO_TEST_SUITE_END()
