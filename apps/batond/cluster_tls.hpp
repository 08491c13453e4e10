// SPDX-License-Identifier: MIT
// The cluster port's certificates, tried before CAF uses them: it would end the
// process when the first node connects.
// Threads: pure, but for reading the files.
#pragma once

#include "apps/settings/settings.hpp"

namespace baton {

/// ok, or which file cannot be used and why: errc::malformed.
status check_cluster_tls(const tls_files& files);

} // namespace baton
