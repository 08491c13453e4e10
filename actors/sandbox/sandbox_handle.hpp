// SPDX-License-Identifier: MIT
// A sandbox in the hands of a caller: its files, commands in it, git.
//
// Paths that are relative lie in the sandbox and cannot leave it by `..`;
// absolute ones mean what they say. A link an agent made is followed with the
// rights that the agent has too.
// Threads: any; file calls are short, commands take as long as they take.
// Failure: errc::not_found, errc::unsupported or errc::io_failed, with the
// path; git's own words where git refused.
#pragma once

#include "actors/sandbox/child_command.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

enum class file_kind : std::uint8_t { file, folder, link, other };

struct file_info {
  std::string name;
  file_kind kind = file_kind::other;
  std::uint64_t bytes = 0;
};

class sandbox_handle {
public:
  /// `directory`: the sandbox (provider's id); paths begin in its work folder.
  explicit sandbox_handle(std::string directory);

  // -- files ------------------------------------------------------------------

  result<std::string> read(const std::string& path) const;
  /// Replaces the file in one step; its folder must exist.
  status write(const std::string& path, std::string_view bytes) const;
  /// By name.
  result<std::vector<file_info>> list(const std::string& path) const;
  /// With all folders on the way; one that exists is no error.
  status make_folder(const std::string& path) const;
  /// With all it holds; one that does not exist is no error.
  status remove(const std::string& path) const;
  status rename(const std::string& from, const std::string& to) const;
  result<bool> exists(const std::string& path) const;
  /// Of a link: the link's own.
  result<file_info> lstat(const std::string& path) const;

  // -- commands ---------------------------------------------------------------

  /// `request.cwd` as a path above; empty: the work folder.
  result<command_result> exec(command_request request) const;
  result<std::unique_ptr<child_command>> spawn(command_request request) const;

  // -- git --------------------------------------------------------------------

  /// `depth` 0: the whole history.
  status git_clone(const std::string& url, const std::string& path,
                   unsigned depth = 1) const;
  /// Porcelain form, version 1; empty: clean.
  result<std::string> git_status(const std::string& path) const;
  status git_add(const std::string& path,
                 const std::vector<std::string>& files) const;
  status git_commit(const std::string& path, const std::string& message) const;
  status git_push(const std::string& path) const;
  status git_pull(const std::string& path) const;
  /// The current branch.
  result<std::string> git_branch(const std::string& path) const;

  // -- what directories of this host cannot do --------------------------------

  status open_port(std::uint16_t port) const;
  status snapshot() const;
  status fork() const;

private:
  result<std::string> resolve(const std::string& path) const;
  result<std::string> git(const std::string& path,
                          std::vector<std::string> arguments) const;

  std::string directory_;
};

} // namespace baton::sandbox
