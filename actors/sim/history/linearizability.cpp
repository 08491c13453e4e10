// SPDX-License-Identifier: MIT
#include "actors/sim/history/linearizability.hpp"

#include "actors/sim/history/run_model.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace baton::history {
namespace {

/// Shown of the order found, and of what does not fit behind it.
constexpr std::size_t shown_max = 12;

class search {
public:
  search(std::vector<operation> all, std::size_t configurations_max)
    : all_(in_order(std::move(all))),
      model_(all_),
      configurations_max_(configurations_max),
      done_(all_.size() / 64 + 1) {
    left_ = static_cast<std::size_t>(
      std::ranges::count_if(all_, [](const auto& x) { return is_known(x); }));
  }

  finding run(std::uint64_t first_epoch) {
    run_state start;
    start.epoch = first_epoch;
    auto found = explain(start);
    finding out;
    out.configurations = visited_.size();
    if (too_long_) {
      out.what = verdict::undecided;
      out.text = "undecided after " + std::to_string(visited_.size())
                 + " configurations; " + report();
    } else {
      out.what = found ? verdict::linearizable : verdict::impossible;
      out.text = found ? "" : "no order explains this: " + report();
    }
    return out;
  }

private:
  using bits = std::vector<std::uint64_t>;

  static bool is_known(const operation& x) {
    return x.got.what != outcome::unknown;
  }

  static std::vector<operation> in_order(std::vector<operation> all) {
    std::ranges::stable_sort(all, {}, &operation::invoked_ns);
    return all;
  }

  bool is_done(std::size_t i) const { return done_[i / 64] >> (i % 64) & 1; }

  void take(std::size_t i) {
    done_[i / 64] |= std::uint64_t{1} << (i % 64);
    left_ -= is_known(all_[i]) ? 1 : 0;
    order_.push_back(i);
  }

  void give_back() {
    auto i = order_.back();
    order_.pop_back();
    done_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    left_ += is_known(all_[i]) ? 1 : 0;
  }

  /// What may come next: whatever no answer precedes.
  std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> out;
    auto limit = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (is_done(i))
        continue;
      if (all_[i].invoked_ns > limit)
        break;
      if (is_known(all_[i]))
        limit = std::min(limit, all_[i].returned_ns);
      out.push_back(i);
    }
    std::erase_if(out, [&](auto i) { return all_[i].invoked_ns > limit; });
    return out;
  }

  /// Takes everything that is right now and changes nothing.
  void settle(const run_state& s) {
    for (auto again = true; again;) {
      again = false;
      for (auto i : candidates()) {
        if (!is_known(all_[i]) || model_.apply(s, i) != s)
          continue;
        take(i);
        again = true;
      }
    }
  }

  /// Operations that change the run, the known ones first.
  std::vector<std::pair<std::size_t, run_state>> branches(const run_state& s) {
    std::vector<std::pair<std::size_t, run_state>> known;
    std::vector<std::pair<std::size_t, run_state>> unknown;
    auto has_claim = false;
    for (auto i : candidates()) {
      auto next = model_.apply(s, i);
      if (!next || *next == s)
        continue;
      if (is_known(all_[i])) {
        known.emplace_back(i, *next);
        continue;
      }
      if (all_[i].what == verb::claim && std::exchange(has_claim, true))
        continue;
      unknown.emplace_back(i, *next);
    }
    known.insert(known.end(), unknown.begin(), unknown.end());
    return known;
  }

  bool explain(const run_state& s) {
    auto before = order_.size();
    settle(s);
    remember(s);
    if (left_ == 0)
      return true;
    if (visited_.emplace(done_, s).second) {
      too_long_ = too_long_ || visited_.size() > configurations_max_;
      for (const auto& [i, next] : branches(s)) {
        if (too_long_)
          break;
        take(i);
        if (explain(next))
          return true;
        give_back();
      }
    }
    while (order_.size() > before)
      give_back();
    return false;
  }

  void remember(const run_state& s) {
    if (order_.size() < best_.size() || (order_.empty() && !best_.empty()))
      return;
    best_ = order_;
    best_state_ = s;
  }

  std::string report() {
    std::string out = std::to_string(best_.size()) + " of "
                      + std::to_string(all_.size())
                      + " operations fit in an order, the last of them:\n";
    auto skipped = best_.size() - std::min(best_.size(), shown_max);
    for (auto k = skipped; k < best_.size(); ++k)
      out += "  " + to_string(all_[best_[k]]) + "\n";
    out += "then the run is at " + model_.describe(best_state_)
           + ", where none of these is right:\n";
    while (!order_.empty())
      give_back();
    for (auto i : best_)
      take(i);
    auto stuck = candidates();
    for (std::size_t k = 0; k < std::min(stuck.size(), shown_max); ++k)
      out += "  " + to_string(all_[stuck[k]]) + "\n";
    return out;
  }

  std::vector<operation> all_;
  run_model model_;
  std::size_t configurations_max_;

  bits done_;
  std::size_t left_ = 0;
  std::vector<std::size_t> order_;
  std::set<std::pair<bits, run_state>> visited_;
  bool too_long_ = false;

  std::vector<std::size_t> best_;
  run_state best_state_;
};

} // namespace

finding check(std::vector<operation> all, std::size_t configurations_max,
              std::uint64_t first_epoch) {
  return search{std::move(all), configurations_max}.run(first_epoch);
}

} // namespace baton::history
