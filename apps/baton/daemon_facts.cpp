// SPDX-License-Identifier: MIT
#include "apps/baton/daemon_facts.hpp"

#include "apps/baton/api.hpp"

namespace baton::cli {

std::string daemon_version(const http_client& client) {
  auto answer = client.send({"GET", "/metrics", {}, {}});
  if (!answer || answer->head.code != 200)
    return {};
  constexpr std::string_view key = "baton_build_info{version=\"";
  auto begin = answer->body.find(key);
  if (begin == std::string::npos)
    return {};
  begin += key.size();
  return answer->body.substr(begin, answer->body.find('"', begin) - begin);
}

status daemon_readiness(const http_client& client) {
  auto answer = client.send({"GET", "/readyz", {}, {}});
  if (!answer)
    return std::move(answer).error();
  return answer->head.code == 200 ? status{}
                                  : to_status(answer->head, answer->body);
}

} // namespace baton::cli
