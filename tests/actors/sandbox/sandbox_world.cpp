// SPDX-License-Identifier: MIT
#include "tests/actors/sandbox/sandbox_world.hpp"

#include "actors/sandbox/local_provider.hpp"
#include "actors/sandbox/process_tree.hpp"
#include "actors/sandbox/shim_state.hpp"

#include <boost/test/unit_test.hpp>

#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace baton::sandbox::test {

namespace fs = std::filesystem;

temporary_folder::temporary_folder()
  : path_(fs::temp_directory_path() / "baton-test-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr)
    throw std::runtime_error("mkdtemp failed");
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool eventually(const std::function<bool()>& condition, int within_ms) {
  auto give_up_at = now_ms() + within_ms;
  while (!condition()) {
    if (now_ms() >= give_up_at)
      return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

std::string content_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos;
       at = text.find(part, at + part.size()))
    ++n;
  return n;
}

bool is_running(pid_t pid) {
  auto stat = content_of("/proc/" + std::to_string(pid) + "/stat");
  auto at = stat.rfind(')');
  return at != stat.npos && stat.at(at + 2) != 'Z' && stat.at(at + 2) != 'X';
}

pid_t pid_in(const std::string& path) {
  eventually([&] { return content_of(path).ends_with('\n'); });
  auto text = content_of(path);
  BOOST_REQUIRE_MESSAGE(!text.empty(), "no pid came in " + path);
  return static_cast<pid_t>(std::stol(text));
}

std::int64_t now_ms() {
  return monotonic_ms();
}

namespace {

result<std::unique_ptr<provider>> make_local(const std::string& root) {
  auto made = local_provider::open({root, BATON_BIN_DIR "/baton-shim"});
  if (!made)
    return made.error();
  return std::unique_ptr<provider>{std::move(*made)};
}

} // namespace

sandbox_world::sandbox_world() : sandbox_world(make_local) {}

sandbox_world::sandbox_world(maker make)
  : root_(outside_ / "root"), make_(std::move(make)) {
  here_ = another();
}

sandbox_world::~sandbox_world() {
  for (const auto& x : orders_)
    ignore_result(here_->kill(x.where), "the test is over");
  for (const auto& x : orders_)
    eventually([&] { return state_of(x) != agent_state::alive; }, 5000);
}

std::unique_ptr<provider> sandbox_world::another() const {
  auto made = make_(root_);
  BOOST_REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message));
  return std::move(*made);
}

launch_order sandbox_world::order(const std::string& shell_text) {
  launch_order out;
  auto no = run_no{orders_.size() + 1};
  out.where.id = here_->make_id(run_id{"run"}, no);
  out.command.shell = true;
  out.command.argv = {shell_text};
  out.nonce = "5ec4e7" + std::to_string(no.value) + "0f00ba5";
  orders_.push_back(out);
  return out;
}

launch_order sandbox_world::start(const std::string& shell_text) {
  auto out = order(shell_text);
  auto got = here_->launch(out);
  BOOST_REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
  BOOST_REQUIRE(*got == launch_outcome::launched);
  return out;
}

agent_state sandbox_world::state_of(const launch_order& x) {
  auto got = here_->probe(x.where);
  BOOST_REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
  return got->state;
}

bool sandbox_world::reaches(const launch_order& x, agent_state wanted,
                            int within_ms) {
  return eventually([&] { return state_of(x) == wanted; }, within_ms);
}

exit_report sandbox_world::end_of(const launch_order& x, int within_ms) {
  BOOST_REQUIRE_MESSAGE(reaches(x, agent_state::exited, within_ms),
                        "the agent did not end, its state is "
                          + std::to_string(static_cast<int>(state_of(x))));
  auto got = here_->probe(x.where);
  BOOST_REQUIRE(got.ok() && got->exit.has_value());
  return *got->exit;
}

std::string sandbox_world::journal_of(const launch_order& x) const {
  return content_of(x.where.id + "/journal");
}

std::string sandbox_world::output_of(const launch_order& x) {
  auto end = end_of(x).journal_end;
  return journal_of(x).substr(0, end.value);
}

pid_t sandbox_world::shim_of(const launch_order& x) const {
  auto lock = shim_lock(*parse_sandbox_id(x.where.id));
  BOOST_REQUIRE(lock.ok() && lock->has_value());
  return (*lock)->pid;
}

} // namespace baton::sandbox::test
