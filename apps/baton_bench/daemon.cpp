// SPDX-License-Identifier: MIT
#include "apps/baton_bench/daemon.hpp"

#include "apps/baton_bench/give_up.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

namespace baton::bench {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto start_timeout = 30s;
/// batond promises 10 s.
constexpr auto stop_timeout = 12s;
constexpr auto end_timeout = 30s;
constexpr auto poll_interval = 10ms;

/// A word of the ready line.
std::string word(const std::string& line, const std::string& name) {
  auto at = line.find(" " + name + "=");
  if (at == std::string::npos)
    return {};
  at += name.size() + 2;
  return line.substr(at, line.find(' ', at) - at);
}

std::string run_path(const std::string& run) {
  return "/v1/runs/" + run;
}

/// Of a file that goes with the benchmark.
std::string last_line(const std::string& path) {
  std::ifstream in{path};
  std::string line, last;
  while (std::getline(in, line))
    last = line;
  return last.empty() ? "it wrote nothing on stderr" : last;
}

bool is_over(const json::object& record) {
  const auto* finished = record.if_contains("finished_at");
  return finished != nullptr;
}

} // namespace

daemon::daemon(std::string name, std::string directory,
               std::vector<std::string> flags)
  : name_(std::move(name)),
    directory_(std::move(directory)),
    flags_(std::move(flags)) {
  std::filesystem::create_directories(directory_);
}

void daemon::start() {
  auto program = program_directory() + "/batond";
  if (::access(program.c_str(), X_OK) != 0)
    give_up(program
            + " is needed for this figure and cannot be executed; "
              "build or install it beside baton-bench");
  std::vector<std::string> argv{program,
                                "--node-id",
                                name_,
                                "--data-dir",
                                directory_ + "/data",
                                "--http",
                                "127.0.0.1:0",
                                "--socket",
                                directory_ + "/socket",
                                "--log-level",
                                "warn"};
  argv.insert(argv.end(), flags_.begin(), flags_.end());
  auto log = directory_ + "/log";
  process_ = std::make_unique<child_process>(argv, log);
  auto line = process_->read_line(start_timeout);
  if (!line || !line->starts_with("batond ready"))
    give_up("batond '" + name_ + "' did not become ready: " + last_line(log));
  cluster_ = word(*line, "cluster");
  cli::client_options options;
  auto server = cli::parse_server("http://" + word(*line, "http"));
  if (!server)
    give_up(server.error().message);
  options.server = *std::move(server);
  client_ = std::make_unique<cli::http_client>(std::move(options));
}

void daemon::stop() {
  process_->send_signal(SIGTERM);
  if (!process_->wait(stop_timeout))
    process_->send_signal(SIGKILL);
}

json::object daemon::call(const cli::http_request& request) const {
  auto what = name_ + ": " + request.method + " " + request.target + ": ";
  auto answer = client_->send(request);
  if (!answer)
    give_up(what + answer.error().message);
  boost::system::error_code ec;
  auto value = json::parse(answer->body, ec);
  if (answer->head.code / 100 != 2 || ec || !value.is_object())
    give_up(what + "expected a JSON object, found "
            + std::to_string(answer->head.code) + " " + answer->body);
  return value.get_object();
}

json::object daemon::get(const std::string& target) const {
  return call({"GET", target, {}, {}});
}

json::object daemon::post(const std::string& target,
                          const json::object& body) const {
  return call({"POST", target, {}, json::serialize(body)});
}

bool daemon::move(const std::string& run, const std::string& node) const {
  auto answer = client_->send({"POST",
                               run_path(run) + "/takeover",
                               {},
                               json::serialize(json::object{{"node", node}})});
  return answer && answer->head.code / 100 == 2;
}

void daemon::cancel(const std::string& run) const {
  post(run_path(run) + "/cancel", {});
  auto until = clock::now() + end_timeout;
  while (!is_over(get(run_path(run)))) {
    if (clock::now() > until)
      give_up("run '" + run + "' was cancelled and did not end");
    std::this_thread::sleep_for(poll_interval);
  }
}

std::uint64_t number(const json::object& x, std::string_view name) {
  const auto* found = x.if_contains({name.data(), name.size()});
  boost::system::error_code ec;
  auto out = found == nullptr ? 0 : found->to_number<std::uint64_t>(ec);
  if (found == nullptr || ec)
    give_up("expected a number '" + std::string{name} + "' in "
            + json::serialize(x));
  return out;
}

} // namespace baton::bench
