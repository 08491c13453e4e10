// SPDX-License-Identifier: MIT
#include "apps/baton_bench/raw_store.hpp"

#include "apps/baton_bench/child_process.hpp"
#include "apps/baton_bench/generated_journal.hpp"
#include "apps/baton_bench/give_up.hpp"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

namespace baton::bench {
namespace {

using clock = std::chrono::steady_clock;

std::unique_ptr<rocksdb::DB> open(const std::string& directory) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  if (auto got = rocksdb::DB::Open(options, directory, &db); !got.ok())
    give_up(directory + ": " + got.ToString());
  return std::unique_ptr<rocksdb::DB>{db};
}

/// As wide as the engine's: a tag, a run number, a seq.
std::string key_of(int writer, std::uint64_t n) {
  char out[18];
  std::snprintf(out, sizeof(out), "e%07d%09llu", writer,
                static_cast<unsigned long long>(n));
  return out;
}

bool write(rocksdb::DB& db, int writer, std::uint64_t& n, int entries,
           const std::string& line) {
  rocksdb::WriteBatch batch;
  for (int i = 0; i < entries; ++i)
    batch.Put(key_of(writer, n++), line);
  rocksdb::WriteOptions synced;
  synced.sync = true;
  return db.Write(synced, &batch).ok();
}

} // namespace

throughput raw_throughput(const std::string& directory, int threads,
                          int batch_entries, std::chrono::seconds duration) {
  auto db = open(directory);
  auto line = sample_line();
  std::atomic<std::uint64_t> total{0};
  auto begin = clock::now();
  auto cpu = own_cpu_time();
  std::vector<std::thread> writers;
  for (int i = 0; i < threads; ++i)
    writers.emplace_back([&, i] {
      std::uint64_t n = 0;
      while (clock::now() - begin < duration
             && write(*db, i, n, batch_entries, line)) {
      }
      total += n;
    });
  for (auto& x : writers)
    x.join();
  auto entries = static_cast<double>(total);
  std::chrono::duration<double, std::micro> used = own_cpu_time() - cpu;
  std::chrono::duration<double> took = clock::now() - begin;
  return {entries / took.count(), used.count() / entries};
}

std::vector<double> raw_write_latencies(const std::string& directory,
                                        std::chrono::seconds duration) {
  auto db = open(directory);
  auto line = sample_line();
  std::vector<double> out;
  std::uint64_t n = 0;
  auto end = clock::now() + duration;
  while (clock::now() < end) {
    auto before = clock::now();
    if (!write(*db, 0, n, 1, line))
      break;
    out.push_back(
      std::chrono::duration<double, std::micro>(clock::now() - before).count());
  }
  return out;
}

} // namespace baton::bench
