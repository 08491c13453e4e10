// SPDX-License-Identifier: MIT
// A provider without sandboxes, to take them out of a measurement. Its agents
// have already written more 200-byte lines than any benchmark reads, or write
// one an interval.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "apps/baton_bench/bells.hpp"

#include <memory>

namespace baton::bench {

constexpr std::size_t line_bytes = 200;

/// A line of an agent, 200 bytes with its newline.
std::string sample_line();

class generated_journal : public sandbox::provider {
public:
  /// Endless.
  generated_journal() = default;
  /// A line an interval, the first within one of being opened.
  explicit generated_journal(std::chrono::milliseconds interval)
    : bells_(std::make_shared<bells>(interval)) {}

  std::string_view name() const noexcept override { return "generated"; }
  sandbox::capabilities can() const noexcept override;
  std::string make_id(const run_id& run, run_no no) const override;
  result<sandbox::launch_outcome>
  launch(const sandbox::launch_order& order) override;
  result<sandbox::probe_report> probe(const sandbox_binding& where) override;
  result<std::unique_ptr<sandbox::journal_source>>
  open_journal(const sandbox_binding& where,
               std::function<void()> on_change) override;
  status kill(const sandbox_binding& where) override;
  result<std::string> stderr_tail(const sandbox_binding& where,
                                  std::size_t bytes_max) override;
  status remove(const sandbox_binding& where) override;
  result<std::vector<sandbox::found_sandbox>> list() override;

private:
  std::shared_ptr<bells> bells_;
};

} // namespace baton::bench
