// SPDX-License-Identifier: MIT
#include "apps/batond/single_node.hpp"

namespace baton {

status check_single_node(const settings& given) {
  const char* flag = nullptr;
  if (!given.join.empty())
    flag = "--join";
  else if (given.cluster)
    flag = "--cluster";
  else if (given.tls.is_on())
    flag = "--tls-cert";
  if (flag == nullptr)
    return {};
  return make_status(errc::unsupported,
                     std::string{flag}
                       + ": expected a single node, which is all that this "
                         "version serves (start without --join, --cluster and "
                         "--tls-*; --http-tls-* is for HTTP)");
}

} // namespace baton
