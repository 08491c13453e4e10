// SPDX-License-Identifier: MIT
// Removing a folder that an agent had to itself.
//
// Guarantees: nothing outside of it is touched: no symbolic link is followed,
// also not one that is put there meanwhile, and nothing that is mounted in
// there is entered (EBUSY). Folders without permissions, names of any length
// and trees of any depth are removed too.
// Threads: any. Needs nothing but the standard library.
// Failure: an error number; what could be removed is gone.
#pragma once

#include <string>

namespace baton::sandbox {

/// 0 also when there is nothing of that name.
int remove_tree(const std::string& path);

/// All in the folder but the entry `kept`, which may be empty.
int remove_content(const std::string& folder, const std::string& kept);

} // namespace baton::sandbox
