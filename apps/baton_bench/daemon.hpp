// SPDX-License-Identifier: MIT
// A batond beside the benchmark, and what the benchmark asks of it.
// Requires: batond stands beside baton-bench.
// Failure: a daemon that does not start, and an answer other than the one that
// was expected, end the benchmark with what was found.
#pragma once

#include "apps/baton/http_client.hpp"
#include "apps/baton_bench/child_process.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <vector>

namespace baton::bench {

namespace json = boost::json;

class daemon {
public:
  /// Everything it writes goes below `directory`, which is also where it
  /// starts again.
  daemon(std::string name, std::string directory,
         std::vector<std::string> flags);

  /// Until it is ready; again after it has ended.
  void start();
  /// SIGTERM, and SIGKILL when that does not help in time.
  void stop();

  const std::string& name() const { return name_; }
  child_process& process() { return *process_; }
  /// For the --join of others.
  const std::string& cluster_address() const { return cluster_; }
  const cli::http_client& client() const { return *client_; }

  json::object get(const std::string& target) const;
  json::object post(const std::string& target, const json::object& body) const;

  // -- runs -------------------------------------------------------------------

  /// Takes the run away from whoever drives it; true: `node` has it now.
  bool move(const std::string& run, const std::string& node) const;
  /// And waits for its end.
  void cancel(const std::string& run) const;

private:
  json::object call(const cli::http_request& request) const;

  std::string name_;
  std::string directory_;
  std::vector<std::string> flags_;
  std::unique_ptr<child_process> process_;
  std::unique_ptr<cli::http_client> client_;
  std::string cluster_;
};

std::uint64_t number(const json::object& x, std::string_view name);

} // namespace baton::bench
