// SPDX-License-Identifier: MIT
#include "tests/cluster/cluster.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace baton::test {
namespace {

std::string text_of(const json::object& x, std::string_view name) {
  auto* found = x.if_contains(name);
  return found != nullptr && found->is_string()
           ? json::value_to<std::string>(*found)
           : std::string{};
}

std::string name_of(std::size_t i) {
  return "n" + std::to_string(i);
}

} // namespace

cluster::cluster(const options& how) : how_(how) {
  auto first = common_args(0);
  first.insert(first.end(), {"--cluster", "127.0.0.1:0"});
  nodes_.push_back(std::make_unique<daemon>());
  nodes_[0]->start(first);
  for (int i = 1; i <= how.workers; ++i)
    add_node().begin(worker_args(static_cast<std::size_t>(i)));
  for (std::size_t i = 1; i < nodes_.size(); ++i)
    if (!nodes_[i]->wait_ready())
      throw std::runtime_error{"no worker: " + nodes_[i]->log()};
}

daemon& cluster::named(std::string_view name) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (name == name_of(i))
      return *nodes_[i];
  throw std::runtime_error{"no node is called '" + std::string{name} + "'"};
}

daemon& cluster::add_node() {
  nodes_.push_back(std::make_unique<daemon>());
  return *nodes_.back();
}

std::vector<std::string> cluster::common_args(std::size_t i) const {
  std::vector<std::string> out{"--node-id", name_of(i), "--host-label",
                               "here",      "--lease",  how_.lease};
  out.insert(out.end(), how_.more.begin(), how_.more.end());
  return out;
}

std::vector<std::string> cluster::worker_args(std::size_t i) const {
  auto out = common_args(i);
  out.insert(out.end(), {"--join", nodes_[0]->cluster_address()});
  return out;
}

// -- agents -------------------------------------------------------------------

json::object cluster::counter_request(const std::string& run, int count,
                                      int pause_ms) const {
  auto shell = "echo $$ >> '" + pids_of(run) + "'; "
               + counter(count, pause_ms, end_of(run));
  return {{"run_id", run}, {"command", shell}};
}

std::string cluster::count(std::size_t through, std::size_t on, int count,
                           int pause_ms) {
  auto run = "run-" + std::to_string(++runs_);
  auto wanted = counter_request(run, count, pause_ms);
  wanted["node"] = name_of(on);
  auto answer = node(through).create_raw(wanted);
  if (answer.status != 201)
    throw std::runtime_error{std::to_string(answer.status) + answer.body};
  return run;
}

std::size_t cluster::launches(const std::string& run) const {
  auto lines = content_of(pids_of(run));
  return static_cast<std::size_t>(std::ranges::count(lines, '\n'));
}

// -- looking ------------------------------------------------------------------

std::optional<json::object> try_record(const daemon& d, std::string_view run) {
  auto answer = d.request("GET", daemon::path(run), {}, {}, 5s);
  if (answer.status != 200)
    return std::nullopt;
  return json::parse(answer.body).as_object();
}

std::int64_t epoch_of(const daemon& d, std::string_view run) {
  return d.record(run).at("epoch").to_number<std::int64_t>();
}

std::string holder_of(const daemon& d, std::string_view run) {
  return text_of(d.record(run), "node");
}

std::vector<claim> claims_of(const daemon& d, std::string_view run) {
  auto answer = d.get(daemon::path(run, "/claims"));
  if (answer.status != 200)
    throw std::runtime_error{"claims: " + answer.body};
  std::vector<claim> out;
  auto told = json::parse(answer.body);
  for (const auto& x : told.at("claims").as_array()) {
    const auto& row = x.as_object();
    out.push_back({row.at("epoch").to_number<std::int64_t>(),
                   text_of(row, "holder"), text_of(row, "cause"),
                   row.at("first_seq").to_number<std::int64_t>()});
  }
  return out;
}

std::string state_of(const daemon& d, std::string_view node) {
  auto answer = d.get("/v1/nodes");
  if (answer.status != 200)
    return {};
  auto told = json::parse(answer.body);
  for (const auto& x : told.at("nodes").as_array())
    if (text_of(x.as_object(), "node_id") == node)
      return text_of(x.as_object(), "state");
  return {};
}

bool wait_for_record(const daemon& d, std::string_view run,
                     const std::function<bool(const json::object&)>& wanted,
                     millis patience) {
  return wait_until(
    [&] {
      auto found = try_record(d, run);
      return found && wanted(*found);
    },
    patience);
}

bool wait_for_epoch(const daemon& d, std::string_view run, std::int64_t above,
                    millis patience) {
  return wait_for_record(
    d, run,
    [&](const json::object& x) {
      return x.at("epoch").to_number<std::int64_t>() > above;
    },
    patience);
}

std::int64_t entries_at(const daemon& d, std::string_view run) {
  auto found = try_record(d, run);
  return found ? found->at("entries").to_number<std::int64_t>() : -1;
}

} // namespace baton::test
