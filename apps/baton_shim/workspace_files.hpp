// SPDX-License-Identifier: MIT
// The files that the shim itself writes into and beside a workspace.
//
// Guarantees: no symbolic link is followed, whatever the workspace's source
// brought along.
// Failure: an error number, 0 for none.
#pragma once

#include "actors/sandbox/shared_instance.hpp"
#include "actors/sandbox/unique_fd.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace baton::shim {

/// Below the workspace.
constexpr const char* scripts_folder = ".baton/scripts";

/// Makes executables, `names_and_texts` alternating, and hides them from git.
int write_scripts(const std::string& work,
                  const std::vector<std::string>& names_and_texts);

/// Says, durably, that all of the workspace is there.
int write_ready(const sandbox::instance_place& place, std::string_view hash);

bool write_all(int fd, std::string_view bytes);

/// In the folder itself.
std::set<std::string> names_in(const std::string& folder);

/// A file of no name with that content, to be read from its beginning.
sandbox::unique_fd memory_file(std::string_view content);

/// At most the last `bytes_max` bytes from `offset` on.
std::string tail_of(int fd, std::int64_t offset, std::size_t bytes_max);

} // namespace baton::shim
