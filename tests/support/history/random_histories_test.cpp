// SPDX-License-Identifier: MIT
// Goal: the checker and the product's own rules agree, and long histories are
// decided quickly. Method: seeded clients against storage's decisions, whole
// or with a bug planted, on a clock of our own.
#include "storage/fencing.hpp"
#include "tests/messages/seeded.hpp"
#include "actors/sim/history/linearizability.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

namespace baton::history {
namespace {

enum class bug {
  none,
  stale_appends,
  same_epoch,
  forgotten_append,
  repeats_count,
  ends_change,
};

/// One run, as the storage's rules decide it.
class ruled_run {
public:
  explicit ruled_run(bug planted) : planted_(planted) {
    auto spec = std::make_shared<run_spec>();
    spec->id = run_id{"r"};
    spec->external = true;
    run_.spec = spec;
  }

  answer apply(const operation& x) {
    switch (x.what) {
    case verb::claim:
      return claim();
    case verb::append:
      return append(x);
    case verb::renew:
      if (storage::is_current(run_.state, epoch{x.epoch})
          && !is_terminal(run_.state.status))
        return {outcome::ok, x.epoch, run_.state.last_seq.value + 1};
      return refusal(storage::fenced(run_, epoch{x.epoch}));
    case verb::release:
      return put(storage::decide_release(run_, epoch{x.epoch}));
    case verb::finish:
      return finish(x);
    case verb::read:
      break;
    }
    auto out = shown();
    out.log = log_;
    return out;
  }

  std::uint64_t size() const { return log_.size(); }

private:
  answer claim() {
    auto was = run_.state.epoch;
    auto out = put(storage::decide_claim(run_, {"h", "steal", {}}));
    if (planted_ == bug::same_epoch && out.what == outcome::ok && was.value > 0)
      run_.state.epoch = was;
    if (out.what == outcome::ok) {
      out.epoch = run_.state.epoch.value;
      out.seq = run_.state.last_seq.value + 1;
    }
    return out;
  }

  answer append(const operation& x) {
    line_batch lines;
    for (const auto& line : x.lines)
      lines.add(line + "\n", false);
    auto held = epoch{x.epoch};
    if (planted_ == bug::stale_appends && held < run_.state.epoch
        && !run_.state.holder.empty())
      held = run_.state.epoch;
    storage::append_order order{held, seq{x.first_seq}, {}, lines, {}};
    auto plan = storage::decide_append(run_, order);
    if (!plan)
      return refusal(plan.error());
    for (std::size_t i = 0; i < plan->stored; ++i)
      if (log_[x.first_seq - 1 + i].line != x.lines[i])
        return {outcome::mismatch, {}, x.first_seq + i};
    if (plan->refusal)
      return refusal(*plan->refusal);
    auto last = x.first_seq + x.lines.size() - 1;
    auto is_repeat = !plan->change && planted_ != bug::repeats_count;
    answer out{outcome::ok, {}, last, {}, is_repeat};
    if (!plan->change
        || (planted_ == bug::forgotten_append && ++appends_ == 20))
      return out;
    run_ = plan->change->record;
    for (auto i = plan->stored; i < x.lines.size(); ++i)
      log_.push_back({x.epoch, x.lines[i]});
    return out;
  }

  answer finish(const operation& x) {
    storage::finish_order order;
    order.held = epoch{x.epoch};
    order.outcome.status = *run_status_from_string(x.status);
    if (planted_ == bug::ends_change)
      run_.state.status = run_status::running;
    auto change = storage::decide_finish(run_, order);
    if (!change)
      return refusal(change.error());
    if (*change)
      run_ = (*change)->record;
    return shown();
  }

  answer shown() const {
    return {outcome::ok,
            run_.state.epoch.value,
            run_.state.last_seq.value,
            run_.state.end.value,
            {},
            std::string{to_string(run_.state.status)}};
  }

  answer put(const result<storage::commit>& change) {
    if (!change)
      return refusal(change.error());
    run_ = change->record;
    return {outcome::ok};
  }

  answer refusal(const status& why) const {
    if (why.code == errc::fenced)
      return {outcome::fenced, run_.state.epoch.value};
    if (why.code == errc::gap)
      return {outcome::gap, {}, run_.state.last_seq.value + 1};
    return {outcome::terminal};
  }

  bug planted_;
  run_record run_;
  std::vector<log_item> log_;
  int appends_ = 0;
};

/// Clients whose operations overlap: each takes effect somewhere in its span,
/// one in fifty is never answered, and half of those never happen.
class racing_clients {
public:
  racing_clients(std::uint64_t seed, bug planted, bool ends)
    : random_(seed), run_(planted), ends_(ends) {}

  std::vector<operation> race(int clients, int operations) {
    std::vector<operation> all;
    std::vector<belief> beliefs(static_cast<std::size_t>(clients));
    std::vector<std::int64_t> free_at(beliefs.size());
    for (int n = clients * operations; n > 0; --n) {
      now_ += 10;
      auto who = random_.below(beliefs.size());
      if (free_at[who] >= now_)
        continue;
      auto x = draw(beliefs[who], n);
      x.client = static_cast<int>(who);
      auto before = static_cast<std::int64_t>(random_.below(60));
      x.invoked_ns = std::max(free_at[who] + 1, now_ - before);
      x.returned_ns = now_ + static_cast<std::int64_t>(random_.below(60));
      free_at[who] = x.returned_ns;
      auto is_lost = random_.below(50) == 0;
      if (!is_lost || random_.below(2) == 0)
        x.got = run_.apply(x);
      if (is_lost)
        x.got = {};
      learn(beliefs[who], x);
      all.push_back(std::move(x));
    }
    now_ += 1'000;
    operation last;
    last.invoked_ns = now_;
    last.returned_ns = now_ + 1;
    last.got = run_.apply(last);
    all.push_back(std::move(last));
    return all;
  }

private:
  struct belief {
    std::uint64_t epoch = 0;
    std::uint64_t next = 1;
    operation last = {};
  };

  operation draw(const belief& b, int n) {
    operation out;
    out.epoch = b.epoch;
    auto dice = random_.below(100);
    if (b.epoch == 0 || dice < 12) {
      out.what = verb::claim;
    } else if (dice < 65) {
      out.what = verb::append;
      out.first_seq = b.next + (random_.below(30) == 0 ? 1 : 0);
      for (auto k = 1 + random_.below(3); k > 0; --k)
        out.lines.push_back(std::to_string(n) + "." + std::to_string(k));
    } else if (dice < 75 && !b.last.lines.empty()) {
      out = b.last;
      out.epoch = b.epoch;
    } else if (dice < 80) {
      out.what = verb::renew;
    } else if (dice < 84) {
      out.what = verb::release;
    } else if (dice < 85 && ends_) {
      out.what = verb::finish;
      out.status = random_.below(2) == 0 ? "completed" : "failed";
    }
    out.got = {};
    return out;
  }

  static void learn(belief& b, const operation& x) {
    if (x.what == verb::append)
      b.last = x;
    if (x.got.what == outcome::ok && x.what == verb::claim)
      b = {*x.got.epoch, *x.got.seq, b.last};
    else if (x.got.what == outcome::ok && x.what == verb::append)
      b.next = std::max(b.next, *x.got.seq + 1);
    else if (x.got.what == outcome::fenced && x.epoch % 4 != 0)
      b.epoch = 0;
  }

  test::seeded random_;
  ruled_run run_;
  bool ends_;
  std::int64_t now_ = 0;
};

std::vector<operation> history_of(std::uint64_t seed, bug planted,
                                  bool ends = false) {
  return racing_clients{seed, planted, ends}.race(8, 150);
}

} // namespace

BOOST_AUTO_TEST_SUITE(history_random_histories)

BOOST_AUTO_TEST_CASE(what_the_rules_of_storage_allow_is_linearizable) {
  std::size_t longest = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto found = check(history_of(seed, bug::none, seed % 2 == 0));
    longest = std::max(longest, found.configurations);
    BOOST_TEST((found.what == verdict::linearizable),
               "seed " << seed << ": " << found.text);
  }

  // The bound is far away.
  BOOST_TEST(longest < 50'000U);
}

BOOST_AUTO_TEST_CASE(a_bug_in_the_rules_is_seen) {
  for (auto planted :
       {bug::stale_appends, bug::same_epoch, bug::forgotten_append,
        bug::repeats_count, bug::ends_change}) {
    // Not each history gets to where the bug is.
    int seen = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      auto found =
        check(history_of(seed, planted, planted == bug::ends_change));
      BOOST_TEST((found.what != verdict::undecided), found.text);
      seen += found.what == verdict::impossible ? 1 : 0;
    }
    BOOST_TEST(seen >= 4, "bug " << static_cast<int>(planted) << " is seen in "
                                 << seen << " of 10 histories");
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::history
