// SPDX-License-Identifier: MIT
#include "tests/support/daemon.hpp"

#include <boost/json.hpp>

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

void require(bool holds, const std::string& what) {
  if (!holds)
    throw std::runtime_error{what};
}

std::string shown(const reply& x) {
  return std::to_string(x.status) + ": " + x.body;
}

/// Puts `value` in the place of the flag's.
void set_flag(std::vector<std::string>& args, std::string_view flag,
              const std::string& value) {
  auto at = std::find(args.begin(), args.end(), flag);
  if (at != args.end() && at + 1 != args.end())
    at[1] = value;
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
  begin(std::move(args), std::move(env), limits);
  // Named first: the log is read when the wait is over.
  auto ready = wait_ready();
  require(ready, "batond did not start: " + log());
}

void daemon::begin(std::vector<std::string> args, std::vector<std::string> env,
                   const std::string& limits) {
  args_ = std::move(args);
  env_ = std::move(env);
  port_ = 0;
  for (auto* folder : {"data", "run", "home"})
    fs::create_directories(dir_ / folder);
  fs::permissions(dir_ / "run", fs::perms::owner_all);
  auto argv = behind(limits);
  argv.insert(argv.end(), {"--http", "127.0.0.1:0"});
  argv.insert(argv.end(), args_.begin(), args_.end());
  process::options how;
  how.env = environment();
  how.env.insert(how.env.end(), env_.begin(), env_.end());
  how.log = file("batond." + std::to_string(++lives_));
  process_ = std::make_unique<process>(argv, how);
}

bool daemon::wait_ready(millis patience) {
  auto spoke = wait_until(
    [this] {
      return process_->out().find('\n') != std::string::npos || !alive();
    },
    patience);
  if (!spoke || !process_->out().starts_with("batond ready "))
    return false;
  auto address = told("http");
  port_ = static_cast<std::uint16_t>(
    std::stoul(address.substr(address.rfind(':') + 1)));
  return true;
}

void daemon::restart() {
  if (auto address = cluster_address(); address.find(':') != address.npos)
    set_flag(args_, "--cluster", address);
  start(args_, env_);
}

finished daemon::start_in_vain(std::vector<std::string> args,
                               const std::string& limits) const {
  auto argv = behind(limits);
  argv.insert(argv.end(), args.begin(), args.end());
  process::options how;
  how.env = environment();
  process started{argv, how};
  wait_until([&] {
    return !started.alive() || started.out().find('\n') != std::string::npos;
  });
  started.signal(SIGKILL);
  return started.wait();
}

void daemon::kill9() {
  process_->kill9();
}

int daemon::stop() {
  process_->signal(SIGTERM);
  return process_->wait(15s).exit;
}

std::string daemon::told(std::string_view name) const {
  auto text = process_->out();
  auto line = text.substr(0, text.find('\n'));
  auto at = line.find(" " + std::string{name} + "=");
  if (at == line.npos)
    return {};
  at += name.size() + 2;
  return line.substr(at, line.find(' ', at) - at);
}

std::vector<pid_t> daemon::agents() const {
  auto out = processes_of(data_dir() + "/sandboxes");
  std::ranges::move(processes_of(data_dir() + "/confined"),
                    std::back_inserter(out));
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
  try {
    http::test::client client{port_};
    if (client.send(http::test::request(method, target, body, headers)))
      return client.read(nullptr, method == "HEAD",
                         std::chrono::ceil<std::chrono::seconds>(patience));
  } catch (const std::runtime_error&) {
    // Nobody listens: no answer either.
  }
  return {};
}

reply daemon::get(std::string_view target, std::string_view headers) const {
  return request("GET", target, {}, headers);
}

finished daemon::cli(std::vector<std::string> args, const std::string& input,
                     millis patience) const {
  args.insert(args.begin(), program("baton"));
  auto env = environment();
  env.push_back("BATON_NO_AUTOSTART=1");
  return process{args, {.env = env, .input = input}}.wait(patience);
}

std::unique_ptr<process>
daemon::start_cli(std::vector<std::string> args) const {
  args.insert(args.begin(), program("baton"));
  return std::make_unique<process>(std::move(args),
                                   process::options{.env = environment()});
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
  require(answer.status == 201, shown(answer));
  return json::value_to<std::string>(json::parse(answer.body).at("run_id"));
}

json::object daemon::record(std::string_view run) const {
  auto answer = get(path(run));
  require(answer.status == 200, shown(answer) + "\nbatond "
                                  + (alive() ? "lives" : "is gone") + ": "
                                  + log());
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
  require(ended, "no end of " + json::serialize(out));
  return out;
}

void daemon::wait_for_entries(std::string_view run, std::int64_t count,
                              millis patience) const {
  auto there = wait_until(
    [&] {
      return record(run).at("entries").to_number<std::int64_t>() >= count;
    },
    patience);
  require(there, json::serialize(record(run)));
}

event_stream daemon::view(std::string_view run, const std::string& query,
                          const std::string& headers) const {
  return {port_, path(run, "/events" + query), headers};
}

} // namespace baton::test
