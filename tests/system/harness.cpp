// SPDX-License-Identifier: MIT
#include "tests/system/harness.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace baton::system_test {
namespace {

namespace fs = std::filesystem;

std::uint16_t port_in(const std::string& ready_line) {
  auto at = ready_line.find(" http=");
  auto stop = ready_line.find(' ', at + 6);
  auto address = ready_line.substr(at + 6, stop - at - 6);
  return static_cast<std::uint16_t>(
    std::stoul(address.substr(address.rfind(':') + 1)));
}

/// batond, run by a shell that has run `limits`.
std::vector<std::string> behind(const std::string& limits) {
  return {"/bin/sh", "-c", limits + "; exec \"$@\"", "sh", program("batond")};
}

} // namespace

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (auto c : text) {
    auto plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                 || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.'
                 || c == '~';
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    if (plain)
      out += c;
    else
      out += code;
  }
  return out;
}

// -- life ---------------------------------------------------------------------

daemon::~daemon() {
  process_.reset();
  end_agents();
}

std::vector<std::string> daemon::environment() const {
  std::vector<std::string> out{
    "XDG_DATA_HOME=" + dir_ / "data", "XDG_RUNTIME_DIR=" + dir_ / "run",
    "HOME=" + dir_ / "home", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin"};
  // Sanitizer builds are told their options this way.
  for (auto* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"})
    if (auto* value = std::getenv(name))
      out.push_back(std::string{name} + "=" + value);
  return out;
}

void daemon::start(std::vector<std::string> args, std::vector<std::string> env,
                   const std::string& limits) {
  args_ = std::move(args);
  env_ = std::move(env);
  for (auto* folder : {"data", "run", "home"})
    fs::create_directories(dir_ / folder);
  fs::permissions(dir_ / "run", fs::perms::owner_all);
  auto argv = behind(limits);
  argv.insert(argv.end(), {"--http", "127.0.0.1:0"});
  argv.insert(argv.end(), args_.begin(), args_.end());
  auto whole_env = environment();
  whole_env.insert(whole_env.end(), env_.begin(), env_.end());
  process_ = std::make_unique<process>(argv, whole_env);
  auto ready = wait_until(
    [this] {
      return process_->out().find('\n') != std::string::npos
             || !is_alive(process_->pid());
    },
    60s);
  BOOST_REQUIRE_MESSAGE(ready && process_->out().starts_with("batond ready "),
                        "batond did not start: " << process_->err());
  port_ = port_in(process_->out());
}

void daemon::restart() {
  start(args_, env_);
}

finished daemon::start_in_vain(std::vector<std::string> args,
                               const std::string& limits) const {
  auto argv = behind(limits);
  argv.insert(argv.end(), args.begin(), args.end());
  process started{argv, environment()};
  wait_until([&] {
    return !is_alive(started.pid())
           || started.out().find('\n') != std::string::npos;
  });
  started.signal(SIGKILL);
  return started.wait();
}

void daemon::kill9() {
  process_->signal(SIGKILL);
  process_->wait();
}

int daemon::stop() {
  process_->signal(SIGTERM);
  return process_->wait(15s).exit;
}

std::vector<pid_t> daemon::agents() const {
  auto out = processes_of(data_dir() + "/sandboxes");
  if (process_)
    std::erase(out, process_->pid());
  return out;
}

void daemon::end_agents() {
  for (int round = 0; round < 50; ++round) {
    auto left = processes_of(data_dir());
    if (process_)
      std::erase(left, process_->pid());
    if (left.empty())
      return;
    for (auto pid : left)
      ::kill(pid, SIGKILL);
  }
}

// -- requests -----------------------------------------------------------------

reply daemon::request(std::string_view method, std::string_view target,
                      std::string_view body, std::string_view headers,
                      millis patience) const {
  http::test::client client{port_};
  BOOST_REQUIRE(
    client.send(http::test::request(method, target, body, headers)));
  return client.read(
    nullptr, method == "HEAD",
    std::chrono::duration_cast<std::chrono::seconds>(patience));
}

reply daemon::get(std::string_view target, std::string_view headers) const {
  return request("GET", target, {}, headers);
}

finished daemon::cli(std::vector<std::string> args, const std::string& input,
                     millis patience) const {
  args.insert(args.begin(), program("baton"));
  auto env = environment();
  env.push_back("BATON_NO_AUTOSTART=1");
  return process{args, env, input}.wait(patience);
}

std::unique_ptr<process>
daemon::start_cli(std::vector<std::string> args) const {
  args.insert(args.begin(), program("baton"));
  return std::make_unique<process>(args, environment());
}

// -- runs ---------------------------------------------------------------------

std::string daemon::path(std::string_view run, std::string_view rest) {
  return "/v1/runs/" + percent_encoded(run) + std::string{rest};
}

reply daemon::create_raw(const json::object& wanted) const {
  return request("POST", "/v1/runs", json::serialize(wanted),
                 "Content-Type: application/json\r\n");
}

std::string daemon::create(std::string_view shell_text,
                           json::object more) const {
  more["command"] = shell_text;
  auto answer = create_raw(more);
  BOOST_REQUIRE_MESSAGE(answer.status == 201,
                        answer.status << ": " << answer.body);
  return json::value_to<std::string>(json::parse(answer.body).at("run_id"));
}

json::object daemon::record(std::string_view run) const {
  auto answer = get(path(run));
  BOOST_REQUIRE_MESSAGE(answer.status == 200,
                        answer.status << ": " << answer.body << "\nbatond "
                                      << (is_alive(pid()) ? "lives" : "is gone")
                                      << ": " << process_->err());
  return json::parse(answer.body).as_object();
}

std::string daemon::status_of(std::string_view run) const {
  return json::value_to<std::string>(record(run).at("status"));
}

json::object daemon::wait_for_end(std::string_view run, millis patience) const {
  json::object out;
  auto ended = wait_until(
    [&] {
      out = record(run);
      auto status = out.at("status").as_string();
      return status != "running" && status != "interrupted";
    },
    patience);
  BOOST_REQUIRE_MESSAGE(ended, "no end of " << json::serialize(out));
  return out;
}

void daemon::wait_for_entries(std::string_view run, std::int64_t count,
                              millis patience) const {
  auto there = wait_until(
    [&] {
      return record(run).at("entries").to_number<std::int64_t>() >= count;
    },
    patience);
  BOOST_REQUIRE_MESSAGE(there, json::serialize(record(run)));
}

event_stream daemon::view(std::string_view run, const std::string& query,
                          const std::string& headers) const {
  return {port_, path(run, "/events" + query), headers};
}

} // namespace baton::system_test
