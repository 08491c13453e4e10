// SPDX-License-Identifier: MIT
// Which cluster a data directory belongs to, and as what: a coordinator's holds
// the epochs of every run, so that neither another cluster's directory nor a
// worker's may ever be taken for it (I6).
// Threads: call from one thread.
#pragma once

#include "actors/clock.hpp"
#include "messages/result.hpp"

#include <string>

namespace baton {

/// The id in DIR/cluster, or a new one. Call before the store is opened.
/// Refuses a worker's directory, and one whose store is gone:
/// errc::foreign_data.
result<std::string> coordinator_cluster(const std::string& data_dir,
                                        const environment& env);

/// Call when the store is there.
status keep_coordinator_cluster(const std::string& data_dir,
                                const std::string& cluster);

/// Refuses a directory that no worker can have: errc::foreign_data.
status check_worker_dir(const std::string& data_dir);

/// Binds a worker's directory to `cluster`, once and for all. Refuses one of
/// another cluster, and a coordinator's: errc::foreign_data.
status join_cluster(const std::string& data_dir, const std::string& cluster);

} // namespace baton
