// SPDX-License-Identifier: MIT
// The part of the metrics page that tells which node it is of.
// Threads: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace baton::http {

/// `http`: ADDR:PORT, or `none`.
std::string node_metrics(std::string_view node, std::string_view http);

} // namespace baton::http
