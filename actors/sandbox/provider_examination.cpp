// SPDX-License-Identifier: MIT
#include "actors/sandbox/provider_examination.hpp"

#include "actors/sandbox/process_tree.hpp"

#include <poll.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace baton::sandbox {
namespace {

constexpr int unclear_launches_max = 5;

namespace fs = std::filesystem;

constexpr int poll_interval_ms = 2;
constexpr std::size_t read_bytes = 65536;

} // namespace

provider_examination::provider_examination(provider_maker& maker,
                                           std::string claim,
                                           std::vector<std::string>& out)
  : maker_(maker),
    claim_(std::move(claim)),
    out_(out),
    folder_(maker.shared_folder() + "/examined"),
    it_(maker.make()) {
  std::error_code error;
  fs::remove_all(folder_, error);
  fs::create_directories(folder_, error);
  expect(!error, "the shared folder cannot be used");
}

provider_examination::~provider_examination() {
  for (const auto& x : orders_)
    ignore_result(it_->kill(x.where), "the examination is over");
  for (const auto& x : orders_)
    until([&] {
      auto got = it_->probe(x.where);
      return !got || got->state != agent_state::alive;
    });
}

bool provider_examination::expect(bool holds, const std::string& what) {
  if (!holds)
    out_.push_back(claim_ + ": " + what);
  return holds;
}

bool provider_examination::until(const std::function<bool()>& condition,
                                 int within_ms) {
  auto give_up_at = monotonic_ms() + within_ms;
  while (!condition()) {
    if (monotonic_ms() >= give_up_at)
      return false;
    ::poll(nullptr, 0, poll_interval_ms);
  }
  return true;
}

// -- runs ---------------------------------------------------------------------

launch_order provider_examination::order(const std::string& shell_text) {
  launch_order out;
  auto no = run_no{orders_.size() + 1};
  auto text = std::to_string(no.value);
  out.where.id = it_->make_id(run_id{"run " + text}, no);
  out.command.shell = true;
  out.command.argv = {shell_text};
  out.cwd = folder_;
  out.nonce = "5ec4e7" + text + "0f00ba5";
  orders_.push_back(out);
  return out;
}

void provider_examination::start(const launch_order& x) {
  auto got = it_->launch(x);
  auto first_is_clear = true;
  // Where no answer came in time the same call tells, and launches once.
  for (int i = 0; i < unclear_launches_max && !got
                  && disposition_of(got.error().code) != disposition::give_up;
       ++i) {
    first_is_clear = false;
    got = it_->launch(x);
  }
  if (expect(got.ok(),
             "launch failed" + (got ? "" : ": " + got.error().message)))
    expect(*got == launch_outcome::launched || !first_is_clear,
           "the first launch of a run did not launch it");
}

launch_order provider_examination::start(const std::string& shell_text) {
  auto out = order(shell_text);
  start(out);
  return out;
}

std::optional<agent_state> provider_examination::state(const launch_order& x) {
  auto got = it_->probe(x.where);
  if (got)
    return got->state;
  expect(false, "probe failed: " + got.error().message);
  return std::nullopt;
}

exit_report provider_examination::end(const launch_order& x, int within_ms) {
  std::optional<exit_report> out;
  auto ended = until(
    [&] {
      auto got = it_->probe(x.where);
      if (got && got->state == agent_state::exited)
        out = got->exit;
      return got && got->state != agent_state::alive;
    },
    within_ms);
  expect(ended, "the agent did not end in time");
  if (expect(!ended || out.has_value(), "an agent that ended left no report"))
    return out.value_or(exit_report{-1, {}, {}, {}, {}});
  return exit_report{-1, {}, {}, {}, {}};
}

std::string provider_examination::journal(const launch_order& x) {
  auto opened = it_->open_journal(x.where, [] {});
  if (!expect(opened.ok(), "the journal cannot be opened"))
    return {};
  std::string out;
  std::string buffer(read_bytes, '\0');
  for (;;) {
    auto n = (*opened)->read(position{out.size()}, {buffer.data(), read_bytes});
    if (!expect(n.ok(), "the journal cannot be read") || *n == 0)
      return out;
    out.append(buffer, 0, *n);
  }
}

std::string provider_examination::output(const launch_order& x) {
  auto all = journal(x);
  return all.substr(0, end(x).journal_end.value);
}

// -- the shared folder --------------------------------------------------------

std::string provider_examination::file(const std::string& name) const {
  std::ifstream in{path(name), std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void provider_examination::write(const std::string& name,
                                 std::string_view bytes) const {
  std::ofstream out{path(name), std::ios::binary};
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string wait_for_file(const std::string& name) {
  return "while [ ! -e " + name + " ]; do sleep 0.02; done; ";
}

std::string beat_into(const std::string& name) {
  return "while printf . >> " + name + "; do sleep 0.02; done";
}

} // namespace baton::sandbox
