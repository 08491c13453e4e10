// SPDX-License-Identifier: MIT
#include "tests/cluster/racing_client.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace baton::cluster_test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using history::answer;
using history::operation;
using history::outcome;
using history::verb;
using test::reply;

/// Of one answer; longer than a worker waits for its coordinator.
constexpr auto patience = 25s;

reply send(std::uint16_t port, std::string_view method,
           const std::string& target, std::string_view body,
           const std::string& headers) {
  try {
    http::test::client client{port};
    if (client.send(http::test::request(method, target, body, headers)))
      return client.read(nullptr, false, patience);
  } catch (const std::runtime_error&) {
    // Nobody listens.
  }
  return {};
}

// -- requests -----------------------------------------------------------------

reply ask(std::uint16_t port, const std::string& run, const operation& x) {
  auto target = test::daemon::path(run);
  auto epoch = "Baton-Epoch: " + std::to_string(x.epoch) + "\r\n";
  std::string body;
  switch (x.what) {
  case verb::claim:
    body = json::serialize(
      json::object{{"holder", "client-" + std::to_string(x.client)},
                   {"ttl_ms", 600'000},
                   {"steal", x.steal}});
    return send(port, "POST", target + "/claim", body, {});
  case verb::append:
    for (const auto& line : x.lines)
      body += line + "\n";
    return send(port, "POST", target + "/entries", body,
                epoch + "Baton-Seq: " + std::to_string(x.first_seq) + "\r\n");
  case verb::renew:
    return send(port, "PUT", target + "/claim", {}, epoch);
  case verb::release:
    return send(port, "DELETE", target + "/claim", {}, epoch);
  case verb::finish:
    body = json::serialize(json::object{{"status", x.status}});
    return send(port, "POST", target + "/finish", body, epoch);
  case verb::read:
    break;
  }
  return x.wants_log ? send(port, "GET", target + "/events?live=0", {},
                            "Accept: application/x-ndjson\r\n")
                     : send(port, "GET", target, {}, {});
}

// -- answers ------------------------------------------------------------------

std::optional<std::uint64_t> number_in(const json::object& from,
                                       std::string_view name) {
  auto* found = from.if_contains(name);
  if (found == nullptr)
    return std::nullopt;
  return found->to_number<std::uint64_t>();
}

/// Throws what is no log: entries count from 1, each begins where the one
/// before ended.
std::vector<history::log_item> log_in(std::string_view body) {
  std::vector<history::log_item> out;
  std::uint64_t end = 0;
  while (!body.empty()) {
    auto line = body.substr(0, body.find('\n'));
    body.remove_prefix(std::min(body.size(), line.size() + 1));
    auto entry = json::parse(line).as_object();
    if (number_in(entry, "seq") != out.size() + 1
        || number_in(entry, "begin") != end)
      throw std::runtime_error{"gap behind entry "
                               + std::to_string(out.size())};
    end = number_in(entry, "end").value_or(0);
    out.push_back({number_in(entry, "epoch").value_or(0),
                   json::value_to<std::string>(entry.at("data"))});
  }
  return out;
}

answer granted(const operation& x, const reply& from) {
  answer out{outcome::ok};
  if (x.what == verb::release)
    return out;
  if (x.what == verb::read && x.wants_log) {
    out.log = log_in(from.body);
    return out;
  }
  auto body = json::parse(from.body).as_object();
  out.position = body.at("position").to_number<std::uint64_t>();
  if (x.what == verb::append) {
    out.seq = body.at("last_seq").to_number<std::uint64_t>();
    out.duplicate = body.contains("duplicate");
    return out;
  }
  out.epoch = body.at("epoch").to_number<std::uint64_t>();
  auto is_record = x.what == verb::read || x.what == verb::finish;
  out.seq =
    body.at(is_record ? "entries" : "next_seq").to_number<std::uint64_t>();
  if (is_record)
    out.status = json::value_to<std::string>(body.at("status"));
  return out;
}

answer refused(const reply& from) {
  auto body = json::parse(from.body).at("error").as_object();
  auto code = json::value_to<std::string>(body.at("code"));
  answer out;
  out.epoch = number_in(body, "epoch");
  if (code == "fenced" || code == "held") {
    out.what = code == "held" ? outcome::held : outcome::fenced;
  } else if (code == "gap") {
    out.what = outcome::gap;
    out.seq = number_in(body, "next_seq");
  } else if (code == "mismatch") {
    out.what = outcome::mismatch;
    out.seq = number_in(body, "seq");
  } else if (code == "terminal") {
    out.what = outcome::terminal;
  } else {
    throw std::runtime_error{"a conflict that the contract does not know"};
  }
  return out;
}

/// 5xx and no whole answer leave open what happened.
answer understood(const operation& x, const reply& from) {
  if (from.status == 200 && from.whole)
    return granted(x, from);
  if (from.status == 409 && from.whole)
    return refused(from);
  if (from.whole && from.status != 503 && from.status != 504)
    throw std::runtime_error{"an answer that the contract does not know"};
  return {};
}

} // namespace

void perform(const course& on, std::size_t node, const std::string& run,
             operation& x, std::vector<std::string>& complaints) {
  auto now = [&] {
    return std::chrono::nanoseconds{std::chrono::steady_clock::now() - on.start}
      .count();
  };
  x.node = on.nodes[node].name;
  x.invoked_ns = now();
  auto from = ask(on.nodes[node].port, run, x);
  x.returned_ns = now();
  try {
    x.got = understood(x, from);
  } catch (const std::exception& why) {
    complaints.push_back(run + ": " + why.what() + ": " + to_string(x) + ": "
                         + std::to_string(from.status) + " "
                         + from.body.substr(0, 400));
  }
}

// -- the client ---------------------------------------------------------------

racing_client::racing_client(course& on, int number, std::uint64_t seed)
  : course_(on),
    number_(number),
    random_(seed * 100 + static_cast<std::uint64_t>(number)),
    home_(static_cast<std::size_t>(number) % on.nodes.size()) {}

void racing_client::race(int operations) {
  std::size_t lane = 0;
  std::size_t number = 0;
  int stays = 0;
  for (int i = 0; i < operations; ++i, ++course_.operations) {
    // The others' race goes on.
    if (!complaints_.empty())
      continue;
    if (stays > 0) {
      --stays;
    } else {
      if (random_.below(5) == 0)
        lane = random_.below(course_.lanes.size());
      number = course_.lanes[lane].current;
    }
    auto& in = course_.lanes[lane];
    auto x = play(in.runs[number]);
    auto ended = x.got.what == outcome::terminal
                 || (x.what == verb::finish && x.got.what == outcome::ok);
    if (!ended || number + 1 == in.runs.size())
      continue;
    // What comes behind an end is worth a look.
    if (x.got.what == outcome::ok)
      stays = 5;
    auto expected = number;
    in.current.compare_exchange_strong(expected, number + 1);
  }
}

operation racing_client::play(const std::string& run) {
  auto& known = beliefs_[run];
  auto x = draw(known);
  // What is unknown is asked again at once, as a driver would.
  for (int again = 0; again < 10; ++again) {
    x.client = number_;
    perform(course_, ready_node(), run, x, complaints_);
    told_[run].push_back(x);
    in_doubt_ = x.got.what == outcome::unknown;
    if (!in_doubt_ || x.what != verb::append)
      break;
  }
  learn(known, x);
  return x;
}

operation racing_client::draw(const belief& b) {
  operation out;
  out.epoch = b.epoch;
  auto dice = random_.below(100);
  if (dice < 8) {
    out.what = verb::read;
    out.wants_log = dice < 4;
  } else if (b.epoch == 0 || dice < 12) {
    out.what = verb::claim;
    out.steal = random_.below(3) == 0;
  } else if (dice < 78) {
    return draw_append(b);
  } else if (dice < 86 && b.last.epoch != 0) {
    out = b.last;
    out.got = {};
    if (out.what == verb::finish && random_.below(2) == 0)
      out.status = "aborted";
  } else if (dice < 91) {
    out.what = verb::renew;
  } else if (dice < 94) {
    out.what = verb::release;
  } else {
    out.what = verb::finish;
    out.status = random_.below(2) == 0 ? "completed" : "failed";
  }
  return out;
}

operation racing_client::draw_append(const belief& b) {
  operation out;
  out.what = verb::append;
  out.epoch = b.epoch;
  out.first_seq = b.next_seq + (random_.below(25) == 0 ? 1 : 0);
  for (auto n = 1 + random_.below(4); n > 0; --n)
    out.lines.push_back("c" + std::to_string(number_) + "-"
                        + std::to_string(++lines_));
  return out;
}

void racing_client::learn(belief& b, const operation& x) {
  if (x.what == verb::append || x.what == verb::finish)
    b.last = x;
  if (x.got.what == outcome::ok && x.what == verb::claim) {
    b.epoch = *x.got.epoch;
    b.next_seq = *x.got.seq;
  } else if (x.got.what == outcome::ok && x.what == verb::append) {
    b.next_seq = std::max(b.next_seq, *x.got.seq + 1);
  } else if (x.got.what == outcome::gap) {
    b.next_seq = *x.got.seq;
  } else if (x.got.what == outcome::mismatch) {
    b.epoch = 0;
  } else if (x.got.what == outcome::fenced && random_.below(4) != 0) {
    // The others do not notice, and write on.
    b.epoch = 0;
  }
}

std::size_t racing_client::ready_node() {
  auto found = home_;
  auto is_ready = [&] {
    for (std::size_t i = 0; i < course_.nodes.size(); ++i) {
      found = (home_ + i) % course_.nodes.size();
      auto port = course_.nodes[found].port.load();
      if (port != 0
          && (!in_doubt_ || send(port, "GET", "/readyz", {}, {}).status == 200))
        return true;
    }
    return false;
  };
  if (!test::wait_until(is_ready, 60s))
    complaints_.push_back("no node is ready");
  return found;
}

} // namespace baton::cluster_test
