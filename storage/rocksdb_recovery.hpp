// SPDX-License-Identifier: MIT
// Decides, before a store is opened, how far RocksDB may replay its logs.
//
// Guarantees: changes nothing in the store; reads each log once. A store whose
// logs end as a power cut leaves them always gets a plan.
// Failure: errc::storage_failed: acknowledged writes are missing, or the logs
// cannot be read; the message says where and what to do.
// See README.md, What happens to damage.
#pragma once

#include "messages/result.hpp"

#include <rocksdb/options.h>

#include <cstdint>
#include <string>

namespace baton::storage {

struct recovery_plan {
  rocksdb::WALRecoveryMode mode;
  /// What the store must reach: one behind the last write in its logs.
  std::uint64_t next_sequence = 0;
};

result<recovery_plan> plan_recovery(const rocksdb::Options& options,
                                    const std::string& path);

} // namespace baton::storage
