// SPDX-License-Identifier: MIT
#include "tests/conformance/planted_provider.hpp"

#include "actors/sandbox/process_tree.hpp"
#include "actors/sandbox/sandbox_layout.hpp"
#include "actors/sandbox/shim_state.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace baton::sandbox::test {
namespace {

constexpr bug gives_one_id = "gives every run the same id";
constexpr bug launches_late = "launches again after the removal";
constexpr bug launches_twice = "launches a second agent beside the first";
constexpr bug says_launched = "says launched when it was already";
constexpr bug fails_if_already = "fails when it was launched already";
constexpr bug takes_agents_along = "kills its agents when it goes";
constexpr bug guesses_exited = "calls unlaunched runs exited";
constexpr bug guesses_lost = "calls living agents lost";
constexpr bug loses_the_lost = "calls lost runs not launched";
constexpr bug loses_the_nonce = "reports without the nonce";
constexpr bug lost_at_first = "calls an end lost before it sees the report";
constexpr bug drops_zeros = "turns zero bytes into spaces";
constexpr bug counts_the_marker = "counts the marker as the agent's";
constexpr bug reads_from_start = "reads journals from the start only";
constexpr bug tells_nothing = "never tells of a journal's growth";
constexpr bug tells_for_ever = "tells of journals that were closed";
constexpr bug gives_the_head = "gives the head of stderr as its tail";
constexpr bug gives_all_stderr = "gives more of stderr than was asked";
constexpr bug loses_stdin = "gives no stdin";
constexpr bug loses_env = "gives no ordered environment";
constexpr bug leaks_env = "gives the launcher's environment";
constexpr bug flattens_arguments = "joins the arguments to a shell text";
constexpr bug ignores_cwd = "starts in a folder of its own choice";
constexpr bug ignores_network = "launches with network when told not to";
constexpr bug hides_the_error = "tells a missing command as an exit code";
constexpr bug sees_errors = "tells exit code 127 as an error";
constexpr bug forgets_signals = "tells deaths by signal as exits";
constexpr bug invents_signals = "tells exits above 128 as signals";
constexpr bug kills_main_only = "kills the main process only";
constexpr bug kills_everybody = "kills all agents at once";
constexpr bug kills_only_the_launched = "kills only what was launched";
constexpr bug kills_at_once = "kills without asking first";
constexpr bug kills_once = "fails when asked to kill twice";
constexpr bug waits_for_death = "waits for the death it asks for";
constexpr bug spares_the_rest = "lets what is left live on";
constexpr bug ends_what_stays = "ends what should be kept";
constexpr bug removes_living = "removes the sandbox of a living agent";
constexpr bug removes_once = "fails when asked to remove twice";
constexpr bug lists_nothing = "lists nothing";
constexpr bug lists_wrong_runs = "lists sandboxes under another run";
constexpr bug keeps_guards = "keeps guards that it is told to forget";

class planted_journal : public journal_source {
public:
  planted_journal(bug b, std::unique_ptr<journal_source> sound)
    : bug_(b), sound_(std::move(sound)) {}

  result<std::size_t> read(position from, std::span<char> out) override {
    auto n = sound_->read(bug_ == reads_from_start ? position{} : from, out);
    if (n && bug_ == drops_zeros)
      std::ranges::replace(out.first(*n), '\0', ' ');
    return n;
  }
  result<position> size() override { return sound_->size(); }

private:
  bug bug_;
  std::unique_ptr<journal_source> sound_;
};

class planted_provider : public provider {
public:
  planted_provider(bug b, std::unique_ptr<provider> sound)
    : bug_(b), sound_(std::move(sound)) {}

  ~planted_provider() override {
    if (is(takes_agents_along))
      for (const auto& x : launched_)
        kill_until_dead(x);
  }

  std::string_view name() const noexcept override { return sound_->name(); }
  capabilities can() const noexcept override { return sound_->can(); }

  std::string make_id(const run_id& run, run_no no) const override {
    return sound_->make_id(run, is(gives_one_id) ? run_no{1} : no);
  }

  result<launch_outcome> launch(const launch_order& order) override {
    auto out = sound_->launch(spoiled(order));
    bool already = out.ok() && *out == launch_outcome::already;
    std::unique_lock lock{mutex_};
    launched_.push_back(order.where);
    lock.unlock();
    if ((is(launches_twice) && !already) || (is(launches_late) && already))
      launch_beside(order);
    if (is(says_launched) && already)
      return launch_outcome::launched;
    if (is(fails_if_already) && already)
      return {errc::launch_failed, "planted"};
    return out;
  }

  result<probe_report> probe(const sandbox_binding& where) override {
    auto out = sound_->probe(where);
    if (!out)
      return out;
    auto& state = out->state;
    if (is(guesses_exited) && state == agent_state::not_launched)
      return probe_report{agent_state::exited, exit_report{}};
    if (is(guesses_lost) && state == agent_state::alive)
      state = agent_state::lost;
    if (is(loses_the_lost) && state == agent_state::lost)
      state = agent_state::not_launched;
    if (is(lost_at_first) && state == agent_state::exited
        && first_time(where.id))
      return probe_report{agent_state::lost, std::nullopt};
    if (out->exit)
      spoil(*out->exit, where);
    return out;
  }

  result<std::unique_ptr<journal_source>>
  open_journal(const sandbox_binding& where,
               std::function<void()> on_change) override {
    if (is(tells_nothing))
      on_change = [] {};
    auto out = sound_->open_journal(where, on_change);
    if (!out)
      return out;
    if (is(tells_for_ever))
      // Never closed, so never silent: a later launch finds it.
      callbacks_.push_back(on_change);
    return std::unique_ptr<journal_source>{
      std::make_unique<planted_journal>(bug_, std::move(*out))};
  }

  status kill(const sandbox_binding& where) override {
    if (is(kills_main_only))
      return kill_main(where);
    if (is(kills_everybody))
      kill_all();
    if (is(kills_at_once))
      ignore_result(kill_main(where), "planted");
    if (is(kills_only_the_launched)
        && sound_->probe(where)->state == agent_state::not_launched)
      return {};
    if (is(kills_once) && !first_time(where.id))
      return make_status(errc::in_use, "planted");
    auto out = sound_->kill(where);
    while (is(waits_for_death)
           && sound_->probe(where)->state == agent_state::alive)
      ::poll(nullptr, 0, 10);
    return out;
  }

  result<std::string> stderr_tail(const sandbox_binding& where,
                                  std::size_t bytes_max) override {
    if (is(gives_all_stderr))
      return sound_->stderr_tail(where, SIZE_MAX);
    if (!is(gives_the_head))
      return sound_->stderr_tail(where, bytes_max);
    auto all = sound_->stderr_tail(where, SIZE_MAX);
    return all ? result<std::string>{all->substr(0, bytes_max)} : all;
  }

  status remove(const sandbox_binding& where) override {
    if (is(removes_once) && !first_time(where.id))
      return make_status(errc::not_found, "planted");
    if (is(removes_living))
      kill_until_dead(where);
    return sound_->remove(where);
  }

  status forget(const sandbox_binding& where) override {
    return is(keeps_guards) ? status{} : sound_->forget(where);
  }

  result<std::vector<found_sandbox>> list() override {
    auto out = sound_->list();
    if (is(lists_nothing))
      out->clear();
    if (is(lists_wrong_runs))
      for (auto& x : *out)
        x.run.value += 1;
    return out;
  }

private:
  bool is(bug b) const { return bug_ == b; }

  bool first_time(const std::string& id) {
    std::unique_lock lock{mutex_};
    auto known = std::ranges::find(met_, id) != met_.end();
    met_.push_back(id);
    return !known;
  }

  launch_order spoiled(launch_order order) const {
    if (is(loses_stdin))
      order.stdin_bytes.clear();
    if (is(loses_env))
      order.env.clear();
    if (is(leaks_env))
      for (char** at = environ; *at != nullptr; ++at)
        if (std::string text = *at; text.find('=') != text.npos)
          order.env.emplace(text.substr(0, text.find('=')),
                            text.substr(text.find('=') + 1));
    if (is(flattens_arguments) && !order.command.shell) {
      std::string text;
      for (const auto& x : order.command.argv)
        text += x + " ";
      order.command = {true, {text}};
    }
    if (is(ignores_cwd))
      order.cwd = "/tmp";
    if (is(ignores_network))
      order.network.reset();
    if (is(kills_main_only) || is(spares_the_rest))
      order.keep_processes = true;
    if (is(ends_what_stays))
      order.keep_processes = false;
    return order;
  }

  void spoil(exit_report& x, const sandbox_binding& where) {
    if (is(loses_the_nonce))
      x.nonce.clear();
    if (is(hides_the_error))
      x.error.reset();
    if (is(sees_errors) && x.code == 127)
      x.error = run_error{errc::launch_failed, "no-such-command-here"};
    if (is(forgets_signals))
      x.signal.reset();
    if (is(invents_signals) && x.code > 128)
      x.signal = x.code - 128;
    if (is(counts_the_marker))
      x.journal_end =
        sound_->open_journal(where, [] {}).value()->size().value();
    // Once a run: whom it tells is gone when the kit cleans up.
    if (is(tells_for_ever) && first_time(where.id))
      for (const auto& f : callbacks_)
        f();
  }

  /// The order once more, where no guard stands in the way. Back when its
  /// agent has printed or ended: what it does at its begin can be seen by then.
  void launch_beside(launch_order order) {
    order.where.id += "x";
    ignore_result(sound_->launch(order), "planted");
    auto journal = sound_->open_journal(order.where, [] {}).value();
    while (journal->size().value().value == 0
           && sound_->probe(order.where)->state == agent_state::alive)
      ::poll(nullptr, 0, 10);
  }

  status kill_main(const sandbox_binding& where) {
    auto lock = shim_lock(*parse_sandbox_id(where.id));
    if (!lock || !*lock)
      return {};
    auto tree = descendants_of((*lock)->pid);
    if (!tree.empty())
      ::kill(tree.front(), SIGKILL);
    return {};
  }

  void kill_until_dead(const sandbox_binding& where) {
    while (sound_->probe(where)->state == agent_state::alive) {
      ignore_result(sound_->kill(where), "planted");
      ::poll(nullptr, 0, 10);
    }
  }

  void kill_all() {
    std::unique_lock lock{mutex_};
    for (const auto& x : launched_)
      ignore_result(sound_->kill(x), "planted");
  }

  bug bug_;
  std::unique_ptr<provider> sound_;
  std::mutex mutex_;
  std::vector<sandbox_binding> launched_;
  std::vector<std::string> met_;
  std::vector<std::function<void()>> callbacks_;
};

} // namespace

const std::vector<planted_bug>& planted_bugs() {
  static const std::vector<planted_bug> all{
    {gives_one_id, "every run has an id"},
    {launches_late, "launches at most once"},
    {launches_twice, "launches at most once"},
    {says_launched, "launches at most once"},
    {fails_if_already, "launches at most once"},
    {launches_late, "removed is never launched"},
    {takes_agents_along, "the agent outlives its launcher"},
    {guesses_exited, "probe tells the truth"},
    {guesses_lost, "probe tells the truth"},
    {loses_the_lost, "probe tells the truth"},
    {loses_the_nonce, "probe tells the truth"},
    {lost_at_first, "an end never looks lost"},
    {drops_zeros, "output is exact"},
    {counts_the_marker, "output is exact"},
    {reads_from_start, "journals are read from anywhere"},
    {tells_nothing, "journals are observed"},
    {tells_for_ever, "journals are observed"},
    {gives_the_head, "stderr has a tail"},
    {gives_all_stderr, "stderr has a tail"},
    {loses_stdin, "stdin is given and ends"},
    {loses_env, "the environment is the order's"},
    {leaks_env, "the environment is the order's"},
    {flattens_arguments, "the command is the order's"},
    {ignores_cwd, "the directory is the order's"},
    {ignores_network, "the network is the order's"},
    {hides_the_error, "what cannot be executed is told"},
    {sees_errors, "what cannot be executed is told"},
    {forgets_signals, "exits are exact"},
    {invents_signals, "exits are exact"},
    {kills_main_only, "kill takes the whole tree"},
    {kills_everybody, "kill takes the whole tree"},
    {waits_for_death, "kill takes the whole tree"},
    {kills_at_once, "kill asks first"},
    {kills_once, "kill is idempotent"},
    {kills_only_the_launched, "kill prevents the launch"},
    {spares_the_rest, "what is left ends soon"},
    {ends_what_stays, "kept processes stay"},
    {removes_living, "remove spares the living"},
    {removes_once, "remove spares the living"},
    {lists_nothing, "what exists is listed"},
    {lists_wrong_runs, "what exists is listed"},
    {keeps_guards, "guards go in a later life"},
  };
  return all;
}

std::unique_ptr<provider> plant(bug what, std::unique_ptr<provider> sound) {
  return std::make_unique<planted_provider>(what, std::move(sound));
}

} // namespace baton::sandbox::test
