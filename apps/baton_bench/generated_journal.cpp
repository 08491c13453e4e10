// SPDX-License-Identifier: MIT
#include "apps/baton_bench/generated_journal.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace baton::bench {
namespace {

/// A piece of the endless journal, long enough for one copy a read.
const std::string& lines() {
  static const std::string x = [] {
    std::string out;
    for (int i = 0; i < 1024; ++i)
      out += sample_line();
    return out;
  }();
  return x;
}

class endless_source : public sandbox::journal_source {
public:
  result<std::size_t> read(position from, std::span<char> out) override {
    const auto& text = lines();
    auto at = from.value % text.size();
    auto n = std::min(out.size(), text.size() - at);
    std::memcpy(out.data(), text.data() + at, n);
    return n;
  }

  result<position> size() override { return position{~std::uint64_t{0}}; }
};

/// Goes on where its reader begins, whatever that is.
class paced_source : public sandbox::journal_source {
public:
  paced_source(std::shared_ptr<bells> every, std::function<void()> on_change)
    : bells_(std::move(every)) {
    bell_ = bells_->add([this, tell = std::move(on_change)] {
      ++lines_;
      tell();
    });
  }
  ~paced_source() override { bells_->remove(bell_); }

  result<std::size_t> read(position from, std::span<char> out) override {
    if (!begin_)
      begin_ = from;
    auto end = begin_->value + lines_ * line_bytes;
    if (from.value >= end)
      return std::size_t{0};
    return endless_.read(
      from, out.first(std::min<std::size_t>(out.size(), end - from.value)));
  }

  result<position> size() override {
    return position{(begin_ ? begin_->value : 0) + lines_ * line_bytes};
  }

private:
  std::shared_ptr<bells> bells_;
  std::uint64_t bell_ = 0;
  std::atomic<std::uint64_t> lines_{0};
  std::optional<position> begin_;
  endless_source endless_;
};

} // namespace

std::string sample_line() {
  std::string out = R"({"type":"assistant","message":{"id":"msg_01","role":)"
                    R"("assistant","content":[{"type":"text","text":")";
  out.append(line_bytes - out.size() - 5, 'x');
  return out + "\"}]}\n";
}

sandbox::capabilities generated_journal::can() const noexcept {
  return {.host_visible_journal = true};
}

std::string generated_journal::make_id(const run_id& run, run_no) const {
  return run.str();
}

result<sandbox::launch_outcome>
generated_journal::launch(const sandbox::launch_order&) {
  return sandbox::launch_outcome::launched;
}

result<sandbox::probe_report> generated_journal::probe(const sandbox_binding&) {
  return sandbox::probe_report{sandbox::agent_state::alive, {}};
}

result<std::unique_ptr<sandbox::journal_source>>
generated_journal::open_journal(const sandbox_binding&,
                                std::function<void()> on_change) {
  if (bells_)
    return std::unique_ptr<sandbox::journal_source>{
      std::make_unique<paced_source>(bells_, std::move(on_change))};
  return std::unique_ptr<sandbox::journal_source>{
    std::make_unique<endless_source>()};
}

status generated_journal::kill(const sandbox_binding&) {
  return {};
}

result<std::string> generated_journal::stderr_tail(const sandbox_binding&,
                                                   std::size_t) {
  return std::string{};
}

status generated_journal::remove(const sandbox_binding&) {
  return {};
}

result<std::vector<sandbox::found_sandbox>> generated_journal::list() {
  return std::vector<sandbox::found_sandbox>{};
}

} // namespace baton::bench
