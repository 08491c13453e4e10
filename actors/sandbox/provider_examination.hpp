// SPDX-License-Identifier: MIT
// What the claims of provider_conformance have in common: a provider under
// examination, runs of shell texts, and waiting for what can be observed.
// Threads: one, but for launch().
#pragma once

#include "actors/sandbox/provider_conformance.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

class provider_examination {
public:
  /// Begins with a new provider and an empty folder.
  provider_examination(provider_maker& maker, std::string claim,
                       std::vector<std::string>& out);
  /// Kills what the claim left.
  ~provider_examination();
  provider_examination(const provider_examination&) = delete;
  provider_examination& operator=(const provider_examination&) = delete;

  provider& it() { return *it_; }
  std::unique_ptr<provider> again() { return maker_.again(); }

  bool expect(bool holds, const std::string& what);

  /// False when `condition` does not come true in time.
  static bool until(const std::function<bool()>& condition,
                    int within_ms = patience_ms);

  // -- runs -------------------------------------------------------------------

  /// Of a fresh run, in the shared folder.
  launch_order order(const std::string& shell_text);
  /// Launches what must be launched.
  void start(const launch_order& x);
  launch_order start(const std::string& shell_text);

  /// Absent: the provider does not tell.
  std::optional<agent_state> state(const launch_order& x);
  /// Waits for the end; a report of a death nobody asked for when none comes.
  exit_report end(const launch_order& x, int within_ms = patience_ms);
  /// All there is now.
  std::string journal(const launch_order& x);
  /// After the end: the agent's bytes alone.
  std::string output(const launch_order& x);

  // -- the shared folder ------------------------------------------------------

  std::string file(const std::string& name) const;
  void write(const std::string& name, std::string_view bytes) const;
  std::string path(const std::string& name) const {
    return folder_ + "/" + name;
  }

  static constexpr int patience_ms = 20'000;

private:
  provider_maker& maker_;
  std::string claim_;
  std::vector<std::string>& out_;
  std::string folder_;
  std::unique_ptr<provider> it_;
  std::vector<launch_order> orders_;
};

/// Shell text that waits for that file of the shared folder.
std::string wait_for_file(const std::string& name);

/// Shell text that adds a byte to that file as long as there is its folder:
/// what a broken provider lets live on ends with the examination.
std::string beat_into(const std::string& name);

} // namespace baton::sandbox
