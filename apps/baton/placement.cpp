// SPDX-License-Identifier: MIT
#include "apps/baton/placement.hpp"

#include "apps/baton/api.hpp"

namespace baton::cli {

namespace json = boost::json;

namespace {

/// Enough to see a misspelt name beside the right one.
constexpr std::ptrdiff_t names_max = 8;

std::string connected_text(const json::array& nodes) {
  std::string out;
  std::ptrdiff_t count = 0;
  for (const auto& value : nodes) {
    const auto* x = value.if_object();
    if (!x || text_at(*x, "state") != "live" || ++count > names_max)
      continue;
    out += (out.empty() ? "" : ", ") + text_at(*x, "node_id");
  }
  if (count == 0)
    return "none connected";
  if (count > names_max)
    out += " and " + std::to_string(count - names_max) + " more";
  return "connected: " + out;
}

} // namespace

bool waits(const json::object& record) {
  return !text_at(record, "waiting").empty();
}

std::string what_it_waits_for(const json::object& record) {
  auto what = text_at(record, "waiting");
  if (what == "sandbox")
    return "for its thread's old sandbox to go";
  return what.empty() ? what : "for a " + what;
}

std::string waiting_text(const json::object& record,
                         const std::string& asked_node,
                         const json::array& nodes) {
  auto id = text_at(record, "run_id");
  if (text_at(record, "waiting") != "node")
    return id + " waits " + what_it_waits_for(record)
           + " (see it with: baton sandboxes; give the run up with: baton "
             "cancel "
           + id + ")";
  auto provider = text_at(object_at(record, "sandbox"), "provider");
  auto asked = asked_node.empty() ? "" : "node " + asked_node + ", ";
  return id + " waits for a node that is eligible (asked: " + asked + "sandbox "
         + provider + "; " + connected_text(nodes)
         + "; give it up with: baton cancel " + id + ")";
}

} // namespace baton::cli
