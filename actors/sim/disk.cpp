// SPDX-License-Identifier: MIT
#include "actors/sim/disk.hpp"

#include <utility>
#include <vector>

namespace baton::sim {
namespace {

status dead_status() {
  return make_status(errc::storage_failed, "this machine has no power");
}

} // namespace

class disk::life : public storage::store {
public:
  explicit life(disk& owner) : owner_(owner) {}

  void end() { dead_ = true; }

  result<std::vector<storage::commit_outcome>>
  commit_all(std::span<const storage::commit> batch) override {
    if (dead_)
      return dead_status();
    if (owner_.on_write)
      owner_.on_write();
    auto failing = std::exchange(owner_.failing_, std::nullopt);
    if (failing == false) {
      dead_ = true;
      return dead_status();
    }
    auto out = engine().commit_all(batch);
    if (!out)
      return out;
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (owner_.on_commit)
        owner_.on_commit(batch[i], (*out)[i]);
    if (failing) {
      dead_ = true;
      return dead_status();
    }
    return out;
  }

  status remove(const run_id& id, std::uint64_t version) override {
    if (dead_)
      return dead_status();
    auto done = engine().remove(id, version);
    if (done.ok() && owner_.on_remove)
      owner_.on_remove(id);
    return done;
  }

  result<run_record> load(const run_id& id) const override {
    return engine().load(id);
  }
  result<std::vector<run_record>>
  list(const storage::list_query& q) const override {
    return engine().list(q);
  }
  result<std::vector<run_record>> live() const override {
    return engine().live();
  }
  result<std::vector<run_id>> corrupt() const override {
    return engine().corrupt();
  }
  status quarantine(const run_id& id, const std::string& why,
                    wall_time now) override {
    return dead_ ? dead_status() : engine().quarantine(id, why, now);
  }
  result<std::vector<entry>> read(const run_record& run,
                                  const storage::read_query& q) const override {
    return engine().read(run, q);
  }
  result<std::vector<claim_note>> claims(const run_record& run) const override {
    return engine().claims(run);
  }
  result<epoch> epoch_floor() const override { return engine().epoch_floor(); }
  result<std::uint64_t> uptime_ms() const override {
    return engine().uptime_ms();
  }
  status save_uptime_ms(std::uint64_t ms) override {
    return dead_ ? status{} : engine().save_uptime_ms(ms);
  }

private:
  storage::store& engine() const { return *owner_.engine_; }

  disk& owner_;
  bool dead_ = false;
};

std::shared_ptr<storage::store> disk::open() {
  failing_.reset();
  now_ = std::make_shared<life>(*this);
  return now_;
}

void disk::power_off() {
  if (now_)
    now_->end();
  if (!on_power_off)
    return;
  on_power_off();
  engine_.reset();
  engine_ = reopen();
}

} // namespace baton::sim
