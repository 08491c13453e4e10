// SPDX-License-Identifier: MIT
// A whole daemon with a data directory of its own, and what one can do to it
// from outside: requests, the CLI, viewers, kill -9. Several make a cluster.
// Failure: what cannot be set up is thrown, which fails a test; answers are
// returned as they come.
#pragma once

#include "tests/actors/gateway/http_client.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/event_stream.hpp"
#include "tests/support/proc.hpp"
#include "tests/support/process.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::test {

namespace json = boost::json;
using http::test::reply;

/// `text` for a URL's path.
std::string percent_encoded(std::string_view text);

class daemon {
public:
  daemon() = default;
  /// Ends the process, and every shim and agent that it left.
  ~daemon();
  daemon(const daemon&) = delete;
  daemon& operator=(const daemon&) = delete;

  // -- life -------------------------------------------------------------------

  /// Returns when the daemon says that it is ready. `limits`: shell text that
  /// is run before it.
  void start(std::vector<std::string> args = {},
             std::vector<std::string> env = {},
             const std::string& limits = "true");
  /// The first half of start(): returns at once.
  void begin(std::vector<std::string> args = {},
             std::vector<std::string> env = {},
             const std::string& limits = "true");
  /// The second half; false when it ended or stays silent.
  bool wait_ready(millis patience = 60s);
  /// With the last start's flags and environment, and on the cluster address
  /// that it had: others know it by that.
  void restart();
  /// A start that must fail; batond's whole answer. `limits`: shell text that
  /// is run before it.
  finished start_in_vain(std::vector<std::string> args = {},
                         const std::string& limits = "true") const;
  void kill9();
  /// SIGTERM; its exit code.
  int stop();
  /// SIGSTOP, all threads, and SIGCONT.
  void pause() { process_->pause(); }
  void wake() { process_->wake(); }
  /// SIGKILL to what the daemon left behind.
  void end_agents();

  /// The last life, which may be over.
  process& life() const { return *process_; }
  pid_t pid() const { return process_->pid(); }
  bool alive() const { return process_ && process_->alive(); }

  // -- what it says of itself -------------------------------------------------

  /// A word of the ready line: "node", "http", "cluster".
  std::string told(std::string_view name) const;
  std::uint16_t port() const { return port_; }
  /// For the --join of others.
  std::string cluster_address() const { return told("cluster"); }
  /// Its stderr in this life.
  const std::string& log() const { return process_->err(); }
  std::size_t resident() const { return resident_bytes(pid()); }

  // -- its files --------------------------------------------------------------

  std::string data_dir() const { return dir_ / "data/baton"; }
  std::string socket() const { return dir_ / "run/baton/batond.sock"; }
  /// The folder around the data directory: the test's own.
  const std::string& folder() const { return dir_.path(); }
  std::string file(const std::string& name) const { return dir_ / name; }
  /// The live processes of its sandboxes.
  std::vector<pid_t> agents() const;
  /// What a program needs to find this daemon.
  std::vector<std::string> environment() const;

  // -- requests ---------------------------------------------------------------

  /// Status 0 when no whole answer came.
  reply request(std::string_view method, std::string_view target,
                std::string_view body = {}, std::string_view headers = {},
                millis patience = 60s) const;
  reply get(std::string_view target, std::string_view headers = {}) const;
  /// The whole answer of `baton ARGS`.
  finished cli(std::vector<std::string> args, const std::string& input = {},
               millis patience = 60s) const;
  std::unique_ptr<process> start_cli(std::vector<std::string> args) const;

  // -- runs -------------------------------------------------------------------

  /// The id of a new run of a shell command; `more` are further members of
  /// the request.
  std::string create(std::string_view shell_text, json::object more = {}) const;
  reply create_raw(const json::object& wanted) const;
  json::object record(std::string_view run) const;
  std::string status_of(std::string_view run) const;
  /// The record after the end; fails the test when no end comes.
  json::object wait_for_end(std::string_view run, millis patience = 60s) const;
  void wait_for_entries(std::string_view run, std::int64_t count,
                        millis patience = 30s) const;
  event_stream view(std::string_view run, const std::string& query = {},
                    const std::string& headers = {}) const;
  /// `/v1/runs/RUN` and `rest`.
  static std::string path(std::string_view run, std::string_view rest = {});

private:
  test::temp_dir dir_;
  std::vector<std::string> args_;
  std::vector<std::string> env_;
  std::unique_ptr<process> process_;
  int lives_ = 0;
  std::uint16_t port_ = 0;
};

} // namespace baton::test
