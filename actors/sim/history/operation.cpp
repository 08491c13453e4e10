// SPDX-License-Identifier: MIT
#include "actors/sim/history/operation.hpp"

#include <array>
#include <iomanip>
#include <sstream>
#include <string_view>

namespace baton::history {
namespace {

constexpr std::array<std::string_view, 6> verbs{"claim",   "append", "renew",
                                                "release", "finish", "read"};
constexpr std::array<std::string_view, 7> outcomes{
  "unknown", "ok", "held", "fenced", "gap", "mismatch", "terminal"};

std::string request_of(const operation& x) {
  auto out = std::string{verbs[static_cast<std::size_t>(x.what)]};
  if (x.what == verb::claim)
    return out + (x.steal ? "(steal)" : "()");
  if (x.what == verb::read)
    return out;
  out += "(epoch " + std::to_string(x.epoch);
  if (x.what == verb::append)
    out += ", seq " + std::to_string(x.first_seq);
  for (const auto& line : x.lines)
    out += ", " + line;
  if (x.what == verb::finish)
    out += ", " + x.status;
  return out + ")";
}

std::string answer_of(const answer& x) {
  auto out = std::string{outcomes[static_cast<std::size_t>(x.what)]};
  if (x.epoch)
    out += " epoch " + std::to_string(*x.epoch);
  if (x.seq)
    out += " seq " + std::to_string(*x.seq);
  if (x.position)
    out += " position " + std::to_string(*x.position);
  if (x.duplicate)
    out += *x.duplicate ? " duplicate" : " new";
  if (x.status)
    out += " " + *x.status;
  if (x.log)
    out += " log of " + std::to_string(x.log->size());
  return out;
}

} // namespace

std::string to_string(const operation& x) {
  auto ms = [](std::int64_t ns) { return static_cast<double>(ns) / 1e6; };
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << '[' << ms(x.invoked_ns) << ", "
      << ms(x.returned_ns) << " ms] client " << x.client;
  if (!x.node.empty())
    out << " at " << x.node;
  out << ": " << request_of(x) << " -> " << answer_of(x.got);
  return out.str();
}

} // namespace baton::history
