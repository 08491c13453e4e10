// SPDX-License-Identifier: MIT
#include "apps/baton_bench/give_up.hpp"

#include <cstdio>
#include <cstdlib>

namespace baton::bench {

void give_up(const std::string& why) {
  std::fprintf(stderr, "baton-bench: %s\n", why.c_str());
  std::exit(125);
}

} // namespace baton::bench
