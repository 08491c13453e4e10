// SPDX-License-Identifier: MIT
#include "actors/sim/driver_watch.hpp"

#include "actors/sim/driver.hpp"
#include "messages/caf_types.hpp"

#include <caf/monitorable_actor.hpp>

#include <map>
#include <memory>
#include <set>
#include <utility>

namespace baton::sim {
namespace {

/// No machine counts its actors that far, so that no id is anybody else's.
constexpr caf::actor_id own_id = 1'000'000'000'000;

/// What one driver asked, and was not told yet.
class dialogue {
public:
  explicit dialogue(watched_driver who) : who_(std::move(who)) {}

  void on_asked(caf::message_id id, const caf::message& x) {
    if (!*who_.alive)
      return;
    if (x.match_elements<claim_run>())
      return give_up(0);
    if (!x.match_elements<append_lines>())
      return;
    const auto& a = x.get_as<append_lines>(0);
    give_up(a.first_seq.value);
    who_.judge->show_driver_append(who_.name, a);
    sent_[id.response_id().integer_value()] = {
      a.epoch.value, a.first_seq.value + a.lines.size() - 1};
  }

  void on_told(caf::message_id id, const caf::message& x) {
    if (!*who_.alive)
      return;
    auto known = sent_.extract(id.integer_value());
    if (x.match_elements<append_done>())
      who_.judge->show_driver_ack(
        who_.name, x.get_as<append_done>(0),
        given_up_.contains(id.integer_value()) ? "too late" : "");
    else if (x.match_elements<caf::error>())
      on_refused(known.empty() ? append{} : known.mapped(),
                 to_status(x.get_as<caf::error>(0)).code, !known.empty());
  }

private:
  struct append {
    std::uint64_t epoch = 0;
    std::uint64_t last = 0;
  };

  /// Who sends that again, or claims again, does not wait any longer.
  void give_up(std::uint64_t first) {
    std::erase_if(sent_, [&](const auto& x) {
      if (x.second.last < first)
        return false;
      show(event_kind::lost, x.second, "no answer");
      given_up_.insert(x.first);
      return true;
    });
  }

  void on_refused(const append& sent, errc code, bool was_append) {
    std::string why{to_string(code)};
    auto unknown = outcome_of(code) == history::outcome::unknown;
    if (was_append && unknown)
      show(event_kind::lost, sent, "no answer: " + why);
    else if (!unknown && (was_append || code != errc::held))
      show(event_kind::refused, sent, why);
  }

  void show(event_kind what, const append& sent, const std::string& text) {
    who_.judge->show_driver(what, who_.name, who_.run, sent.epoch, sent.last,
                            text);
  }

  watched_driver who_;
  /// By the id of the answer.
  std::map<std::uint64_t, append> sent_;
  std::set<std::uint64_t> given_up_;
};

/// What the node takes for the driver.
class answer_side : public caf::monitorable_actor {
public:
  answer_side(caf::actor_config& config, caf::strong_actor_ptr driver,
              std::shared_ptr<dialogue> what)
    : caf::monitorable_actor(config),
      driver_(std::move(driver)),
      what_(std::move(what)) {
    // nop
  }

  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* on) override {
    auto id = x->mid;
    auto content = x->move_content_to_message();
    if (id.is_response())
      what_->on_told(id, content);
    driver_->enqueue(caf::make_mailbox_element(std::move(x->sender), id,
                                               std::move(x->stages),
                                               std::move(content)),
                     on);
  }

private:
  caf::strong_actor_ptr driver_;
  std::shared_ptr<dialogue> what_;
};

/// What the driver takes for the node.
class question_side : public caf::monitorable_actor {
public:
  question_side(caf::actor_config& config, caf::actor node, watched_driver who)
    : caf::monitorable_actor(config),
      node_(std::move(node)),
      what_(std::make_shared<dialogue>(std::move(who))) {
    // nop
  }

  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* on) override {
    auto id = x->mid;
    auto content = x->move_content_to_message();
    auto from = std::move(x->sender);
    if (id.is_request() && from) {
      what_->on_asked(id, content);
      caf::actor_config config{on};
      auto driver = from->id();
      from = caf::make_actor<answer_side, caf::strong_actor_ptr>(
        driver, home_system().node(), &home_system(), config, std::move(from),
        what_);
    }
    node_->enqueue(caf::make_mailbox_element(std::move(from), id,
                                             std::move(x->stages),
                                             std::move(content)),
                   on);
  }

private:
  caf::actor node_;
  std::shared_ptr<dialogue> what_;
};

} // namespace

caf::actor watched_handle(caf::actor_system& system, const caf::actor& node,
                          watched_driver who) {
  caf::actor_config config;
  return caf::make_actor<question_side, caf::actor>(
    own_id, system.node(), &system, config, node, std::move(who));
}

} // namespace baton::sim
